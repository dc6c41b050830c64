// Asks again for reviews that a closed pull request or an absent model left undone.
import type { AppContext } from '../context.ts'
import { dropExhaustedRedos, hasPendingRedos, redoReviews } from '../jobs/redo-reviews.ts'

/**
 * One round. A model is probed only while reviews wait for it, so that it costs nothing otherwise. What a refused key
 * left undone waits until the key is accepted again.
 */
export async function redoIncompleteReviews(
  { db, notifications, models, log }: Pick<AppContext, 'db' | 'notifications' | 'models' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await dropExhaustedRedos(db)
  const reopened = await redoReviews(db, notifications, 'reopened')
  if (reopened > 0) log.info({ reviews: reopened }, 'Reopened pull requests are reviewed')
  if (models.main === null || !(await hasPendingRedos(db, 'model'))) return
  const { main, fast } = models
  // The one that refuses first: that question costs nothing.
  const asked = fast !== null && fast !== main && fast.isRefusing ? [fast, main] : [main]
  for (const model of asked) if (!(await model.probe(signal))) return
  const reviews = await redoReviews(db, notifications, 'model')
  if (reviews > 0)
    log.info({ reviews }, 'The model answers again: reviews that it left incomplete are done again')
}
