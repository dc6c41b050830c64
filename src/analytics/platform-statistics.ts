// Reads statistics that the code-hosting platform computes: languages and contributors.

import type { Log } from '../lib/logger.ts'
import { type CachedValue, createTtlCache } from '../lib/ttl-cache.ts'
import type { Access, ContributorStatistics, Platform } from '../platforms/platform.ts'

/** Lists are empty when the platform doesn't respond or is still computing. */
export interface PlatformStatistics {
  /** Sorted by bytes, largest first. */
  readonly languages: readonly {
    readonly name: string
    readonly bytes: number
    readonly pct: number
  }[]
  /** Sorted by commits, largest first. */
  readonly contributors: readonly ContributorStatistics[]
}

export const noStatistics: PlatformStatistics = { languages: [], contributors: [] }

const maxCachedAnswers = 1000
const cacheMs = 10 * 60_000
/** Missing statistics are requested again soon, but not with every call. */
const failureCacheMs = 20_000
const deadlineMs = 5_000

/**
 * Reads statistics with a person's own token. Results are cached per `userId`, so that no one sees
 * what only another person's token can see.
 */
type ReadStatistics = (userId: number, access: Access) => Promise<PlatformStatistics>

/** Creates a reader with a cache. */
export function createStatisticsReader(platform: Platform, log: Log): ReadStatistics {
  const cache = createTtlCache<PlatformStatistics>(maxCachedAnswers)
  return (userId, access) =>
    cache(`${userId} ${access.repo}`, () => fetchStatistics(platform, access, log))
}

async function fetchStatistics(
  platform: Platform,
  access: Access,
  log: Log,
): Promise<CachedValue<PlatformStatistics>> {
  const signal = AbortSignal.timeout(deadlineMs)
  const logAndSkip = (what: string) => (error: unknown) => {
    log.warn({ err: error, repo: access.repo }, `Could not read the ${what} from the platform`)
    return null
  }
  const [languages, contributors] = await Promise.all([
    platform.getLanguages(access, signal).catch(logAndSkip('languages')),
    platform.listContributors(access, signal).catch(logAndSkip('contributors')),
  ])
  const isComplete = languages !== null && contributors !== null && contributors.length > 0
  return {
    value: {
      languages: sortLanguages(languages ?? {}),
      contributors: (contributors ?? []).toSorted(
        (a, b) => b.commits - a.commits || (a.login < b.login ? -1 : 1),
      ),
    },
    ttlMs: isComplete ? cacheMs : failureCacheMs,
  }
}

function sortLanguages(
  bytesByName: Readonly<Record<string, number>>,
): PlatformStatistics['languages'] {
  const entries = Object.entries(bytesByName)
  const total = entries.reduce((sum, [, bytes]) => sum + bytes, 0)
  return entries
    .map(([name, bytes]) => ({
      name,
      bytes,
      pct: total === 0 ? 0 : Math.round((bytes / total) * 10_000) / 100,
    }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
}
