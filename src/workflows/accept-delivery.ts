// Accepts a delivery: duplicate check, event, the pull request's last known state and the wake-up, all in one
// transaction. Deliveries that arrive together are committed together. A merge asks for a scan, too.
import { findWebhookSecrets, type WebhookSecrets } from '../accounts/installations.ts'
import type { Db } from '../db/database.ts'
import { isDatabaseUnavailable } from '../db/database-errors.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import {
  duplicateKey,
  insertEvents,
  type NewEvent,
  pullRequestOf,
  savePullRequests,
  saveUnconfirmedPullRequests,
} from '../events/events.ts'
import type { Notifications } from '../jobs/queue.ts'
import { findScannedRepositories, requestScan } from '../jobs/scans.ts'
import { createBatcher } from '../lib/batcher.ts'
import type { Delivery } from '../platforms/platform.ts'

/** What became of a delivery. */
export type Acceptance =
  | { readonly status: 'received'; readonly eventId: number; readonly eventType: string }
  | { readonly status: 'duplicate_skipped' }
  /** Nothing was stored, as the caller decided. */
  | { readonly status: 'ignored' }

/** What the caller decides about a delivery. */
export type Admission =
  | {
      readonly status: 'admitted'
      readonly delivery: Delivery
      /** Whether its signature was checked. */
      readonly isChecked: boolean
    }
  | { readonly status: 'ignored' }

/** Decides by a repository's webhook secrets whether a delivery may come in. Throws for one that may not. */
export type Admit = (secrets: WebhookSecrets) => Admission

/** The receiver's way to the database. */
export interface DeliveryIntake {
  /**
   * Looks up the repository's secrets, asks `admit`, and stores what is admitted. Resolves after the commit; rejects with
   * what `admit` threw, and with DatabaseFault `database_disk_full` where there is no space to store it.
   */
  accept(repo: RepositoryName | null, admit: Admit): Promise<Acceptance>
}

const reviewedActions = new Set(['opened', 'synchronize'])

/** What the intake writes to. */
interface IntakeContext {
  readonly db: Db
  /** The platform's id. */
  readonly source: string
  /** Throws DatabaseFault where hardly any space is left to store events. */
  readonly checkSpace: () => void
  readonly notifications: Notifications
  /** Whether what is known of repositories follows what is merged into them. */
  readonly scansMerges: boolean
}

/** Makes the intake of a platform's deliveries. */
export function createDeliveryIntake(input: IntakeContext): DeliveryIntake {
  const acceptInBatch = createBatcher<Applicant, Acceptance>({
    maxSize: 256,
    concurrency: 1,
    run: (applicants) => acceptBatch(input, applicants),
    isShared: isDatabaseUnavailable,
  })
  return { accept: (repo, admit) => acceptInBatch({ repo, admit }) }
}

interface Applicant {
  readonly repo: RepositoryName | null
  readonly admit: Admit
}

async function acceptBatch(
  ctx: IntakeContext,
  applicants: readonly Applicant[],
): Promise<(Acceptance | Error)[]> {
  const secrets = await findWebhookSecrets(
    ctx.db,
    applicants.map(({ repo }) => repo),
  )
  const answers = applicants.map(({ admit }, index) =>
    decide(ctx, admit, secrets[index] as WebhookSecrets),
  )
  const admitted = answers.filter((answer) => 'eventType' in answer)
  const stored = admitted.length === 0 ? [] : await storeEvents(ctx, admitted)
  return answers.map((answer) => ('eventType' in answer ? (stored.shift() as Acceptance) : answer))
}

function decide(
  { source }: IntakeContext,
  admit: Admit,
  secrets: WebhookSecrets,
): NewEvent | { readonly status: 'ignored' } | Error {
  try {
    const admission = admit(secrets)
    if (admission.status === 'ignored') return admission
    return describeEvent(source, admission, secrets.active.length > 0)
  } catch (error) {
    return error as Error
  }
}

