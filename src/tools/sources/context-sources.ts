// The sources that reviews may ask: side by side, each within its time, by tools that were allowed beforehand and no others.
import type { ContextSourceConfig } from '../../config/context-source-config.ts'
import type { ContextRecord, LiveContext, UnavailableSource } from '../../domain/live-context.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { abortable } from '../../lib/abortable.ts'
import { createGlobMatcher } from '../../lib/glob.ts'
import type { Log } from '../../lib/logger.ts'
import type { Tool } from '../tool.ts'
import {
  callTool,
  chooseTool,
  describeSourceFailure,
  maxRecords,
  type OpenTool,
  type Source,
  type SourceQuery,
} from './call-tool.ts'
import type { PinStore } from './pin-store.ts'
import { createRemoteServer } from './remote-server.ts'
import { createSourceTools } from './source-tools.ts'

/** For whom is asked. */
export interface RequestingRepository {
  readonly repo: RepositoryName
  readonly isPublic: boolean
  /** Whether the change comes from a fork. */
  readonly isFork: boolean
}

export interface ContextSources extends AsyncDisposable {
  readonly names: readonly string[]
  /** Never throws but for an aborted signal: a source that doesn't answer is named as missing. */
  query(
    asking: RequestingRepository,
    questions: readonly SourceQuery[],
    signal: AbortSignal,
  ): Promise<LiveContext>
  /** Names of those that may be asked. */
  listAllowed(asking: RequestingRepository): readonly string[]
  /** For a model that looks around by itself: one tool for each way to ask a source. */
  tools(asking: RequestingRepository): readonly Tool[]
  /** What is wrong with a source; null where it would answer. */
  check(name: string, signal: AbortSignal): Promise<string | null>
}

export interface ContextSourcesOptions {
  readonly log: Pick<Log, 'warn'>
  readonly pins: PinStore
  /** What programs get beside their own. */
  readonly environment: Readonly<Record<string, string>>
  /** What no answer may bring to light. */
  readonly secrets: readonly string[]
}

/** Makes them; nothing is connected to yet. Dispose of them: they may hold programs. */
export function createContextSources(
  configs: readonly ContextSourceConfig[],
  options: ContextSourcesOptions,
): ContextSources {
  const sources = configs.map((config): Source => {
    const fits = createGlobMatcher(config.repositories.map((glob) => glob.toLowerCase()))
    const { environment } = options
    const server = createRemoteServer(config.server, { environment, connectMs: config.timeoutMs })
    return { config, server, appliesTo: (repo) => fits(repo.toLowerCase()) === true }
  })
  const forRepository = ({ repo, isPublic, isFork }: RequestingRepository) =>
    sources.filter(
      ({ config, appliesTo: isAskedFor }) =>
        isAskedFor(repo) &&
        (!isPublic || config.publicRepositories) &&
        (!isFork || config.forkPullRequests),
    )
  const openTool: OpenTool = async (source, use, signal) => {
    const tool = await abortable(chooseTool(source, use, options.pins, signal), signal)
    return (values) => callTool(source, { tool, use, values, secrets: options.secrets }, signal)
  }

  return {
    names: configs.map(({ name }) => name),
    async query(asking, questions, signal) {
      const answers = await Promise.all(
        forRepository(asking).map((source) =>
          querySource(source, questions, { openTool, log: options.log }, signal),
        ),
      )
      signal.throwIfAborted()
      return {
        records: answers.flatMap(({ records }) => records),
        missing: answers.flatMap(({ missing }) => missing ?? []),
      }
    },
    listAllowed: (asking) => forRepository(asking).map(({ config }) => config.name),
    tools: (asking) =>
      forRepository(asking).flatMap((source) => createSourceTools(source, openTool)),
    async check(name, signal) {
      const source = sources.find(({ config }) => config.name === name)
      if (source === undefined) return 'There is no such source'
      const within = AbortSignal.any([signal, AbortSignal.timeout(source.config.timeoutMs)])
      try {
        const { lookUp, search, searchSymbols } = source.config
        for (const use of [lookUp, search, searchSymbols]) {
          if (use !== null) await chooseTool(source, use, options.pins, within)
        }
        return null
      } catch (error) {
        signal.throwIfAborted()
        return describeSourceFailure(error, within)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sources.map(({ server }) => server[Symbol.asyncDispose]()))
    },
  }
}

interface SourceAnswer {
  readonly records: readonly ContextRecord[]
  readonly missing: UnavailableSource | null
}

async function querySource(
  source: Source,
  questions: readonly SourceQuery[],
  { openTool, log }: { openTool: OpenTool; log: Pick<Log, 'warn'> },
  signal: AbortSignal,
): Promise<SourceAnswer> {
  const { config } = source
  const asked = questions.filter(({ kind, use }) => kind === config.kind && config[use] !== null)
  const within = AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs)])
  const open = (use: SourceQuery['use']) => lazily(() => openTool(source, config[use]!, within))
  const opened = {
    lookUp: open('lookUp'),
    search: open('search'),
    searchSymbols: open('searchSymbols'),
  }
  const settled = await Promise.allSettled(
    asked.slice(0, maxRecords).map(async ({ use, values }) => (await opened[use]())(values)),
  )
  const told = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  // Two files may share an error, and two commits a ticket.
  const records = [
    ...new Map(told.map((record) => [`${record.url} ${record.title}`, record])).values(),
  ]
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed === undefined) return { records: records.slice(0, maxRecords), missing: null }
  log.warn({ err: failed.reason, source: config.name }, 'A source of context did not answer')
  const reason = describeSourceFailure(failed.reason, within)
  return { records: records.slice(0, maxRecords), missing: { source: config.name, reason } }
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
