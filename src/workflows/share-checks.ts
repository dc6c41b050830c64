// Keeps the checks of commits right that are the head of several pull requests.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { requestVerdictUpdate } from '../events/review-requests.ts'
import { hasWaitingEvents, lockPullRequest } from '../work/runs.ts'
import { findOutdatedChecks, findSharer } from '../work/shared-heads.ts'

/**
 * Leaves the check of a head to another open pull request that has it, whose verdict is decided
 * again.
 *
 * @returns false if there is none
 */
export async function passCheckOn(
  { db }: Pick<AppContext, 'db'>,
  ref: PullRequestRef,
  headSha: string,
): Promise<boolean> {
  const sharer = await findSharer(db, ref, headSha)
  if (sharer === undefined) return false
  await requestCheck(db, sharer)
  return true
}

/** Requests that checks are written again which no longer show what decides them. */
export async function updateSharedChecks({ db, log }: Pick<AppContext, 'db' | 'log'>) {
  for (const ref of await findOutdatedChecks(db)) {
    await requestCheck(db, ref)
    log.info({ ...ref }, 'The check is written again, because of another pull request')
  }
}

async function requestCheck(db: AppContext['db'], ref: PullRequestRef): Promise<void> {
  await transactionWithRetry(db, async (tx) => {
    const state = await lockPullRequest(tx, ref)
    // The end of a review that waits or is under way writes the check too.
    if (state === 'open' && !(await hasWaitingEvents(tx, ref))) await requestVerdictUpdate(tx, ref)
  })
}
