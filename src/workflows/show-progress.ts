// Shows on a commit that its review is in progress, or that it ended without one.
import type { AppContext } from '../context.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import type { ReviewProgress } from '../platforms/platform.ts'
import { assertCanWrite, type ClaimedRun } from '../work/runs.ts'
import type { ChosenAccess } from './choose-access.ts'
import { checkName, renderCheckProgress } from './posting/render-check.ts'
import { ensureCheckIfAllowed } from './publish-review.ts'

/** Replaces what the check shows. A platform that refuses it is only logged. */
export async function showProgress(
  ctx: AppContext,
  { run, access, signal }: { run: ClaimedRun; access: ChosenAccess; signal: AbortSignal },
  { head, url }: PullRequest,
  { state, text }: { state: ReviewProgress; text: string },
): Promise<void> {
  // A worker that was suspended must not overwrite the check of another worker.
  const beforeWrite = () => assertCanWrite(ctx.db, run, access)
  const check = { ...renderCheckProgress(state, text), name: checkName, beforeWrite }
  await ensureCheckIfAllowed(ctx, access, { ...check, sha: head.sha, url }, signal)
}
