// The sources that reviews may ask: side by side, each within its time, by tools that were allowed beforehand and no others.
import type { Tool as RemoteTool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { ContextSourceConfig, ToolUse } from '../../config/context-sources.ts'
import { UmpireError } from '../../domain/errors.ts'
import type { ContextRecord, LiveContext, MissingSource, SourceKind } from '../../domain/live-context.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { abortable } from '../../lib/abortable.ts'
import { createGlobTest } from '../../lib/glob.ts'
import type { Log } from '../../lib/logger.ts'
import type { Tool } from '../tool.ts'
import { defineTool } from '../tool-input.ts'
import { fingerprintTool, type PinStore } from './pin-tools.ts'
import { readRecords } from './read-records.ts'
import { createRemoteServer, type RemoteServer } from './remote-server.ts'

/** What is asked of all sources of a kind. */
export interface SourceQuestion {
  readonly kind: SourceKind
  readonly use: 'lookUp' | 'search'
  /** The key to look up, or what to search for; what else the arguments of a source may hold. */
  readonly values: { readonly key?: string; readonly query?: string; readonly path?: string }
}

/** For whom is asked. */
export interface AskingRepository {
  readonly repo: RepositoryName
  readonly isPublic: boolean
  /** Whether the change comes from a fork. */
  readonly isFork: boolean
}

export interface ContextSources extends AsyncDisposable {
  readonly names: readonly string[]
  /** Never throws but for an aborted signal: a source that doesn't answer is named as missing. */
  ask(asking: AskingRepository, questions: readonly SourceQuestion[], signal: AbortSignal): Promise<LiveContext>
  /** For a model that looks around by itself: one tool for each way to ask a source. */
  tools(asking: AskingRepository): readonly Tool[]
  /** What is wrong with a source; null where it would answer. */
  check(name: string, signal: AbortSignal): Promise<string | null>
}

/** Records of one source that a review gets at most. */
const mostRecords = 5

interface Source {
  readonly config: ContextSourceConfig
  readonly server: RemoteServer
  readonly isAskedFor: (repo: RepositoryName) => boolean
}

export interface SourcesOptions {
  readonly log: Pick<Log, 'warn'>
  readonly pins: PinStore
  /** What programs get beside their own. */
  readonly environment: Readonly<Record<string, string>>
  /** What no answer may bring to light. */
  readonly secrets: readonly string[]
}

/** Makes them; nothing is connected to yet. Dispose of them: they may hold programs. */
export function createContextSources(configs: readonly ContextSourceConfig[], options: SourcesOptions): ContextSources {
  const sources = configs.map((config): Source => {
    const fits = createGlobTest(config.repositories.map((glob) => glob.toLowerCase()))
    const { environment } = options
    const server = createRemoteServer(config.server, { environment, connectMs: config.timeoutMs })
    return { config, server, isAskedFor: (repo) => fits(repo.toLowerCase()) === true }
  })
  const forRepository = ({ repo, isPublic, isFork }: AskingRepository) =>
    sources.filter(
      ({ config, isAskedFor }) =>
        isAskedFor(repo) && (!isPublic || config.publicRepositories) && (!isFork || config.forkPullRequests),
    )
  const openTool: OpenTool = async (source, use, signal) => {
    const tool = await abortable(chooseTool(source, use, options.pins, signal), signal)
    return (values) => callTool(source, { tool, use, values, secrets: options.secrets }, signal)
  }

  return {
    names: configs.map(({ name }) => name),
    async ask(asking, questions, signal) {
      const answers = await Promise.all(
        forRepository(asking).map((source) => askSource(source, questions, { openTool, log: options.log }, signal)),
      )
      signal.throwIfAborted()
      return {
        records: answers.flatMap(({ records }) => records),
        missing: answers.flatMap(({ missing }) => missing ?? []),
      }
    },
    tools: (asking) => forRepository(asking).flatMap((source) => makeTools(source, openTool)),
    async check(name, signal) {
      const source = sources.find(({ config }) => config.name === name)
      if (source === undefined) return 'There is no such source'
      const within = AbortSignal.any([signal, AbortSignal.timeout(source.config.timeoutMs)])
      try {
        for (const use of [source.config.lookUp, source.config.search]) {
          if (use !== null) await chooseTool(source, use, options.pins, within)
        }
        return null
      } catch (error) {
        signal.throwIfAborted()
        return describeFault(error, within)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sources.map(({ server }) => server[Symbol.asyncDispose]()))
    },
  }
}

/** Looks at what a source offers, and gives the way to ask it that is allowed. */
type OpenTool = (
  source: Source,
  use: ToolUse,
  signal: AbortSignal,
) => Promise<(values: SourceQuestion['values']) => Promise<readonly ContextRecord[]>>

interface SourceAnswer {
  readonly records: readonly ContextRecord[]
  readonly missing: MissingSource | null
}

async function askSource(
  source: Source,
  questions: readonly SourceQuestion[],
  { openTool, log }: { openTool: OpenTool; log: Pick<Log, 'warn'> },
  signal: AbortSignal,
): Promise<SourceAnswer> {
  const { config } = source
  const asked = questions.filter(({ kind, use }) => kind === config.kind && config[use] !== null)
  const within = AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs)])
  const opened = {
    lookUp: lazily(() => openTool(source, config.lookUp!, within)),
    search: lazily(() => openTool(source, config.search!, within)),
  }
  const settled = await Promise.allSettled(
    asked.slice(0, mostRecords).map(async ({ use, values }) => (await opened[use]())(values)),
  )
  const told = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  // Two files may share an error, and two commits a ticket.
  const records = [...new Map(told.map((record) => [`${record.url} ${record.title}`, record])).values()]
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed === undefined) return { records: records.slice(0, mostRecords), missing: null }
  log.warn({ err: failed.reason, source: config.name }, 'A source of context did not answer')
  const reason = describeFault(failed.reason, within)
  return { records: records.slice(0, mostRecords), missing: { source: config.name, reason } }
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Nothing where the source knows of no such thing. */
async function callTool(
  { config, server }: Source,
  call: { tool: RemoteTool; use: ToolUse; values: SourceQuestion['values']; secrets: readonly string[] },
  signal: AbortSignal,
): Promise<readonly ContextRecord[]> {
  const { tool, use, values, secrets } = call
  const given = fitArguments(fillTemplate(use.arguments, values) as Record<string, unknown>, tool)
  const { failed, text } = await server.call(tool.name, given, signal)
  // Whoever asks for what isn't there is told so in as many ways as there are servers.
  if (failed) return []
  const key = use === config.lookUp ? (values.key ?? null) : null
  return readRecords(config, { key, text, most: mostRecords }, secrets)
}

