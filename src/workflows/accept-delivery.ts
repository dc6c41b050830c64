// Accepts a delivery: duplicate check, event, the pull request's last known state and the wake-up, all in one
// transaction. Deliveries that arrive together are committed together. A merge asks for a scan, too.
import { findWebhookSecrets, type WebhookSecrets } from '../accounts/installations.ts'
import type { Db } from '../db/database.ts'
import { isDatabaseUnavailable } from '../db/errors.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import { duplicateKey, insertEvents, type NewEvent, pullRequestOf, savePullRequests } from '../events/events.ts'
import type { WakeUps } from '../jobs/queue.ts'
import { findScanned, requestScan } from '../jobs/scans.ts'
import { createBatcher } from '../lib/batcher.ts'
import type { Delivery } from '../platforms/platform.ts'

/** What became of a delivery. */
export type Acceptance =
  | { readonly status: 'received'; readonly eventId: number; readonly eventType: string }
  | { readonly status: 'duplicate_skipped' }
  /** Nothing was stored, as the caller decided. */
  | { readonly status: 'refused' | 'ignored' }

/** Decides by a repository's webhook secrets whether a delivery may come in. */
export type Admission = (secrets: WebhookSecrets) => 'admitted' | 'refused' | 'ignored'

/** The receiver's way to the database. */
export interface DeliveryIntake {
  /** Looks up the repository's secrets, asks `admission`, and stores what is admitted. Resolves after the commit. */
  accept(delivery: Delivery, admission: Admission): Promise<Acceptance>
}

const reviewedActions = new Set(['opened', 'synchronize'])

/** What the intake writes to. */
interface IntakeContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  /** Whether what is known of repositories follows what is merged into them. */
  readonly scansMerges: boolean
}

/** Makes the intake of a platform's deliveries. */
export function createDeliveryIntake(input: IntakeContext & { source: string }): DeliveryIntake {
  const { source } = input
  const acceptInBatch = createBatcher<Applicant, Acceptance>({
    maxSize: 256,
    concurrency: 1,
    run: (applicants) => acceptBatch(input, applicants),
    isShared: isDatabaseUnavailable,
  })
  return {
    accept: (delivery, admission) => acceptInBatch({ event: describeEvent(source, delivery), admission }),
  }
}

interface Applicant {
  readonly event: NewEvent
  readonly admission: Admission
}

async function acceptBatch(ctx: IntakeContext, applicants: readonly Applicant[]): Promise<Acceptance[]> {
  const secrets = await findWebhookSecrets(
    ctx.db,
    applicants.map(({ event }) => event.delivery.repo),
  )
  const answers = applicants.map(({ admission }, index) => admission(secrets[index] as WebhookSecrets))
  const admitted = applicants.filter((_, index) => answers[index] === 'admitted').map(({ event }) => event)
  const stored = admitted.length === 0 ? [] : await storeEvents(ctx, admitted)
  return answers.map((answer) => (answer === 'admitted' ? (stored.shift() as Acceptance) : { status: answer }))
}

function describeEvent(source: string, delivery: Delivery): NewEvent {
  return {
    source,
    delivery,
    eventType: delivery.action === null ? delivery.event : `${delivery.event}.${delivery.action}`,
    wantsReview: delivery.repo !== null && delivery.pullRequest !== null && reviewedActions.has(delivery.action ?? ''),
    repeats: 0,
  }
}

/** The statements don't wait for each other's answers, so they are sent at once. */
async function storeEvents(ctx: IntakeContext, events: readonly NewEvent[]): Promise<Acceptance[]> {
  const firstOf = mergeRepeats(events)
  const firsts = [...new Set(firstOf.values())]
  const stored = await transactionWithRetry(ctx.db, (tx) =>
    Promise.all([
      savePullRequests(tx, events),
      insertEvents(tx, firsts),
      // A wake-up too many, for a duplicate, finds nothing to do.
      ctx.wakeUps.reviews.wake(tx, distinctPullRequests(firsts)),
      ctx.scansMerges && scanMerged(tx, ctx.wakeUps, events),
    ]),
  )
  const idOf = new Map(firsts.map((event, index) => [event, stored[1][index]]))
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
async function scanMerged(tx: Db, wakeUps: WakeUps, events: readonly NewEvent[]): Promise<void> {
  const repos = new Set(events.filter(({ delivery }) => isMerge(delivery)).map(({ delivery }) => delivery.repo))
  const known = await findScanned(tx, [...repos] as RepositoryName[])
  // Always in the same order, as they are locked.
  for (const repo of known.sort()) await requestScan(tx, wakeUps, repo, { evenIfRunning: true })
}

function isMerge({ event, action, repo, pullRequest }: Delivery): boolean {
  return repo !== null && event === 'pull_request' && action === 'closed' && pullRequest?.state === 'merged'
}

function distinctPullRequests(events: readonly NewEvent[]): PullRequestRef[] {
  const refs = events.filter((event) => event.wantsReview).map(pullRequestOf)
  return [...new Map(refs.filter((ref) => ref !== null).map((ref) => [`${ref.repo}#${ref.number}`, ref])).values()]
}
