// Dismisses and reopens findings in the name of a user with write access, and requests a new
// verdict.
import { type Actor, recordAudit } from '../../accounts/audit.ts'
import { findScope } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { RequestHosts } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'
import type { Dismissal, DismissalKind } from '../../domain/finding.ts'
import type { PullRequestRef, PullRequestState } from '../../domain/pull-request.ts'
import {
  type DismissibleFinding,
  deleteDismissal,
  readDismissibleFinding,
  saveDismissal,
} from '../../events/dismissals.ts'
import { findEventPullRequest, requestVerdictUpdate } from '../../events/review-requests.ts'
import { lockPullRequest } from '../../work/runs.ts'
import { requireWriteAccess } from '../connecting/require-write-access.ts'
import { refreshStates } from './refresh-states.ts'

interface DismissContext {
  readonly db: Db
  readonly hosts: RequestHosts
}

interface FindingTarget {
  /** It is the id of an event of the pull request. */
  readonly id: number
  readonly fingerprint: string
}

interface DismissRequest extends FindingTarget {
  readonly reason: string
  readonly kind: DismissalKind | null
}

interface DismissResult extends Pick<Dismissal, 'login' | 'reason' | 'kind'> {
  /** The event that requests a new verdict; null if nothing changed. */
  readonly eventId: number | null
}

/**
 * Dismissing a dismissed finding changes nothing: the result names the first user. But where its
 * thread was resolved, which gives no reason, the dismissal with a reason replaces that.
 *
 * @param signal ends the requests to the platform
 * @throws RequestError `not_found`, `access_denied`, `not_authenticated`, `conflict`,
 *   `platform_failed`
 */
export async function dismissFinding(
  ctx: DismissContext,
  caller: Caller,
  { reason, kind, ...target }: DismissRequest,
  signal: AbortSignal,
): Promise<DismissResult> {
  const { fingerprint } = target
  return changeFinding(ctx, caller, target, signal, (tx, held) =>
    dismissHeldFinding(tx, caller, held, { fingerprint, reason, kind }),
  )
}

/**
 * Dismisses a finding in the name of a person who may. Call it under the pull request's lock.
 *
 * @throws RequestError `conflict`
 */
export async function dismissHeldFinding(
  tx: Db,
  { userId, login }: Actor,
  { ref, finding, state }: HeldFinding,
  { fingerprint, reason, kind }: Omit<DismissRequest, 'id'>,
): Promise<DismissResult> {
  const { dismissal, reopened } = finding
  if (dismissal?.via === 'api') {
    const { via, ...first } = dismissal
    return { ...first, eventId: null }
  }
  if (finding.state === 'resolved') {
    throw new RequestError('conflict', 'The finding is resolved: nothing is left to dismiss')
  }
  if (state !== 'open') {
    throw new RequestError('conflict', `It is ${state}: nothing is left to dismiss`)
  }
  await saveDismissal(tx, ref, { fingerprint, reopened, login, reason, kind })
  const subject = `${ref.repo}#${ref.number} ${fingerprint}`
  await recordAudit(tx, { userId, login }, 'finding_dismissed', subject)
  return { login, reason, kind, eventId: await requestVerdict(tx, ref) }
}

/**
 * Reopens a finding that was dismissed on the page or through the API.
 *
 * @returns the event that requests a new verdict
 * @throws RequestError like `dismissFinding`
 */
export async function reopenFinding(
  ctx: DismissContext,
  caller: Caller,
  target: FindingTarget,
  signal: AbortSignal,
): Promise<number | null> {
  return changeFinding(ctx, caller, target, signal, async (tx, { ref, finding, state }) => {
    if (finding.dismissal?.via === 'thread') {
      const message = 'It was dismissed by resolving its conversation: open that again instead'
      throw new RequestError('conflict', message)
    }
    if (finding.dismissal === null)
      throw new RequestError('conflict', 'The finding is not dismissed')
    if (state !== 'open') {
      throw new RequestError('conflict', `It is ${state}: nothing is left to decide`)
    }
    const { fingerprint } = target
    await deleteDismissal(tx, ref, fingerprint)
    await recordAudit(tx, caller, 'finding_reopened', `${ref.repo}#${ref.number} ${fingerprint}`)
    return requestVerdict(tx, ref)
  })
}

/** The finding and its pull request, locked for the transaction. */
interface HeldFinding {
  readonly ref: PullRequestRef
  readonly state: PullRequestState | undefined
  readonly finding: DismissibleFinding
}

async function changeFinding<Result>(
  ctx: DismissContext,
  caller: Caller,
  { id, fingerprint }: FindingTarget,
  signal: AbortSignal,
  change: (tx: Db, held: HeldFinding) => Promise<Result>,
): Promise<Result> {
  const ref = await findEventPullRequest(ctx.db, await findScope(ctx.db, caller), id)
  if (ref === undefined) throw new RequestError('not_found', 'Review not found')
  await requireWriteAccess(ctx.hosts.of(ref.repo), caller, ref.repo, signal)
  await refreshStates(ctx, { userId: caller.userId, pullRequests: [ref] }, signal)
  return transactionWithRetry(ctx.db, async (tx) => {
    const state = await lockPullRequest(tx, ref)
    const finding = await readDismissibleFinding(tx, ref, fingerprint)
    if (finding === undefined) throw new RequestError('not_found', 'Finding not found')
    return change(tx, { ref, state, finding })
  })
}

async function requestVerdict(tx: Db, ref: PullRequestRef): Promise<number | null> {
  return (await requestVerdictUpdate(tx, ref)) ?? null
}
