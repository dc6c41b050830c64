// Lists the logs of other tools that the code host has for a head.
import { LRUCache } from 'lru-cache'
import { PlatformError } from '../../domain/errors.ts'
import type { ToolSettings } from '../../domain/repository-settings.ts'
import { createGlobMatcher } from '../../lib/glob.ts'
import type { Log } from '../../lib/logger.ts'
import type { Access, ListedAnalysis, ListedArtifact, Platform } from '../../platforms/platform.ts'

const maxRefusals = 1000
/** How long a host isn't asked again for what it refused. */
const refusalMs = 60 * 60_000

/** A log in code scanning, or an artifact with logs. */
export type ListedLog =
  | (ListedAnalysis & { readonly kind: 'analysis' })
  | (ListedArtifact & { readonly kind: 'artifact' })

interface LogList {
  /** The newest of each tool in code scanning, then the artifacts. */
  readonly logs: readonly ListedLog[]
  /** Whether there may be more later. */
  readonly mayGrow: boolean
  /** Whether the host refuses a part, now or within the last hour. */
  readonly isRefused: boolean
}

export interface ToolLogs {
  /**
   * Lists nothing where the host refuses it or doesn't answer: a review doesn't need these logs.
   * Throws the reason of an aborted signal, unless that is a retryable PlatformError, as that of a
   * deadline: then the host didn't answer.
   */
  list(
    access: Access,
    of: { number: number; headSha: string; settings: ToolSettings },
    signal: AbortSignal,
  ): Promise<LogList>
}

/** Identifies a log of a repository. */
export function identifyLog({ kind, id }: ListedLog): string {
  return `${kind} ${id}`
}

export function createToolLogs(ctx: { platform: Platform; log: Log }): ToolLogs {
  const { platform } = ctx
  const refusals = new LRUCache<string, true>({ max: maxRefusals, ttl: refusalMs })
  return {
    async list(access, { number, headSha, settings }, signal) {
      const { artifacts, codeScanning } = settings
      const lists = await Promise.all([
        codeScanning && platform.limits.codeScanning === true
          ? tryToList(ctx, { refusals, access, what: 'code scanning' }, async () => {
              const listed = await platform.listAnalyses(access, { number, headSha }, signal)
              return { ...nothing, logs: keepNewest(listed), mayGrow: true }
            })
          : nothing,
        artifacts.length > 0 && platform.limits.artifacts === true
          ? tryToList(ctx, { refusals, access, what: 'artifacts' }, async () => {
              const listed = await platform.listArtifacts(access, headSha, signal)
              return {
                ...nothing,
                logs: keepNamed(listed.artifacts, artifacts),
                mayGrow: listed.mayGrow,
              }
            })
          : nothing,
      ])
      return {
        logs: lists.flatMap(({ logs }) => logs),
        mayGrow: lists.some(({ mayGrow }) => mayGrow),
        isRefused: lists.some(({ isRefused }) => isRefused),
      }
    },
  }
}

const nothing: LogList = { logs: [], mayGrow: false, isRefused: false }
const refused: LogList = { ...nothing, isRefused: true }

async function tryToList(
  { log }: { log: Log },
  of: { refusals: LRUCache<string, true>; access: Access; what: string },
  list: () => Promise<LogList>,
): Promise<LogList> {
  const { access, refusals, what } = of
  const { appSlug, repo, token } = access
  // What one token may not read, another one may. Those of the App are renewed.
  const reader = appSlug === undefined ? token : `app ${appSlug}`
  const key = `${what} ${repo.toLowerCase()} ${reader}`
  if (refusals.has(key)) return refused
  try {
    return await list()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.retryable) {
      log.warn({ err: error, repo, what }, 'What other tools found could not be listed')
      return { ...nothing, mayGrow: true }
    }
    refusals.set(key, true)
    log.warn(
      { err: error, repo, what },
      'The settings ask for what other tools found, but the code host refuses it: it is not ' +
        'enabled, or the token may not read it. The host is asked again in an hour',
    )
    return refused
  }
}

/** A tool has one log for each category, and newer ones replace it. */
function keepNewest(analyses: readonly ListedAnalysis[]): ListedLog[] {
  const groups = Map.groupBy(analyses, ({ tool, category }) => JSON.stringify([tool, category]))
  return [...groups.values()].map(([newest]) => ({ ...newest!, kind: 'analysis' }))
}

function keepNamed(artifacts: readonly ListedArtifact[], globs: readonly string[]): ListedLog[] {
  const isNamed = createGlobMatcher(globs)
  return artifacts
    .filter(({ name }) => isNamed(name) === true)
    .map((artifact) => ({ ...artifact, kind: 'artifact' }))
}
