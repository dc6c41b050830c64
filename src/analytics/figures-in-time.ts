// The figures of touched files within a time limit: a repository that takes longer is shown without them.
import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { readTogether } from '../knowledge/graph/read-graph.ts'
import type { Log } from '../lib/logger.ts'
import { keepAnswers } from '../lib/recent-answers.ts'
import { noFigures, readTouchFigures, type TouchFigures } from './touch-figures.ts'

/** Repositories whose figures may be on their way at the same time. */
const mostAsked = 1000

export type ReadFigures = (repo: RepositoryName) => Promise<TouchFigures>

/** Makes the reader. Those who ask while an answer is on its way get the same one. */
export function createFiguresReader(ctx: { db: Db; log: Log; timeoutMs: number }): ReadFigures {
  const { db, log, timeoutMs } = ctx
  const inFlight = keepAnswers<TouchFigures>(mostAsked)
  return async (repo) => {
    const read = inFlight(repo, async () => ({
      value: await readTogether(db, timeoutMs, (tx) => readTouchFigures(tx, repo)),
      keepMs: 0,
    }))
    const figures = await withinTime(timeoutMs, read)
    if (figures === null) log.warn({ repo, timeout_ms: timeoutMs }, 'Figures of touched files take too long: left out')
    return figures ?? noFigures
  }
}
