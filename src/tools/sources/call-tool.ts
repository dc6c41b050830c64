// Calls a configured tool of one context source, after checking that the tool hasn't changed.
import type { Tool as RemoteTool } from '@modelcontextprotocol/client'
import { UmpireError } from '../../domain/errors.ts'
import type { ContextRecord, ContextSourceKind } from '../../domain/live-context.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { responseTooLargeCode } from './bounded-fetch.ts'
import { fingerprintTool, type PinStore } from './pin-store.ts'
import { readRecords } from './read-records.ts'
import type { RemoteServer } from './remote-server.ts'
import type { ContextSourceConfig, ToolCallTemplate } from './source-config.ts'

/** A query that is sent to all sources of one kind. */
export interface SourceQuery {
  readonly kind: ContextSourceKind
  readonly use: 'lookUp' | 'search' | 'searchSymbols'
  /** Values of the placeholders in the configured arguments. */
  readonly values: Readonly<Partial<Record<'key' | 'query' | 'path' | 'symbols', string>>>
}

/** A review gets at most this many records from one source. */
export const maxRecords = 5

export interface Source {
  readonly config: ContextSourceConfig
  readonly server: RemoteServer
  readonly appliesTo: (repo: RepositoryName) => boolean
}

/** Chooses the source's tool for `use`, and resolves with a function that calls it. */
export type OpenTool = (
  source: Source,
  use: ToolCallTemplate,
  signal: AbortSignal,
) => Promise<(values: SourceQuery['values']) => Promise<readonly ContextRecord[]>>

/** Returns no records when the source has no such entry. */
export async function callTool(
  { config, server }: Source,
  call: {
    tool: RemoteTool
    use: ToolCallTemplate
    values: SourceQuery['values']
    secrets: readonly string[]
  },
  signal: AbortSignal,
): Promise<readonly ContextRecord[]> {
  const { tool, use, values, secrets } = call
  const filled = fillTemplate(use.arguments, values) as Record<string, unknown>
  const given = dropUnknownArguments(filled, tool)
  const { failed, text } = await server.call(tool.name, given, signal)
  // Servers report "not found" in different ways, so any failure counts as no result.
  if (failed) return []
  const key = use === config.lookUp ? (values.key ?? null) : null
  return readRecords(config, { key, text, maxRecords }, secrets)
}

/** Vendors change their arguments over time, so those that a strict tool refuses are left out. */
function dropUnknownArguments(
  given: Record<string, unknown>,
  { inputSchema }: RemoteTool,
): Record<string, unknown> {
  if (inputSchema.additionalProperties !== false) return given
  const accepted = inputSchema.properties ?? {}
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(accepted, name)))
}

/**
 * Returns the first of the allowed tools that the server offers, and pins it when it is new.
 * Throws `UmpireError` when there is none, when it may write, or when it differs from its pin.
 */
export async function chooseTool(
  source: Source,
  use: ToolCallTemplate,
  pins: PinStore,
  signal: AbortSignal,
): Promise<RemoteTool> {
  const { config, server } = source
  const offered = await server.listTools(signal)
  const tool = use.tools
    .map((name) => offered.find((each) => each.name === name))
    .find((each) => each !== undefined)
  if (tool === undefined) throw refusal(`it offers no tool ${use.tools.join(' or ')}`)
  if (tool.annotations?.readOnlyHint === false || tool.annotations?.destructiveHint === true) {
    throw refusal(`its tool ${tool.name} is not for reading only`)
  }
  const fingerprint = fingerprintTool(tool)
  const pinned = config.pins[tool.name] ?? (await pins.read(config.name))[tool.name]
  if (pinned === undefined) await pins.add(config.name, tool.name, fingerprint)
  else if (pinned !== fingerprint)
    throw refusal(`its tool ${tool.name} is not the one that was trusted: ${fingerprint}`)
  return tool
}

function refusal(reason: string): UmpireError {
  return new UmpireError('source_refused', reason)
}

/** Fills the placeholders in strings at any depth; a missing value becomes an empty string. */
function fillTemplate(template: unknown, values: SourceQuery['values']): unknown {
  if (typeof template === 'string') {
    return template.replace(
      /\{(key|query|path|symbols)\}/g,
      (_, name: keyof typeof values) => values[name] ?? '',
    )
  }
  if (Array.isArray(template)) return template.map((part) => fillTemplate(part, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, part]) => [name, fillTemplate(part, values)]),
  )
}

/** Describes a failure in our own words, because error texts of the server are untrusted. */
export function describeSourceFailure(error: unknown, deadline: AbortSignal): string {
  if (deadline.aborted) return 'it did not answer in time'
  if (error instanceof UmpireError) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'it did not answer in time'
  if ((error as { code?: unknown }).code === responseTooLargeCode) return 'its answer was too large'
  const status = (error as { data?: { status?: unknown } }).data?.status
  if (status === 401 || status === 403) return 'it refused the token'
  if (typeof status === 'number') return `it answered with status ${status}`
  return 'it could not be reached, or its answer could not be understood'
}
