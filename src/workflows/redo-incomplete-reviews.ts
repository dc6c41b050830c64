// Requests reviews again that a closed pull request or an unavailable model left incomplete.
import type { AppContext } from '../context.ts'
import { dropExhaustedRedos, hasPendingRedos, redoReviews } from '../jobs/redo-reviews.ts'

/**
 * Runs one round. The model is probed only while reviews wait for it, so that it costs nothing
 * otherwise; a refused key keeps them waiting until it is accepted again.
 */
export async function redoIncompleteReviews(
  { db, notifications, models, log }: Pick<AppContext, 'db' | 'notifications' | 'models' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await dropExhaustedRedos(db)
  const reopened = await redoReviews(db, notifications, 'reopened')
  if (reopened > 0) log.info({ reviews: reopened }, 'Reopened pull requests are reviewed again')
  if (models.main === null || !(await hasPendingRedos(db, 'model'))) return
  const { main, fast } = models
  // A refusing model is probed first, because a refused request costs nothing.
  const probed = fast !== null && fast !== main && fast.isRefusing ? [fast, main] : [main]
  for (const model of probed) if (!(await model.probe(signal))) return
  const reviews = await redoReviews(db, notifications, 'model')
  if (reviews > 0)
    log.info({ reviews }, 'The model answers again: its incomplete reviews are repeated')
}
