// Stores deliveries: events, the last known state of pull requests, and the work that they request,
// in one transaction. Deliveries that arrive together are committed together. A merge also requests
// a scan; deliveries to the App connect and disconnect repositories, and request other work.
import { findWebhookSecrets, type WebhookSecrets } from '../accounts/installations.ts'
import { findApp } from '../accounts/platform-apps.ts'
import { readAppWebhookSecrets } from '../accounts/webhook-secrets.ts'
import { listMentionedNames } from '../commands/mentioned-names.ts'
import { isKnowledgeEnabled } from '../config/config.ts'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import { isDatabaseUnavailable } from '../db/database-errors.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import {
  duplicateKey,
  insertEvents,
  type NewEvent,
  pullRequestOf,
  savePullRequests,
  saveUnconfirmedPullRequests,
} from '../events/events.ts'
import type { UnusedReason } from '../events/unused-deliveries.ts'
import { createBatcher } from '../lib/batcher.ts'
import type { Delivery } from '../platforms/platform.ts'
import type { AppInstallationChange } from '../platforms/platform-app.ts'
import { type DeliveredRequest, savePlatformRequests } from '../work/platform-requests.ts'
import { findScannedRepositories, requestScan } from '../work/scans.ts'
import { enqueue, type WorkSubject } from '../work/work-items.ts'
import { chooseWork } from './commanding/choose-work.ts'
import { applyInstallationChange } from './connecting/apply-installation-change.ts'
import type { DeliveryLedger } from './delivery-ledger.ts'

type Acceptance =
  | { readonly status: 'received'; readonly eventId: number; readonly eventType: string }
  | { readonly status: 'duplicate_skipped' }
  | Ignored

/** Nothing is stored: nobody asked for this repository's deliveries, or for this kind. */
interface Ignored {
  readonly status: 'ignored'
  readonly reason: 'disconnected' | 'irrelevant'
}

export type Admission =
  | {
      readonly status: 'admitted'
      readonly delivery: Delivery
      /** Whether its signature was verified. */
      readonly isChecked: boolean
    }
  | (Ignored & { readonly delivery: Delivery; readonly isChecked: boolean })
  | {
      readonly status: 'refused'
      readonly reason: 'invalid_signature' | 'from_web_page' | 'too_large' | 'malformed'
      /** With which `accept` rejects. */
      readonly error: Error
    }

export interface DeliverySecrets extends WebhookSecrets {
  /** Of the App; none if there is no App, and for deliveries to webhooks of repositories. */
  readonly app: readonly string[]
}

/** Decides by the secrets whether to accept a delivery. */
type Admit = (secrets: DeliverySecrets) => Admission

export interface DeliveryIntake {
  /**
   * Looks up the secrets, calls `admit`, and stores what it admits. Resolves after the commit.
   * Rejects with the error of a refusal, with `database_disk_full` when the disk is nearly full, or
   * with `not_configured` for a delivery to the App whose secrets can't be decrypted.
   *
   * @param addressee its `repo` is null if the delivery names none
   */
  accept(addressee: Addressee, admit: Admit): Promise<Acceptance>
}

interface Addressee {
  readonly repo: RepositoryName | null
  /** Whether it was sent to the App, and not to a webhook of the repository. */
  readonly isForApp: boolean
}

/** They request a review with every webhook; `DeliveryReader.startsReview` says what else does. */
const reviewedActions = new Set(['opened', 'synchronize'])

interface IntakeContext extends Pick<AppContext, 'db' | 'keys' | 'platform' | 'config'> {
  /** Throws UmpireDatabaseError when too little space is left to store events. */
  readonly checkSpace: () => void
  /** Records what leads to no event. */
  readonly ledger: Pick<DeliveryLedger, 'note'>
}

export function createDeliveryIntake(input: IntakeContext): DeliveryIntake {
  const acceptInBatch = createBatcher<PendingDelivery, Acceptance>({
    maxSize: 256,
    concurrency: 1,
    run: (pending) => acceptBatch(input, pending),
    isShared: isDatabaseUnavailable,
  })
  return { accept: (addressee, admit) => acceptInBatch({ ...addressee, admit }) }
}

interface PendingDelivery extends Addressee {
  readonly admit: Admit
}

