// Disconnects a repository: check, token, reservation, deletion of an unshared webhook, record.
import { type Actor, recordAudit } from '../../accounts/audit.ts'
import {
  deactivateInstallation,
  type Installation,
  listActiveInstallations,
} from '../../accounts/installations.ts'
import {
  assertReservation,
  type Reservation,
  withReservation,
} from '../../accounts/reservations.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import { splitRepositoryName } from '../../contract/repository-name.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { announceConnection } from '../../events/listing.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { Access } from '../../platforms/platform.ts'
import { requirePlatformToken } from './require-platform-token.ts'

interface DisconnectContext extends Pick<AppContext, 'db' | 'userTokens' | 'platform' | 'log'> {
  /** Is called before the last connection of a repository ends, while its tokens still work. */
  readonly beforeLast: (repo: RepositoryName) => Promise<void>
}

const removalTimeoutMs = 10_000

/**
 * Disconnects a repository from the caller's account. Its webhook is deleted with the last
 * connection; a failure to delete it doesn't matter, because its deliveries are ignored.
 *
 * @param name in any case
 * @returns the name in the platform's spelling
 * @throws RequestError with the details of the API's contract
 */
export async function disconnectRepository(
  ctx: DisconnectContext,
  caller: Caller,
  name: RepositoryName,
): Promise<RepositoryName> {
  const own = await findOwnInstallation(ctx, caller, name)
  if (own === undefined) throw notConnected()
  const { repo } = own
  // The App's own connections need no token: the operator, who has some of them, has none.
  const token = own.webhookId === 0 ? null : await requirePlatformToken(ctx, caller.userId)
  await disconnectPerson(ctx, { actor: caller, userId: caller.userId, token }, repo)
  return repo
}

interface Disconnection {
  /** Who disconnects the repository. */
  readonly actor: Actor
  /** Whose connection it is. */
  readonly userId: number
  /** It is the person's token of the platform. Without one, the webhook stays. */
  readonly token: string | null
}

/**
 * Ends a person's connection of a repository.
 *
 * @returns whether a webhook that no connection uses any more is left
 * @throws RequestError `not_found` if there is no such connection
 */
export function disconnectPerson(
  ctx: DisconnectContext,
  disconnection: Disconnection,
  repo: RepositoryName,
): Promise<boolean> {
  return withReservation(ctx.db, repo, (reservation) =>
    disconnectReserved(ctx, { ...disconnection, repo }, reservation),
  )
}

/** Finds hidden connections too: users who lost access can still withdraw their token. */
async function findOwnInstallation(
  { db }: Pick<DisconnectContext, 'db'>,
  { userId }: Caller,
  name: RepositoryName,
): Promise<Installation | undefined> {
  if (splitRepositoryName(name) === undefined) return undefined
  return (await listActiveInstallations(db, name)).find(
    (installation) => installation.userId === userId,
  )
}

async function disconnectReserved(
  ctx: DisconnectContext,
  { repo, token, userId, actor }: Disconnection & { repo: RepositoryName },
  reservation: Reservation,
): Promise<boolean> {
  const installations = await listActiveInstallations(ctx.db, repo)
  const own = installations.find((installation) => installation.userId === userId)
  if (own === undefined) throw notConnected()
  if (installations.length === 1) await ctx.beforeLast(repo)
  const { webhookId } = own
  const isShared = installations.some((other) => other !== own && other.webhookId === webhookId)
  const isRemoved =
    !webhookId ||
    isShared ||
    (token !== null && (await removeWebhook(ctx, { repo, token }, webhookId)))
  await transactionWithRetry(ctx.db, async (tx) => {
    await assertReservation(tx, reservation)
    await deactivateInstallation(tx, own.id)
    await recordAudit(tx, actor, 'repository_disconnected', repo)
    await announceConnection(tx, { repo, user: userId, connected: false })
  })
  return !isRemoved
}

async function removeWebhook(ctx: DisconnectContext, access: Access, id: number): Promise<boolean> {
  try {
    await ctx.platform.deleteWebhook(access, id, startDeadline(removalTimeoutMs))
    return true
  } catch (error) {
    ctx.log.warn({ err: error, repo: access.repo, webhook: id }, 'The webhook could not be deleted')
    return false
  }
}

function notConnected(): RequestError {
  return new RequestError('not_found', 'Installation not found')
}