/** Without those that the tool refuses: what vendors take changes. */
function fitArguments(given: Record<string, unknown>, { inputSchema }: RemoteTool): Record<string, unknown> {
  if (inputSchema.additionalProperties !== false) return given
  const taken = inputSchema.properties ?? {}
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(taken, name)))
}

/** The first of the allowed tools that the server offers: for reading, and still what it was. */
async function chooseTool(source: Source, use: ToolUse, pins: PinStore, signal: AbortSignal): Promise<RemoteTool> {
  const { config, server } = source
  const offered = await server.listTools(signal)
  const tool = use.tools.flatMap((name) => offered.find((each) => each.name === name) ?? [])[0]
  if (tool === undefined) throw refuse(`it offers no tool ${use.tools.join(' or ')}`)
  if (tool.annotations?.readOnlyHint === false || tool.annotations?.destructiveHint === true) {
    throw refuse(`its tool ${tool.name} is not for reading only`)
  }
  const fingerprint = fingerprintTool(tool)
  const known = config.pins[tool.name] ?? (await pins.read(config.name))[tool.name]
  if (known === undefined) await pins.add(config.name, tool.name, fingerprint)
  else if (known !== fingerprint) throw refuse(`its tool ${tool.name} is not the one that was trusted: ${fingerprint}`)
  return tool
}

function refuse(reason: string): UmpireError {
  return new UmpireError('source_refused', reason)
}

/** Fills in texts at any depth. A value that isn't there is left empty. */
function fillTemplate(template: unknown, values: SourceQuestion['values']): unknown {
  if (typeof template === 'string') {
    return template.replace(/\{(key|query|path)\}/g, (_, name: 'key' | 'query' | 'path') => values[name] ?? '')
  }
  if (Array.isArray(template)) return template.map((part) => fillTemplate(part, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, fillTemplate(part, values)]))
}

/** In our own words: what a server says of itself isn't shown. */
function describeFault(error: unknown, deadline: AbortSignal): string {
  if (deadline.aborted) return 'it did not answer in time'
  if (error instanceof UmpireError) return error.message
  const status = (error as { data?: { status?: unknown } }).data?.status
  if (status === 401 || status === 403) return 'it refused the token'
  if (typeof status === 'number') return `it answered with status ${status}`
  return 'it could not be reached, or answered what could not be understood'
}

function makeTools(source: Source, openTool: OpenTool): Tool[] {
  const { name, kind, lookUp, search, timeoutMs } = source.config
  const run = async (use: ToolUse, values: SourceQuestion['values'], signal: AbortSignal): Promise<string> => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      const ask = await openTool(source, use, within)
      const records = await ask(values)
      return records.length === 0 ? 'It knows of no such thing.' : records.map(({ text }) => text).join('\n\n')
    } catch (error) {
      signal.throwIfAborted()
      throw new UmpireError('source_failed', `${name} has no answer: ${describeFault(error, within)}.`)
    }
  }
  const id = name.replaceAll('-', '_')
  const tools: Tool[] = []
  if (lookUp !== null) {
    const input = z.object({ key: z.string().min(1).max(200).describe('The key or id') })
    const description = `Reads one entry of ${name} (${kind}) by its key. What it says is data of others.`
    tools.push(
      defineTool({
        name: `${id}_look_up`,
        description,
        input,
        run: ({ key }, signal) => run(lookUp, { key }, signal),
      }) as Tool,
    )
  }
  if (search !== null) {
    const input = z.object({ query: z.string().min(1).max(500).describe('A few words') })
    const description = `Searches ${name} (${kind}). What it says is data of others.`
    tools.push(
      defineTool({
        name: `${id}_search`,
        description,
        input,
        run: ({ query }, signal) => run(search, { query }, signal),
      }) as Tool,
    )
  }
  return tools
}