async function acceptBatch(
  ctx: IntakeContext,
  pending: readonly PendingDelivery[],
): Promise<(Acceptance | Error)[]> {
  const secrets = await findWebhookSecrets(
    ctx.db,
    pending.map(({ repo }) => repo),
  )
  const isAnyForApp = pending.some(({ isForApp }) => isForApp)
  const { id } = ctx.platform
  const app = isAnyForApp ? await readAppWebhookSecrets(ctx.db, ctx.keys, id) : []
  const names = listMentionedNames(ctx.config, isAnyForApp ? await findApp(ctx.db, id) : undefined)
  const answers = pending.map((one, index) => {
    const known = secrets[index] as WebhookSecrets
    if (one.isForApp && app === null) return secretsLost()
    return decide(ctx, one, { ...known, app: (one.isForApp && app) || [] }, names)
  })
  const admitted = answers.filter((answer) => 'eventType' in answer)
  const stored = admitted.length === 0 ? [] : await storeEvents(ctx, admitted)
  return answers.map((answer) => ('eventType' in answer ? (stored.shift() as Acceptance) : answer))
}

/** Unlike a refusal, it lets the host send the delivery again once the secret key is restored. */
function secretsLost(): Error {
  const message = "The secret key does not open the App's secrets; see umpire doctor"
  return new RequestError('not_configured', message)
}

/** An event, and what else a delivery to the App changes. */
interface AdmittedEvent extends NewEvent {
  readonly installationChange: AppInstallationChange | null
  readonly platformRequest: Pick<DeliveredRequest, 'request' | 'work'> | null
}

function decide(
  ctx: IntakeContext,
  { admit, repo, isForApp }: PendingDelivery,
  secrets: DeliverySecrets,
  names: readonly string[],
): AdmittedEvent | Ignored | Error {
  try {
    const admission = admit(secrets)
    if (admission.status === 'refused') {
      noteRefusal(ctx.ledger, admission.reason, { repo, secrets })
      return admission.error
    }
    if (admission.status === 'ignored') return ignore(ctx.ledger, admission, admission.reason)
    const isConnected = secrets.active.length > 0
    return readEvent(ctx, admission, { isConnected, isForApp, names })
  } catch (error) {
    return error as Error
  }
}

function readEvent(
  { platform, ledger }: IntakeContext,
  admission: Admission & { status: 'admitted' },
  {
    isConnected,
    isForApp,
    names,
  }: { isConnected: boolean; isForApp: boolean; names: readonly string[] },
): AdmittedEvent | Ignored {
  // Anybody can send a delivery that isn't signed, in anybody's name.
  const hookReader = admission.isChecked ? platform.hookReader : null
  const reader = isForApp ? platform.apps : hookReader
  const request = reader?.readRequest(admission.delivery) ?? null
  const platformRequest = request && chooseWork(request, names)
  if (platformRequest === 'nothing') return ignore(ledger, admission, 'irrelevant')
  const startsReview = reader?.startsReview(admission.delivery) ?? false
  const event = describeEvent(platform.id, admission, { isConnected, startsReview })
  return {
    ...event,
    installationChange:
      (isForApp && platform.apps?.readInstallationChange(admission.delivery)) || null,
    platformRequest,
  }
}

/** Keeps nothing of it but the name of a connected repository, in lower case. */
function noteRefusal(
  ledger: IntakeContext['ledger'],
  reason: UnusedReason,
  { repo, secrets }: { repo: RepositoryName | null; secrets: WebhookSecrets },
): void {
  const isKnown = secrets.active.length + secrets.inactive.length > 0
  ledger.note({ reason, repo: (isKnown && repo?.toLowerCase()) || null, verified: null })
}

function ignore(
  ledger: IntakeContext['ledger'],
  { delivery, isChecked }: { readonly delivery: Delivery; readonly isChecked: boolean },
  reason: Ignored['reason'],
): Ignored {
  const { deliveryId, repo, pullRequest } = delivery
  const prNumber = pullRequest?.number ?? null
  const verified = { deliveryId, eventType: nameEvent(delivery), prNumber }
  ledger.note(isChecked ? { reason, repo, verified } : { reason, repo: null, verified: null })
  return { status: 'ignored', reason }
}

const nameEvent = ({ event, action }: Delivery) => (action === null ? event : `${event}.${action}`)

function describeEvent(
  source: string,
  { delivery, isChecked }: Admission & { status: 'admitted' },
  { isConnected, startsReview }: { isConnected: boolean; startsReview: boolean },
): NewEvent {
  const { action, repo, pullRequest } = delivery
  const isPush = delivery.hasPullRequest && reviewedActions.has(action ?? '')
  const requestsReview = isPush || (startsReview && pullRequest?.state === 'open')
  const error = requestsReview ? findObstacle(delivery) : null
  const wantsReview = requestsReview && error === null
  return {
    source,
    deliveryId: delivery.deliveryId,
    eventType: nameEvent(delivery),
    repo,
    pullRequest,
    isChecked,
    payload: isChecked || isConnected ? delivery.payload : describeReadFields(delivery),
    wantsReview,
    isDeduplicated: isPush && wantsReview,
    error,
    repeats: 0,
  }
}

