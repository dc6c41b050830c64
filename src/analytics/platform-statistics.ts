// What the code-hosting platform itself counts of a repository: languages and contributors.

import type { Log } from '../lib/logger.ts'
import { type CachedValue, createTtlCache } from '../lib/ttl-cache.ts'
import type { Access, ContributorStatistics, Platform } from '../platforms/platform.ts'

/** Empty lists where the platform didn't answer, or is still counting. */
export interface PlatformStatistics {
  /** Most bytes first. */
  readonly languages: readonly {
    readonly name: string
    readonly bytes: number
    readonly pct: number
  }[]
  /** Most commits first. */
  readonly contributors: readonly ContributorStatistics[]
}

export const noStatistics: PlatformStatistics = { languages: [], contributors: [] }

/** Of whom what was asked last is kept. */
const maxCachedAnswers = 1000
const cacheMs = 10 * 60_000
/** What was not to be had is asked for again soon, and not at once. */
const failureCacheMs = 20_000
const deadlineMs = 5_000

/** Reads statistics with a person's own token; `userId` is theirs: nobody is shown what another one's token could see. */
export type ReadStatistics = (userId: number, access: Access) => Promise<PlatformStatistics>

/** Makes the reader, which keeps what it read for a while. */
export function createStatisticsReader(platform: Platform, log: Log): ReadStatistics {
  const recently = createTtlCache<PlatformStatistics>(maxCachedAnswers)
  return (userId, access) =>
    recently(`${userId} ${access.repo}`, () => fetchStatistics(platform, access, log))
}

async function fetchStatistics(
  platform: Platform,
  access: Access,
  log: Log,
): Promise<CachedValue<PlatformStatistics>> {
  const signal = AbortSignal.timeout(deadlineMs)
  const tolerate = (what: string) => (error: unknown) => {
    log.warn({ err: error, repo: access.repo }, `The platform did not tell the ${what}`)
    return null
  }
  const [languages, contributors] = await Promise.all([
    platform.getLanguages(access, signal).catch(tolerate('languages')),
    platform.listContributors(access, signal).catch(tolerate('contributors')),
  ])
  const isWhole = languages !== null && contributors !== null && contributors.length > 0
  return {
    value: {
      languages: sortLanguages(languages ?? {}),
      contributors: (contributors ?? []).toSorted(
        (a, b) => b.commits - a.commits || (a.login < b.login ? -1 : 1),
      ),
    },
    ttlMs: isWhole ? cacheMs : failureCacheMs,
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
