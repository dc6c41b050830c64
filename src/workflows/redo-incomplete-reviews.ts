// Periodic task that queues reviews again once their pull request is reopened, or their model or
// a token is available again.
import type { AppContext } from '../context.ts'
import {
  dropExhaustedRedos,
  hasPendingRedos,
  redoReviews,
  redoTokenless,
} from '../work/redo-reviews.ts'

/**
 * Queues the reviews whose condition is met now. The model is sent a short test request, and only
 * while reviews wait for it. They wait until its key is accepted again, if it was rejected.
 */
export async function redoIncompleteReviews(
  { db, models, log }: Pick<AppContext, 'db' | 'models' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await dropExhaustedRedos(db, ['reopened', 'model'])
  const reopened = await redoReviews(db, 'reopened')
  if (reopened > 0) log.info({ reviews: reopened }, 'Reopened pull requests are reviewed again')
  const tokenless = await redoTokenless(db)
  if (tokenless > 0) log.info({ reviews: tokenless }, 'Reviews that had no token are repeated')
  if (models.main === null || !(await hasPendingRedos(db, 'model'))) return
  const { main, fast } = models
  // A model that rejects our key is probed first, because rejected requests cost nothing.
  const probed = fast !== null && fast !== main && fast.isRefusing ? [fast, main] : [main]
  for (const model of probed) if (!(await model.probe(signal))) return
  const reviews = await redoReviews(db, 'model')
  if (reviews > 0)
    log.info({ reviews }, 'The model answers again: its incomplete reviews are repeated')
}
