// Accepts a delivery: duplicate check, event, the pull request's last known state and the wake-up, all in one
// transaction. Deliveries that arrive together are committed together.
import { findWebhookSecrets, type WebhookSecrets } from '../accounts/installations.ts'
import type { Db } from '../db/database.ts'
import { isDatabaseUnavailable } from '../db/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import {
  duplicateKey,
  findDuplicates,
  insertEvents,
  type NewEvent,
  pullRequestOf,
  savePullRequests,
} from '../events/events.ts'
import type { WakeUps } from '../jobs/queue.ts'
import { createBatcher } from '../lib/batcher.ts'
import type { Delivery } from '../platforms/platform.ts'

/** What became of a delivery. */
export type Acceptance =
  | { readonly status: 'received'; readonly eventId: number; readonly eventType: string }
  | { readonly status: 'duplicate_skipped' }

/** The receiver's way to the database. */
export interface DeliveryIntake {
  secretsOf(repo: string): Promise<WebhookSecrets>
  /** Resolves after the commit. */
  accept(delivery: Delivery): Promise<Acceptance>
}

const reviewedActions = new Set(['opened', 'synchronize'])

/** Makes the intake of a platform's deliveries. */
export function createDeliveryIntake(input: { db: Db; source: string; wakeUps: WakeUps }): DeliveryIntake {
  const { db, source, wakeUps } = input
  const acceptInBatch = createBatcher<NewEvent, Acceptance>({
    maxSize: 64,
    concurrency: 1,
    run: (events) => storeEvents(db, wakeUps, events),
    isShared: isDatabaseUnavailable,
  })
  const lookUpInBatch = createBatcher<string, WebhookSecrets>({
    maxSize: 256,
    concurrency: 1,
    run: (repos) => findWebhookSecrets(db, repos),
    isShared: () => true,
  })
  return {
    secretsOf: lookUpInBatch,
    accept: (delivery) => acceptInBatch(describeEvent(source, delivery)),
  }
}

function describeEvent(source: string, delivery: Delivery): NewEvent {
  return {
    source,
    delivery,
    eventType: delivery.action === null ? delivery.event : `${delivery.event}.${delivery.action}`,
    wantsReview: delivery.repo !== null && delivery.pullRequest !== null && reviewedActions.has(delivery.action ?? ''),
  }
}

async function storeEvents(db: Db, wakeUps: WakeUps, events: readonly NewEvent[]): Promise<Acceptance[]> {
  return db.transaction().execute(async (tx) => {
    await savePullRequests(tx, events)
    const taken = await findDuplicates(tx, events)
    const fresh = events.filter((event) => {
      if (!event.wantsReview) return true
      const key = duplicateKey(event)
      if (taken.has(key)) return false
      taken.add(key)
      return true
    })
    const ids = await insertEvents(tx, fresh)
    await wakeUps.wake(tx, distinctPullRequests(fresh))
    const idOf = new Map(fresh.map((event, index) => [event, ids[index] as number]))
    return events.map((event): Acceptance => {
      const eventId = idOf.get(event)
      return eventId === undefined
        ? { status: 'duplicate_skipped' }
        : { status: 'received', eventId, eventType: event.eventType }
    })
  })
}

function distinctPullRequests(events: readonly NewEvent[]): PullRequestRef[] {
  const refs = events.filter((event) => event.wantsReview).map(pullRequestOf)
  return [...new Map(refs.filter((ref) => ref !== null).map((ref) => [`${ref.repo}#${ref.number}`, ref])).values()]
}
