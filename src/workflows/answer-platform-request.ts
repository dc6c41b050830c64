// Answers what somebody requested of the check on a commit: another review, dismissals of its minor
// findings, or the verdict on a commit of the merge queue. Passes on failures of reviews, and what
// labels and requests for reviewers mean.
import { type Actor, findActor, recordAudit } from '../accounts/audit.ts'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { listOpenMinorFindings, saveDismissal } from '../events/dismissals.ts'
import { listOpenPullRequestsAt, requestVerdictUpdate } from '../events/review-requests.ts'
import { permitsWriting } from '../platforms/permits-writing.ts'
import { listMergedAt, readPlatformRequest } from '../work/platform-requests.ts'
import { lockPullRequest } from '../work/runs.ts'
import { type Claim, finish } from '../work/work-items.ts'
import { answerComment } from './answer-comment.ts'
import { answerPullRequestAction } from './answer-pull-request-action.ts'
import { type ChosenAccess, withAccess } from './choose-access.ts'
import { nameOf, requestReview } from './request-review.ts'
import { showGroupVerdict } from './show-group-verdict.ts'
import { showFailure } from './show-progress.ts'

type PersonRequest = Extract<PlatformRequest, { kind: 'review' | 'dismiss_minor' }>

/** Answers the claimed request and finishes its work. Throws what stopped it. */
export async function answerPlatformRequest(
  ctx: AppContext,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const request = await readPlatformRequest(ctx.db, claim.number)
  if (request === undefined) return transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
  if (request.kind === 'comment') return answerComment(ctx, { claim, request, signal })
  const answer = async (access: ChosenAccess) => {
    switch (request.kind) {
      case 'review':
      case 'dismiss_minor':
        return answerPerson(ctx, { claim, access, request, signal })
      case 'merge_group':
        return showGroupVerdict(ctx, { claim, access, signal }, request)
      case 'failed_review':
        return showFailure(ctx, { claim, access, signal }, request)
      default:
        return answerPullRequestAction(ctx, { claim, access, request, signal })
    }
  }
  await withAccess(ctx, claim.repo, answer, signal)
}

/** Does what a person requested, if they may write to the repository. */
async function answerPerson(
  ctx: AppContext,
  task: { claim: Claim; access: ChosenAccess; request: PersonRequest; signal: AbortSignal },
): Promise<void> {
  const { claim, access, request, signal } = task
  const { kind, headSha, sender } = request
  const permission = await ctx.platform.getPermission(access, sender.login, signal)
  const mayWrite = permitsWriting(permission)
  await transactionWithRetry(ctx.db, async (tx) => {
    const person = await findActor(tx, ctx.platform.id, sender)
    const heads = await listOpenPullRequestsAt(tx, claim.repo, headSha)
    // The commit of a merge group isn't the head of a pull request.
    const refs = heads.length > 0 ? heads : await listMergedAt(tx, claim.repo, headSha)
    if (!mayWrite) {
      for (const ref of refs) await recordAudit(tx, person, 'request_refused', nameOf(ref))
    } else {
      const answer = kind === 'review' ? reviewAgain : dismissMinorFindings
      for (const ref of refs) await answer(tx, ref, person)
    }
    await finish(tx, claim)
  })
  const fields = { repo: claim.repo, request: kind, head: headSha, login: sender.login }
  if (mayWrite) ctx.log.info(fields, 'A request at a check was answered')
  else ctx.log.warn(fields, 'A request at a check was refused: its sender may not write')
}

async function reviewAgain(tx: Db, ref: PullRequestRef, person: Actor): Promise<void> {
  if ((await lockPullRequest(tx, ref)) === 'open') await requestReview(tx, ref, person)
}

const dismissalReason = 'Dismissed from the check'

async function dismissMinorFindings(tx: Db, ref: PullRequestRef, person: Actor): Promise<void> {
  if ((await lockPullRequest(tx, ref)) !== 'open') return
  const findings = await listOpenMinorFindings(tx, ref)
  if (findings.length === 0) return
  const { login } = person
  for (const { fingerprint, reopened } of findings) {
    const dismissal = { login, reason: dismissalReason, kind: null }
    await saveDismissal(tx, ref, { fingerprint, reopened, ...dismissal })
    await recordAudit(tx, person, 'finding_dismissed', `${nameOf(ref)} ${fingerprint}`)
  }
  await requestVerdictUpdate(tx, ref)
}
