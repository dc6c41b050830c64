// What is counted over a repository's files, within a time limit: a repository that takes longer is shown without it.
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { readTogether } from '../knowledge/graph/read-graph.ts'
import type { Log } from '../lib/logger.ts'
import { keepAnswers } from '../lib/recent-answers.ts'
import { type CodeMap, emptyMap, readCodeMap } from './code-map.ts'
import { noFigures, readTouchFigures, type TouchFigures } from './touch-figures.ts'

/** What may be on its way at the same time. */
const mostAsked = 1000

export type ReadFigures = (repo: RepositoryName) => Promise<TouchFigures>
/** The directory as `readCodeMap` has it. */
export type ReadMap = (repo: RepositoryName, directory: string) => Promise<CodeMap>

interface ReadingContext {
  readonly db: Db
  readonly log: Log
  readonly timeoutMs: number
}

/** Makes the reader of touched files. Those who ask while an answer is on its way get the same one. */
export function createFiguresReader(ctx: ReadingContext): ReadFigures {
  const read = createReader(ctx, 'Figures of touched files take', noFigures)
  return (repo) => read(repo, '', (tx) => readTouchFigures(tx, repo))
}

/** Makes the reader of maps, likewise. */
export function createMapReader(ctx: ReadingContext): ReadMap {
  const read = createReader(ctx, 'The map of the code takes', emptyMap)
  return (repo, directory) => read(repo, directory, (tx) => readCodeMap(tx, repo, directory))
}

function createReader<T>({ db, log, timeoutMs }: ReadingContext, what: string, nothing: T) {
  const inFlight = keepAnswers<T>(mostAsked)
  return async (repo: RepositoryName, part: string, read: (tx: Db) => Promise<T>): Promise<T> => {
    const answer = inFlight(`${repo} ${part}`, async () => ({
      value: await readTogether(db, timeoutMs, read),
      keepMs: 0,
    }))
    const inTime = await withinTime(timeoutMs, answer)
    if (inTime === null) log.warn({ repo, timeout_ms: timeoutMs }, `${what} too long: left out`)
    return inTime ?? nothing
  }
}
