// Asks one source with a tool that was allowed beforehand and is still what it was, and no other.
import type { Tool as RemoteTool } from '@modelcontextprotocol/client'
import type { ContextSourceConfig, ToolCallTemplate } from '../../config/context-source-config.ts'
import { UmpireError } from '../../domain/errors.ts'
import type { ContextRecord, ContextSourceKind } from '../../domain/live-context.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { responseTooLargeCode } from './bounded-fetch.ts'
import { fingerprintTool, type PinStore } from './pin-store.ts'
import { readRecords } from './read-records.ts'
import type { RemoteServer } from './remote-server.ts'

/** What is asked of all sources of a kind. */
export interface SourceQuery {
  readonly kind: ContextSourceKind
  readonly use: 'lookUp' | 'search' | 'searchSymbols'
  /** The key to look up, or what to search for; what else the arguments of a source may hold. */
  readonly values: Readonly<Partial<Record<'key' | 'query' | 'path' | 'symbols', string>>>
}

/** Records of one source that a review gets at most. */
export const maxRecords = 5

export interface Source {
  readonly config: ContextSourceConfig
  readonly server: RemoteServer
  readonly appliesTo: (repo: RepositoryName) => boolean
}

/** Looks at what a source offers, and gives the way to ask it that is allowed. */
export type OpenTool = (
  source: Source,
  use: ToolCallTemplate,
  signal: AbortSignal,
) => Promise<(values: SourceQuery['values']) => Promise<readonly ContextRecord[]>>

/** Nothing where the source knows of no such thing. */
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
  const given = dropUnknownArguments(
    fillTemplate(use.arguments, values) as Record<string, unknown>,
    tool,
  )
  const { failed, text } = await server.call(tool.name, given, signal)
  // Whoever asks for what isn't there is told so in as many ways as there are servers.
  if (failed) return []
  const key = use === config.lookUp ? (values.key ?? null) : null
  return readRecords(config, { key, text, most: maxRecords }, secrets)
}

/** Without those that the tool refuses: what vendors take changes. */
function dropUnknownArguments(
  given: Record<string, unknown>,
  { inputSchema }: RemoteTool,
): Record<string, unknown> {
  if (inputSchema.additionalProperties !== false) return given
  const taken = inputSchema.properties ?? {}
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(taken, name)))
}

/** The first of the allowed tools that the server offers: for reading, and still what it was. */
export async function chooseTool(
  source: Source,
  use: ToolCallTemplate,
  pins: PinStore,
  signal: AbortSignal,
): Promise<RemoteTool> {
  const { config, server } = source
  const offered = await server.listTools(signal)
  const tool = use.tools.flatMap((name) => offered.find((each) => each.name === name) ?? [])[0]
  if (tool === undefined) throw refusal(`it offers no tool ${use.tools.join(' or ')}`)
  if (tool.annotations?.readOnlyHint === false || tool.annotations?.destructiveHint === true) {
    throw refusal(`its tool ${tool.name} is not for reading only`)
  }
  const fingerprint = fingerprintTool(tool)
  const known = config.pins[tool.name] ?? (await pins.read(config.name))[tool.name]
  if (known === undefined) await pins.add(config.name, tool.name, fingerprint)
  else if (known !== fingerprint)
    throw refusal(`its tool ${tool.name} is not the one that was trusted: ${fingerprint}`)
  return tool
}

function refusal(reason: string): UmpireError {
  return new UmpireError('source_refused', reason)
}

/** Fills in texts at any depth. A value that isn't there is left empty. */
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

/** In our own words: what a server says of itself isn't shown. */
export function describeSourceFailure(error: unknown, deadline: AbortSignal): string {
  if (deadline.aborted) return 'it did not answer in time'
  if (error instanceof UmpireError) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'it did not answer in time'
  if ((error as { code?: unknown }).code === responseTooLargeCode)
    return 'it answered with too much'
  const status = (error as { data?: { status?: unknown } }).data?.status
  if (status === 401 || status === 403) return 'it refused the token'
  if (typeof status === 'number') return `it answered with status ${status}`
  return 'it could not be reached, or answered what could not be understood'
}
