// What is counted over a repository's files, within a time limit: a repository that takes longer is shown without it.
import type { Db } from '../db/database.ts'
import { withTimeout } from '../db/with-timeout.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { readInOneSnapshot } from '../knowledge/graph/read-graph.ts'
import type { Log } from '../lib/logger.ts'
import { createTtlCache } from '../lib/ttl-cache.ts'
import {
  type FileActivityStatistics,
  noFileActivityStatistics,
  readFileActivityStatistics,
} from './file-activity-statistics.ts'
import { type CodeMap, emptyCodeMap, readCodeMap } from './read-code-map.ts'

/** What may be on its way at the same time. */
const maxReadsInFlight = 1000

export type ReadFileActivity = (repo: RepositoryName) => Promise<FileActivityStatistics>
/** The directory as `readCodeMap` has it. */
export type ReadCodeMap = (repo: RepositoryName, directory: string) => Promise<CodeMap>

interface ReadingContext {
  readonly db: Db
  readonly log: Log
  readonly timeoutMs: number
}

/** Makes the reader of touched files. Those who ask while an answer is on its way get the same one. */
export function createFileActivityReader(ctx: ReadingContext): ReadFileActivity {
  const read = createReader(ctx, 'Figures of touched files take', noFileActivityStatistics)
  return (repo) => read(repo, '', (tx) => readFileActivityStatistics(tx, repo))
}

/** Makes the reader of maps, likewise. */
export function createCodeMapReader(ctx: ReadingContext): ReadCodeMap {
  const read = createReader(ctx, 'The map of the code takes', emptyCodeMap)
  return (repo, directory) => read(repo, directory, (tx) => readCodeMap(tx, repo, directory))
}

function createReader<T>({ db, log, timeoutMs }: ReadingContext, what: string, nothing: T) {
  const inFlight = createTtlCache<T>(maxReadsInFlight)
  return async (repo: RepositoryName, part: string, read: (tx: Db) => Promise<T>): Promise<T> => {
    const answer = inFlight(`${repo} ${part}`, async () => ({
      value: await readInOneSnapshot(db, timeoutMs, read),
      ttlMs: 0,
    }))
    const inTime = await withTimeout(timeoutMs, answer)
    if (inTime === null) log.warn({ repo, timeout_ms: timeoutMs }, `${what} too long: left out`)
    return inTime ?? nothing
  }
}
