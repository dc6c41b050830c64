// Answers labels and requests for reviewers: they request a review, or pause or resume reviews.
import { type Actor, findActor, recordAudit } from '../accounts/audit.ts'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { permitsWriting } from '../platforms/permits-writing.ts'
import { lockPullRequest } from '../work/runs.ts'
import { type Claim, finish } from '../work/work-items.ts'
import type { ChosenAccess } from './choose-access.ts'
import { includesName } from './decide-skip.ts'
import { createPlatformSnapshot } from './gathering/platform-snapshot.ts'
import { readSettings } from './gathering/read-settings.ts'
import { endLabelPause, pausePullRequest } from './pause-pull-request.ts'
import { nameOf, requestReview } from './request-review.ts'

type Action = Extract<PlatformRequest, { subject: string }>

interface ActionTask {
  readonly claim: Claim
  readonly access: ChosenAccess
  readonly request: Action
  readonly signal: AbortSignal
}

/** What an action means; null for most labels and accounts. */
type Meaning =
  | { readonly kind: 'review' | 'resume' }
  /** A label, by the settings of this base branch. */
  | { readonly kind: 'pause'; readonly baseBranch: string }
  | null

/**
 * Does what an action means, if its sender may write to the repository. To end a pause skips
 * nothing, so that everybody may who can remove the label.
 */
export async function answerPullRequestAction(ctx: AppContext, task: ActionTask): Promise<void> {
  const { claim, access, request, signal } = task
  const ref = { repo: claim.repo, number: request.number }
  const meaning = await readMeaning(ctx, task)
  if (meaning === null) return transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
  const { login } = request.sender
  const isAllowed =
    meaning.kind === 'resume' ||
    permitsWriting(await ctx.platform.getPermission(access, login, signal))
  await transactionWithRetry(ctx.db, async (tx) => {
    const person = await findActor(tx, ctx.platform.id, request.sender)
    if ((await lockPullRequest(tx, ref)) === 'open') {
      if (isAllowed) await apply(tx, ref, person, meaning)
      else await recordAudit(tx, person, 'request_refused', nameOf(ref))
    }
    await finish(tx, claim)
  })
  const fields = { ...ref, login, isAllowed, request: meaning.kind }
  ctx.log.info(fields, 'A request at a pull request ended')
}

async function readMeaning(
  ctx: AppContext,
  { access, request: { kind, number, subject }, signal }: ActionTask,
): Promise<Meaning> {
  if (kind === 'reviewer_requested')
    return (await isOurAccount(ctx, subject, signal)) ? { kind: 'review' } : null
  const { base, labels } = await ctx.platform.getPullRequest(access, number, signal)
  const snapshot = createPlatformSnapshot(ctx.platform, access, base.sha, signal)
  const settings = await readSettings(snapshot, await ctx.organizationSettings.read(access))
  // A later delivery says what holds now.
  const isPresent = includesName(labels, subject)
  if (isPresent !== (kind === 'labeled')) return null
  const { label, skip } = settings.reviews
  if (includesName(skip.labels, subject))
    return isPresent ? { kind: 'pause', baseBranch: base.branch } : { kind: 'resume' }
  return isPresent && includesName([label], subject) ? { kind: 'review' } : null
}

/** Apps can't be requested as reviewers, so it is the account of the deployment-wide token. */
async function isOurAccount(
  { platform, config }: AppContext,
  login: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { token } = config.fallback
  return token !== null && includesName([login], (await platform.getViewer(token, signal)).login)
}

async function apply(
  tx: Db,
  ref: PullRequestRef,
  person: Actor,
  meaning: NonNullable<Meaning>,
): Promise<void> {
  if (meaning.kind === 'pause') return pausePullRequest(tx, ref, person, meaning.baseBranch)
  const request = meaning.kind === 'review' ? requestReview : endLabelPause
  await request(tx, ref, person)
}