function describeEvent(
  source: string,
  { delivery, isChecked }: Admission & { status: 'admitted' },
  isConnected: boolean,
): NewEvent {
  const { event, action, repo, pullRequest } = delivery
  const asksForReview = delivery.hasPullRequest && reviewedActions.has(action ?? '')
  return {
    source,
    deliveryId: delivery.deliveryId,
    eventType: action === null ? event : `${event}.${action}`,
    repo,
    pullRequest,
    isChecked,
    payload: isChecked || isConnected ? delivery.payload : describeReadFields(delivery),
    wantsReview: asksForReview && repo !== null && pullRequest !== null,
    error: asksForReview ? findObstacle(delivery) : null,
    repeats: 0,
  }
}

/** Why a delivery that asks for a review can't have one; null where it can. */
function findObstacle({ repo, pullRequest }: Delivery): string | null {
  if (repo === null)
    return 'The payload names no repository: repository.full_name must be owner/repo.'
  if (pullRequest === null)
    return 'pull_request.number must be a whole number from 1 to 2147483647.'
  return null
}

/** What strangers send is kept no longer than it is of use. */
const maxKeptCharacters = 1000

function describeReadFields({ parsedFields: readFields }: Delivery): string {
  return JSON.stringify(readFields, (_key, value) =>
    typeof value === 'string' ? value.slice(0, maxKeptCharacters) : value,
  )
}

/** The statements don't wait for each other's answers, so they are sent at once. */
async function storeEvents(ctx: IntakeContext, events: readonly NewEvent[]): Promise<Acceptance[]> {
  const firstOf = mergeRepeats(events)
  const firsts = [...new Set(firstOf.values())]
  ctx.checkSpace()
  const stored = await transactionWithRetry(ctx.db, (tx) =>
    Promise.all([
      savePullRequests(tx, events),
      saveUnconfirmedPullRequests(tx, events),
      insertEvents(tx, firsts),
      // A wake-up too many, for a duplicate, finds nothing to do.
      ctx.notifications.reviews.notify(tx, distinctPullRequests(firsts)),
      ctx.scansMerges && scanMerged(tx, ctx.notifications, events),
    ]),
  )
  const idOf = new Map(firsts.map((event, index) => [event, stored[2][index]]))
  const answered = new Set<NewEvent>()
  return events.map((event): Acceptance => {
    const first = firstOf.get(event) as NewEvent
    const eventId = answered.has(first) ? undefined : idOf.get(first)
    answered.add(first)
    return eventId === undefined
      ? { status: 'duplicate_skipped' }
      : { status: 'received', eventId, eventType: event.eventType }
  })
}

/** For each event the first of those that it is a duplicate of, or itself, which counts the others. */
function mergeRepeats(events: readonly NewEvent[]): Map<NewEvent, NewEvent> {
  const groups = Map.groupBy(events, (event) => (event.wantsReview ? duplicateKey(event) : event))
  return new Map(
    [...groups.values()].flatMap((group) => {
      const first: NewEvent = { ...(group[0] as NewEvent), repeats: group.length - 1 }
      return group.map((event) => [event, first] as const)
    }),
  )
}

/** What was merged changes what is known of a repository, if anything is. */
async function scanMerged(
  tx: Db,
  notifications: Notifications,
  events: readonly NewEvent[],
): Promise<void> {
  const repos = new Set(events.filter(isMerge).map(({ repo }) => repo))
  const known = await findScannedRepositories(tx, [...repos] as RepositoryName[])
  // Always in the same order, as they are locked.
  for (const repo of known.sort())
    await requestScan(tx, notifications, repo, { evenIfRunning: true })
}

function isMerge({ eventType, repo, pullRequest }: NewEvent): boolean {
  return repo !== null && eventType === 'pull_request.closed' && pullRequest?.state === 'merged'
}

function distinctPullRequests(events: readonly NewEvent[]): PullRequestRef[] {
  const refs = events.filter((event) => event.wantsReview).map(pullRequestOf)
  return [
    ...new Map(
      refs.filter((ref) => ref !== null).map((ref) => [`${ref.repo}#${ref.number}`, ref]),
    ).values(),
  ]
}
