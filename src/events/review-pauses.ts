// Stores who paused the reviews of a pull request.
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

interface Pause {
  /** The login of the person who paused the reviews. */
  readonly by: string
  /** It holds only while the pull request has this base; null if it holds for each. */
  readonly baseBranch: string | null
}

/** Pauses the reviews of a pull request. Call it under the pull request's lock. */
export async function pauseReviews(tx: Db, ref: PullRequestRef, pause: Pause): Promise<void> {
  const stored = await readPause(tx, ref)
  // It holds for this base, too.
  if (stored !== null && stored.baseBranch === null) return
  await setPause(tx, ref, pause)
}

/** Ends a pause, if there is one. Call it under the pull request's lock. */
export async function resumeReviews(tx: Db, ref: PullRequestRef): Promise<void> {
  await setPause(tx, ref, null)
}

/**
 * Returns the login of the person who paused the reviews; null if nobody did.
 *
 * @param baseBranch the base that the pull request has; null for pauses that hold for each
 */
export async function readPausedBy(
  db: Db,
  ref: PullRequestRef,
  baseBranch: string | null,
): Promise<string | null> {
  const pause = await readPause(db, ref)
  if (pause === null) return null
  return pause.baseBranch === null || pause.baseBranch === baseBranch ? pause.by : null
}

export async function readPause(db: Db, { repo, number }: PullRequestRef): Promise<Pause | null> {
  const row = await db
    .selectFrom('pullRequests')
    .select(['pausedBy', 'pausedBaseBranch'])
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  if (row === undefined || row.pausedBy === null) return null
  return { by: row.pausedBy, baseBranch: row.pausedBaseBranch }
}

async function setPause(
  tx: Db,
  { repo, number }: PullRequestRef,
  pause: Pause | null,
): Promise<void> {
  await tx
    .updateTable('pullRequests')
    .set({ pausedBy: pause?.by ?? null, pausedBaseBranch: pause?.baseBranch ?? null })
    .where('repo', '=', repo)
    .where('number', '=', number)
    .execute()
}