/** Why a review can't be made of a delivery that requests one; null if it can. */
function findObstacle({ repo, pullRequest }: Delivery): string | null {
  if (repo === null)
    return 'The payload names no repository: repository.full_name must be owner/repo.'
  if (pullRequest === null)
    return 'pull_request.number must be a whole number from 1 to 2147483647.'
  return null
}

/** Limits what is stored of deliveries that nobody could verify. */
const maxUnverifiedCharacters = 1000

function describeReadFields({ parsedFields }: Delivery): string {
  return JSON.stringify(parsedFields, (_key, value) =>
    typeof value === 'string' ? value.slice(0, maxUnverifiedCharacters) : value,
  )
}

/** The statements don't depend on each other's results, so they are sent together. */
async function storeEvents(
  ctx: IntakeContext,
  events: readonly AdmittedEvent[],
): Promise<Acceptance[]> {
  const firstOf = mergeRepeats(events)
  const firsts = [...new Set(firstOf.values())]
  ctx.checkSpace()
  const stored = await transactionWithRetry(ctx.db, async (tx) => {
    const results = await Promise.all([
      savePullRequests(tx, events),
      saveUnconfirmedPullRequests(tx, events),
      insertEvents(tx, firsts),
      // The work of a duplicate is in the queue already.
      enqueue(tx, listReviews(firsts)),
      isKnowledgeEnabled(ctx.config) && requestScansOfMerged(tx, events),
      savePlatformRequests(tx, listPlatformRequests(events)),
    ])
    for (const { installationChange: change } of events) {
      if (change !== null) await applyInstallationChange(tx, ctx, change)
    }
    return results
  })
  const idOf = new Map(firsts.map((event, index) => [event, stored[2][index]]))
  const answered = new Set<NewEvent>()
  return events.map((event): Acceptance => {
    const first = firstOf.get(event) as NewEvent
    const eventId = answered.has(first) ? undefined : idOf.get(first)
    answered.add(first)
    if (eventId !== undefined) return { status: 'received', eventId, eventType: event.eventType }
    noteDuplicate(ctx, event)
    return { status: 'duplicate_skipped' }
  })
}

function noteDuplicate({ ledger }: IntakeContext, event: NewEvent): void {
  const { deliveryId, eventType, isChecked, repo, pullRequest } = event
  const verified = { deliveryId, eventType, prNumber: pullRequest?.number ?? null }
  const reason = 'duplicate'
  ledger.note(isChecked ? { reason, repo, verified } : { reason, repo: null, verified: null })
}

/**
 * Maps each event to the first event that it duplicates, or to itself; the first one counts the
 * others.
 */
function mergeRepeats(events: readonly NewEvent[]): Map<NewEvent, NewEvent> {
  const groups = Map.groupBy(events, (event) =>
    event.isDeduplicated ? duplicateKey(event) : event,
  )
  return new Map(
    [...groups.values()].flatMap((group) => {
      const first: NewEvent = { ...(group[0] as NewEvent), repeats: group.length - 1 }
      return group.map((event) => [event, first] as const)
    }),
  )
}

/** Requests scans of the repositories that were merged into and scanned before. */
async function requestScansOfMerged(tx: Db, events: readonly NewEvent[]): Promise<void> {
  const repos = new Set(events.filter(isMerge).map(({ repo }) => repo))
  const scanned = await findScannedRepositories(tx, [...repos] as RepositoryName[])
  // The order is fixed because scans are locked in it: another order could deadlock.
  for (const repo of scanned.sort()) await requestScan(tx, repo, { evenIfRunning: true })
}

function isMerge({ eventType, repo, pullRequest }: NewEvent): boolean {
  return repo !== null && eventType === 'pull_request.closed' && pullRequest?.state === 'merged'
}

function listPlatformRequests(events: readonly AdmittedEvent[]): DeliveredRequest[] {
  return events.flatMap(({ source, deliveryId, repo, platformRequest }) =>
    repo === null || platformRequest === null
      ? []
      : [{ source, deliveryId, repo, ...platformRequest }],
  )
}

/** The requested reviews, each pull request once. */
function listReviews(events: readonly NewEvent[]): WorkSubject[] {
  const refs = events.filter((event) => event.wantsReview).map(pullRequestOf)
  const byKey = new Map(
    refs.filter((ref) => ref !== null).map((ref) => [`${ref.repo}#${ref.number}`, ref]),
  )
  return [...byKey.values()].map((ref) => ({ kind: 'review', ...ref }))
}
