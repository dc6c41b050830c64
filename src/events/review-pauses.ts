// Stores who paused the reviews of a pull request.
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/** Pauses the reviews of a pull request. Call it under the pull request's lock. */
export async function pauseReviews(tx: Db, ref: PullRequestRef, login: string): Promise<void> {
  await setPausedBy(tx, ref, login)
}

/** Ends a pause, if there is one. Call it under the pull request's lock. */
export async function resumeReviews(tx: Db, ref: PullRequestRef): Promise<void> {
  await setPausedBy(tx, ref, null)
}

/** Returns the login of the person who paused the reviews; null if nobody did. */
export async function readPausedBy(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<string | null> {
  const row = await db
    .selectFrom('pullRequests')
    .select('pausedBy')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.pausedBy ?? null
}

async function setPausedBy(
  tx: Db,
  { repo, number }: PullRequestRef,
  pausedBy: string | null,
): Promise<void> {
  await tx
    .updateTable('pullRequests')
    .set({ pausedBy })
    .where('repo', '=', repo)
    .where('number', '=', number)
    .execute()
}
