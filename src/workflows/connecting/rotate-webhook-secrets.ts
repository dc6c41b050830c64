// Replaces the secret of a repository's webhook or of the App's, without losing a delivery.
//
// The platform can't take part in a transaction. So the next secret is stored and accepted before
// the platform gets it, and the former one is accepted for days after that. Whenever this stops,
// what the platform signs with is accepted, and repeating it continues with the same next secret.
import { recordAudit } from '../../accounts/audit.ts'
import { listActiveInstallations } from '../../accounts/installations.ts'
import { readApp } from '../../accounts/platform-apps.ts'
import { assertReservation, withReservation } from '../../accounts/reservations.ts'
import type { Caller } from '../../accounts/tokens.ts'
import {
  addNextAppSecret,
  addNextSecret,
  deleteNextAppSecret,
  deleteNextSecret,
  moveWebhook,
  type NextSecret,
  useNextAppSecret,
  useNextSecret,
} from '../../accounts/webhook-secrets.ts'
import type { AppContext } from '../../context.ts'
import { splitRepositoryName } from '../../contract/repository-name.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import { requirePlatformToken } from './require-platform-token.ts'

type RotationContext = Pick<AppContext, 'db' | 'keys' | 'userTokens' | 'platform'>

/** It is shorter than a reservation, so that no late request replaces a newer secret. */
const requestTimeoutMs = 20_000

/**
 * Replaces the secret of the webhook of a repository that the caller connected.
 *
 * @param name in any case
 * @param isLeaked whether the former secrets are refused at once
 * @returns the name in the platform's spelling
 * @throws RequestError `not_found` without a connection, `conflict` where the App receives the
 *   deliveries and during another change, and `platform_failed`
 */
export async function rotateWebhookSecret(
  ctx: RotationContext,
  caller: Caller,
  name: RepositoryName,
  isLeaked: boolean,
): Promise<RepositoryName> {
  const { repo } = await findOwnWebhook(ctx, caller, name)
  const token = await requirePlatformToken(ctx, caller.userId)
  await withReservation(ctx.db, repo, async (reservation) => {
    const webhook = await findOwnWebhook(ctx, caller, repo)
    const { secret, sent: newId } = await giveToPlatform(await addNextSecret(ctx.db, webhook), {
      send: (secret, signal) =>
        ctx.platform.setWebhookSecret({ repo, token }, { id: webhook.webhookId, secret }, signal),
      discard: () => deleteNextSecret(ctx.db, webhook),
    })
    await transactionWithRetry(ctx.db, async (tx) => {
      await assertReservation(tx, reservation)
      await useNextSecret(tx, webhook, { secret, acceptFormer: !isLeaked })
      await moveWebhook(tx, webhook, newId)
      await recordAudit(tx, caller, 'webhook_secret_rotated', repo)
    })
  })
  return repo
}

/** Finds hidden connections too: their webhook goes on delivering. */
async function findOwnWebhook(
  { db }: Pick<RotationContext, 'db'>,
  { userId }: Caller,
  name: RepositoryName,
): Promise<{ repo: RepositoryName; webhookId: number }> {
  const installations =
    splitRepositoryName(name) === undefined ? [] : await listActiveInstallations(db, name)
  const own = installations.find((installation) => installation.userId === userId)
  if (own === undefined) throw new RequestError('not_found', 'Installation not found')
  const { repo, webhookId } = own
  if (webhookId) return { repo, webhookId }
  throw new RequestError('conflict', 'The repository has no webhook of its own')
}

/**
 * Replaces the secret of the App's webhook. Only for administrators.
 *
 * @param isLeaked whether the former secrets are refused at once
 * @throws RequestError `access_denied`, `not_found` without an App, `conflict` during another
 *   rotation, and `platform_failed`
 */
export async function rotateAppWebhookSecret(
  ctx: RotationContext,
  caller: Caller,
  isLeaked: boolean,
): Promise<void> {
  if (!caller.isAdmin) throw new RequestError('access_denied', 'For administrators only')
  const { db, keys, platform } = ctx
  const { apps, id: source } = platform
  // No repository has a name without a slash.
  await withReservation(db, `app-of-${source}`, async (reservation) => {
    const app = await readApp(db, keys, source)
    const next = await addNextAppSecret(db, keys, source)
    if (apps === null || app === undefined || next === undefined) throw noApp()
    const { secret } = await giveToPlatform(next, {
      send: (secret, signal) => apps.setWebhookSecret(app, secret, signal),
      discard: () => deleteNextAppSecret(db, keys, source),
    })
    await transactionWithRetry(db, async (tx) => {
      await assertReservation(tx, reservation)
      const change = { secret, acceptFormer: !isLeaked }
      if (!(await useNextAppSecret(tx, keys, source, change))) throw noApp()
      await recordAudit(tx, caller, 'webhook_secret_rotated', app.name)
    })
  })
}

function noApp(): RequestError {
  return new RequestError('not_found', 'There is no App')
}

/** Sends the next secret. Discards it if the platform can't have it: otherwise it may use it. */
async function giveToPlatform<Sent>(
  { secret, isNew }: NextSecret,
  steps: {
    readonly send: (secret: string, signal: AbortSignal) => Promise<Sent>
    readonly discard: () => Promise<void>
  },
): Promise<{ secret: string; sent: Sent }> {
  try {
    return { secret, sent: await steps.send(secret, startDeadline(requestTimeoutMs)) }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (isNew && !error.retryable) await steps.discard()
    const message = `Failed to rotate webhook secret: ${error.message}`
    throw new RequestError('platform_failed', message, { cause: error })
  }
}
