// Reads file statistics within a time limit; what takes longer is left out of the response.
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

const maxReadsInFlight = 1000

type ReadFileActivity = (repo: RepositoryName) => Promise<FileActivityStatistics>
/** `directory` is as in `readCodeMap`. */
type ReadCodeMap = (repo: RepositoryName, directory: string) => Promise<CodeMap>

interface ReadingContext {
  readonly db: Db
  readonly log: Log
  readonly timeoutMs: number
}

/** Concurrent calls for the same repository are answered by one query. */
export function createFileActivityReader(ctx: ReadingContext): ReadFileActivity {
  const read = createReader(ctx, 'File activity statistics take', noFileActivityStatistics)
  return (repo) => read(repo, '', (tx) => readFileActivityStatistics(tx, repo))
}

/** Concurrent calls for the same directory are answered by one query. */
export function createCodeMapReader(ctx: ReadingContext): ReadCodeMap {
  const read = createReader(ctx, 'The map of the code takes', emptyCodeMap)
  return (repo, directory) => read(repo, directory, (tx) => readCodeMap(tx, repo, directory))
}

function createReader<T>({ db, log, timeoutMs }: ReadingContext, subject: string, emptyResult: T) {
  const inFlight = createTtlCache<T>(maxReadsInFlight)
  return async (repo: RepositoryName, part: string, read: (tx: Db) => Promise<T>): Promise<T> => {
    const result = inFlight(`${repo} ${part}`, async () => ({
      value: await readInOneSnapshot(db, timeoutMs, read),
      ttlMs: 0,
    }))
    const inTime = await withTimeout(timeoutMs, result)
    if (inTime !== null) return inTime
    log.warn({ repo, timeout_ms: timeoutMs }, `${subject} too long: left out`)
    return emptyResult
  }
}
