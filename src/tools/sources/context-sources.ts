// Queries the configured context sources concurrently, each with its own deadline.

import type { ContextRecord, LiveContext, UnavailableSource } from '../../domain/live-context.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { Tool } from '../../domain/tool.ts'
import { abortable } from '../../lib/abortable.ts'
import type { Log } from '../../lib/logger.ts'
import {
  callTool,
  chooseTool,
  describeSourceFailure,
  maxRecords,
  type OpenTool,
  type Source,
  type SourceQuery,
} from './call-tool.ts'
import { createRepositoryMatcher } from './match-repository.ts'
import type { PinStore } from './pin-store.ts'
import { RemoteServer } from './remote-server.ts'
import type { ContextSourceConfig } from './source-config.ts'
import { createSourceTools } from './source-tools.ts'

/** The repository that a review queries for; decides which sources may be used. */
export interface RequestingRepository {
  readonly repo: RepositoryName
  readonly isPublic: boolean
  /** Whether the change comes from a fork. */
  readonly isFork: boolean
}

export interface ContextSources extends AsyncDisposable {
  readonly names: readonly string[]
  /** Lists failed sources as missing. Throws only when `signal` is aborted. */
  query(
    requester: RequestingRepository,
    queries: readonly SourceQuery[],
    signal: AbortSignal,
  ): Promise<LiveContext>
  /** Returns the names of the sources that this repository may use. */
  listAllowed(requester: RequestingRepository): readonly string[]
  /** Returns tools for a model: one for each configured use of each allowed source. */
  tools(requester: RequestingRepository): readonly Tool[]
  /** Returns what is wrong with a source, or null when it works. */
  check(name: string, signal: AbortSignal): Promise<string | null>
}

interface ContextSourcesOptions {
  readonly log: Pick<Log, 'warn'>
  readonly pins: PinStore
  /** Variables that programs get in addition to their configured ones. */
  readonly environment: Readonly<Record<string, string>>
  /** Values that are redacted in all records. */
  readonly secrets: readonly string[]
}

/** Connects to nothing yet. Dispose of the result, because it may hold running programs. */
export function createContextSources(
  configs: readonly ContextSourceConfig[],
  options: ContextSourcesOptions,
): ContextSources {
  const sources = configs.map((config): Source => {
    const { environment } = options
    const server = new RemoteServer(config.server, { environment, connectMs: config.timeoutMs })
    return { config, server, appliesTo: createRepositoryMatcher(config.repositories) }
  })
  const filterAllowed = ({ repo, isPublic, isFork }: RequestingRepository) =>
    sources.filter(
      ({ config, appliesTo }) =>
        appliesTo(repo) &&
        (!isPublic || config.publicRepositories) &&
        (!isFork || config.forkPullRequests),
    )
  const openTool: OpenTool = async (source, use, signal) => {
    const tool = await abortable(chooseTool(source, use, options.pins, signal), signal)
    return (values) => callTool(source, { tool, use, values, secrets: options.secrets }, signal)
  }

  return {
    names: configs.map(({ name }) => name),
    async query(requester, queries, signal) {
      const answers = await Promise.all(
        filterAllowed(requester).map((source) =>
          querySource(source, queries, { openTool, log: options.log }, signal),
        ),
      )
      signal.throwIfAborted()
      return {
        records: answers.flatMap(({ records }) => records),
        missing: answers.flatMap(({ missing }) => missing ?? []),
      }
    },
    listAllowed: (requester) => filterAllowed(requester).map(({ config }) => config.name),
    tools: (requester) =>
      filterAllowed(requester).flatMap((source) => createSourceTools(source, openTool)),
    async check(name, signal) {
      const source = sources.find(({ config }) => config.name === name)
      if (source === undefined) return 'There is no such source'
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(source.config.timeoutMs)])
      try {
        const { lookUp, search, searchSymbols } = source.config
        for (const use of [lookUp, search, searchSymbols]) {
          if (use !== null) await chooseTool(source, use, options.pins, deadline)
        }
        return null
      } catch (error) {
        signal.throwIfAborted()
        return describeSourceFailure(error, deadline)
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
  queries: readonly SourceQuery[],
  { openTool, log }: { openTool: OpenTool; log: Pick<Log, 'warn'> },
  signal: AbortSignal,
): Promise<SourceAnswer> {
  const { config } = source
  const supported = queries
    .filter(({ kind, use }) => kind === config.kind && config[use] !== null)
    .slice(0, maxRecords)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs)])
  const open = (use: SourceQuery['use']) => once(() => openTool(source, config[use]!, deadline))
  const openOnce = {
    lookUp: open('lookUp'),
    search: open('search'),
    searchSymbols: open('searchSymbols'),
  }
  const settled = await Promise.allSettled(
    supported.map(async ({ use, values }) => {
      const call = await openOnce[use]()
      return call(values)
    }),
  )
  const found = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  // Two files may share an error, and two commits a ticket.
  const byIdentity = new Map(found.map((record) => [`${record.url} ${record.title}`, record]))
  const records = [...byIdentity.values()].slice(0, maxRecords)
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed === undefined) return { records, missing: null }
  log.warn({ err: failed.reason, source: config.name }, 'A context source did not answer')
  const reason = describeSourceFailure(failed.reason, deadline)
  return { records, missing: { source: config.name, reason } }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
