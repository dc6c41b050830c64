// Asks the code host to send failed deliveries again, which it doesn't do by itself.
import { readApp } from '../accounts/platform-apps.ts'
import type { AppContext } from '../context.ts'
import { readClock } from '../db/read-clock.ts'
import { PlatformError } from '../domain/errors.ts'
import {
  claimAppRedelivery,
  findArrivedDeliveries,
  saveAppRedelivery,
} from '../events/failed-deliveries.ts'
import { type DueReconciliation, saveReconciliation } from '../events/reconciliations.ts'
import type { FailedDelivery } from '../platforms/platform-app.ts'
import type { ChosenAccess } from './choose-access.ts'

const hourMs = 3600_000
/** The host sends deliveries of the last three days again. */
const maxAgeMs = 72 * hourMs
/** Attempts to redeliver that failed too are in this time. */
const lookbackMs = hourMs
const maxAttempts = 4
/** Limits the calls of one look; the next one asks for the others. */
const maxRedeliveries = 100
/** With these the receiver refused a delivery; it would refuse it again. */
const refusals = new Set([400, 403, 413])

/** A webhook whose deliveries can be asked for. */
interface Webhook {
  /** Until when failed deliveries were asked for again; null if they never were. */
  readonly redeliveredUntil: Date | null
  list(since: Date): Promise<readonly FailedDelivery[]>
  redeliver(attemptId: string): Promise<void>
  save(redeliveredUntil: Date): Promise<void>
}

/** Asks again for the failed deliveries to the App, if a look at them is due. */
export async function redeliverToApp(ctx: AppContext, signal: AbortSignal): Promise<void> {
  const { apps, id: source } = ctx.platform
  const claim = await claimAppRedelivery(ctx.db, source, ctx.config.reconcileSeconds)
  if (apps === null || claim === undefined) return
  const app = await readApp(ctx.db, ctx.keys, source)
  if (app === undefined) return
  try {
    await redeliverFailed(ctx, {
      ...claim,
      list: (since) => apps.listFailedDeliveries(app, since, signal),
      redeliver: (attemptId) => apps.redeliver(app, attemptId, signal),
      save: (until) => saveAppRedelivery(ctx.db, source, until),
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn({ err: error }, 'The failed deliveries to the App could not be asked for again')
  }
}

/** Asks again for the failed deliveries to a repository's webhook, if the token permits that. */
export async function redeliverToWebhook(
  ctx: AppContext,
  hook: { access: ChosenAccess; webhookId: number; due: DueReconciliation },
  signal: AbortSignal,
): Promise<void> {
  const { access, webhookId, due } = hook
  try {
    await redeliverFailed(ctx, {
      redeliveredUntil: due.redeliveredUntil ?? due.connectedAt,
      list: (since) => ctx.platform.listFailedDeliveries(access, { webhookId, since }, signal),
      redeliver: (attemptId) => ctx.platform.redeliver(access, { webhookId, attemptId }, signal),
      save: (redeliveredUntil) => saveReconciliation(ctx.db, due.repo, { redeliveredUntil }),
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError)) throw error
    // Only administrators may ask; the comparison finds lost reviews without it.
    ctx.log.debug({ err: error, repo: due.repo }, 'Failed deliveries could not be asked for again')
  }
}

async function redeliverFailed(ctx: AppContext, webhook: Webhook): Promise<void> {
  const now = await readClock(ctx.db)
  const until = webhook.redeliveredUntil ?? now
  const since = new Date(Math.max(until.getTime() - lookbackMs, now.getTime() - maxAgeMs))
  const lost = await findLostDeliveries(ctx, await webhook.list(since), since)
  const asked = lost.slice(0, maxRedeliveries)
  let accepted = 0
  let failedAt: Date | undefined
  for (const one of asked) {
    const answer = await askAgain(webhook, one.attemptId)
    if (answer === 'accepted') accepted += 1
    if (answer === 'failed') failedAt ??= one.firstAt
  }
  const isAll = asked.length === lost.length
  // The next look asks again for those that failed.
  await webhook.save(failedAt ?? (isAll ? now : asked.at(-1)!.firstAt))
  if (accepted === 0) return
  ctx.metrics.lostDeliveries.inc({ recovery: 'redelivery' }, accepted)
  ctx.log.info({ deliveries: accepted }, 'Failed deliveries were asked for again')
}

interface LostDelivery {
  readonly attemptId: string
  readonly firstAt: Date
}

/** Returns the deliveries that never arrived and may succeed now, the oldest first. */
async function findLostDeliveries(
  { db }: AppContext,
  failed: readonly FailedDelivery[],
  since: Date,
): Promise<LostDelivery[]> {
  const attempts = Map.groupBy(failed, ({ deliveryId }) => deliveryId)
  const arrived = await findArrivedDeliveries(db, [...attempts.keys()], since)
  const lost = [...attempts].flatMap(([deliveryId, own]) => {
    const [newest] = own
    // Where the first attempt is older than the list, earlier looks asked often enough.
    const first = own.find(({ isRedelivery }) => !isRedelivery)
    const mayArrive = own.length < maxAttempts && !own.some(({ status }) => refusals.has(status))
    return newest !== undefined && first !== undefined && mayArrive && !arrived.has(deliveryId)
      ? [{ attemptId: newest.attemptId, firstAt: first.attemptedAt }]
      : []
  })
  return lost.sort((one, other) => one.firstAt.getTime() - other.firstAt.getTime())
}

type Answer = 'accepted' | 'refused' | 'failed'

/** These concern one delivery alone. The host may have forgotten it in the meantime. */
const answers: Readonly<Record<string, Answer>> = {
  platform_not_found: 'refused',
  platform_refused: 'refused',
  platform_unavailable: 'failed',
  platform_invalid_response: 'failed',
}

async function askAgain(webhook: Webhook, attemptId: string): Promise<Answer> {
  try {
    await webhook.redeliver(attemptId)
    return 'accepted'
  } catch (error) {
    const answer = error instanceof PlatformError ? answers[error.code] : undefined
    if (answer === undefined) throw error
    return answer
  }
}
