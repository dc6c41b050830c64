// Connects a repository: check, token, permission, reservation, webhook, record and scan.
import { confirmAccess } from '../../accounts/access-checks.ts'
import { recordAudit } from '../../accounts/audit.ts'
import {
  type Installation,
  isWebhookStored,
  listActiveInstallations,
  type Webhook,
} from '../../accounts/installations.ts'
import {
  assertReservation,
  type Reservation,
  saveReservedWebhookSecret,
  withReservation,
} from '../../accounts/reservations.ts'
import { findConnectedRepository } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import { makeWebhookSecret } from '../../accounts/webhook-secrets.ts'
import type { AppContext } from '../../context.ts'
import { deliveryPath } from '../../contract/addresses.ts'
import { databaseErrorCode } from '../../db/database-errors.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { announceConnection } from '../../events/listing.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { Access, ListedRepository } from '../../platforms/platform.ts'
import { requirePlatformToken } from './require-platform-token.ts'
import { saveConnection } from './save-connection.ts'

type ConnectContext = Pick<AppContext, 'config' | 'db' | 'userTokens' | 'platform' | 'log'>

interface Attempt {
  readonly caller: Caller
  readonly access: Access
  readonly platformRepoId: string
  readonly reservation: Reservation
}

const lookupTimeoutMs = 20_000
/** The sum of these timeouts is shorter than a reservation. */
const webhookTimeoutMs = 40_000
const removalTimeoutMs = 10_000

/**
 * Connects a repository to the caller's account; the webhook of an earlier connection is shared. It
 * goes on even if the client disconnects.
 *
 * @param name in any case, or a former name
 * @returns the id of the connection, and the name in the platform's spelling
 * @throws RequestError with the details of the API's contract
 */
export async function connectRepository(
  ctx: ConnectContext,
  caller: Caller,
  name: RepositoryName,
): Promise<{ installationId: number; repo: RepositoryName }> {
  if ((await findConnectedRepository(ctx.db, caller, name)) !== undefined) throw alreadyConnected()
  const token = await requirePlatformToken(ctx, caller.userId)
  const { repo, id: platformRepoId } = await asRequestError(() =>
    findAdministered(ctx, { repo: name, token }),
  )
  const installationId = await withReservation(ctx.db, repo, (reservation) =>
    connectReserved(ctx, { caller, access: { repo, token }, platformRepoId, reservation }),
  )
  return { installationId, repo }
}

async function findAdministered(ctx: ConnectContext, access: Access): Promise<ListedRepository> {
  const repository = await ctx.platform.getRepository(access, startDeadline(lookupTimeoutMs))
  if (repository.admin) return repository
  throw new PlatformError('platform_forbidden', 'You need admin permission on the repository.')
}

async function connectReserved(ctx: ConnectContext, attempt: Attempt): Promise<number> {
  const { caller, access, platformRepoId } = attempt
  // Connections of a former repository with this name don't count.
  const installations = (await listActiveInstallations(ctx.db, access.repo)).filter(
    (installation) => (installation.platformRepoId ?? platformRepoId) === platformRepoId,
  )
  const own = installations.find(({ userId }) => userId === caller.userId)
  if (own?.isHidden) return restoreVisibility(ctx, caller, own)
  if (own !== undefined) throw alreadyConnected()
  const appInstallationId = findAppInstallationId(installations)
  if (appInstallationId !== null) return store(ctx, attempt, { webhook: null, appInstallationId })
  const { http, platform } = ctx.config
  const url = `${http.publicUrl}${deliveryPath(platform.name)}`
  const signal = startDeadline(webhookTimeoutMs)
  const shared = await asRequestError(() =>
    findSharedWebhook(ctx, access, { url, newest: installations[0] }, signal),
  )
  if (shared !== undefined) return store(ctx, attempt, { webhook: shared, appInstallationId })

  const secret = makeWebhookSecret()
  await saveReservedWebhookSecret(ctx.db, attempt.reservation, secret)
  const id = await asRequestError(() => ctx.platform.createWebhook(access, { url, secret }, signal))
  try {
    return await store(ctx, attempt, { webhook: { id, secret }, appInstallationId })
  } catch (error) {
    await removeUnstoredWebhook(ctx, access, id)
    throw error
  }
}

/** The App receives the deliveries of a repository that its installation contains. */
function findAppInstallationId(installations: readonly Installation[]): number | null {
  return installations.find((one) => one.appInstallationId !== null)?.appInstallationId ?? null
}

/** Makes a hidden connection visible: the platform shows the repository again, unnoticed so far. */
async function restoreVisibility(
  ctx: ConnectContext,
  caller: Caller,
  { id, repo }: Installation,
): Promise<number> {
  await transactionWithRetry(ctx.db, async (tx) => {
    await confirmAccess(tx, id)
    await recordAudit(tx, caller, 'access_regained', repo)
    await announceConnection(tx, { repo, user: caller.userId, connected: true })
  })
  return id
}

/** Returns the webhook that all earlier connections share, if it still exists. */
async function findSharedWebhook(
  ctx: ConnectContext,
  access: Access,
  { url, newest }: { url: string; newest: Installation | undefined },
  signal: AbortSignal,
): Promise<Webhook | undefined> {
  if (newest === undefined || newest.webhookId === null) return undefined
  const { webhookId: id, webhookSecret: secret } = newest
  return (await ctx.platform.hasWebhook(access, { id, url }, signal)) ? { id, secret } : undefined
}

/** Saves the connection with its webhook, or with the App's installation if there is no webhook. */
async function store(
  ctx: ConnectContext,
  { caller, access, platformRepoId, reservation }: Attempt,
  receiver: { webhook: Webhook | null; appInstallationId: number | null },
): Promise<number> {
  const { repo } = access
  try {
    return await transactionWithRetry(ctx.db, async (tx) => {
      await assertReservation(tx, reservation)
      return saveConnection(tx, ctx.config, { user: caller, repo, platformRepoId, ...receiver })
    })
  } catch (error) {
    const code = databaseErrorCode(error)
    if (code === '23505') throw alreadyConnected()
    // The user's account was deleted meanwhile.
    if (code === '23503')
      throw new RequestError('not_authenticated', 'Unauthorized', { cause: error })
    throw error
  }
}

/**
 * Deletes a webhook that could not be stored. If the database doesn't answer whether it was stored,
 * it stays: a connection without a webhook would be worse, and the next connection replaces it.
 */
async function removeUnstoredWebhook(
  ctx: ConnectContext,
  access: Access,
  id: number,
): Promise<void> {
  try {
    if (await isWebhookStored(ctx.db, access.repo, id)) return
    await ctx.platform.deleteWebhook(access, id, startDeadline(removalTimeoutMs))
  } catch (error) {
    ctx.log.warn(
      { err: error, repo: access.repo, webhook: id },
      'A webhook that could not be stored was not deleted either',
    )
  }
}

/** Turns the platform's errors into errors of the API's contract. */
async function asRequestError<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    throw new RequestError('platform_failed', `Failed to install webhook: ${error.message}`, {
      cause: error,
    })
  }
}

function alreadyConnected(): RequestError {
  return new RequestError('already_done', 'Repo already connected')
}
