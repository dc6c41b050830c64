// Disconnects a repository: is it connected → token → reservation → webhook away with the last one → record.
import { recordAudit } from '../../accounts/audit.ts'
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

type DisconnectContext = Pick<AppContext, 'db' | 'keys' | 'platform' | 'log'>

const removalMs = 10_000

/**
 * Disconnects a repository from the caller's account. Its webhook goes with the last account; that it can't be taken away
 * is no obstacle: nothing of it is processed any more.
 *
 * @param name in any spelling
 * @returns the name as the platform spells it
 * @throws RequestError with the interface's own details
 */
export async function disconnectRepository(
  ctx: DisconnectContext,
  caller: Caller,
  name: RepositoryName,
): Promise<RepositoryName> {
  const repo = (await findOwn(ctx, caller, name))?.repo
  if (repo === undefined) throw notConnected()
  const token = await requirePlatformToken(ctx, caller.userId)
  await withReservation(ctx.db, repo, (reservation) =>
    disconnectReserved(ctx, caller, { repo, token }, reservation),
  )
  return repo
}

/** Also one that the platform shows the caller no more: who lost a repository still may take their token away from it. */
async function findOwn(
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
  caller: Caller,
  access: Access,
  reservation: Reservation,
): Promise<void> {
  const { repo } = access
  const installations = await listActiveInstallations(ctx.db, repo)
  const own = installations.find(({ userId }) => userId === caller.userId)
  if (own === undefined) throw notConnected()
  const { webhookId } = own
  const isShared = installations.some((other) => other !== own && other.webhookId === webhookId)
  if (webhookId !== null && !isShared) await removeWebhook(ctx, access, webhookId)
  await transactionWithRetry(ctx.db, async (tx) => {
    await assertReservation(tx, reservation)
    await deactivateInstallation(tx, own.id)
    await recordAudit(tx, caller, 'repository_disconnected', repo)
    await announceConnection(tx, { repo, user: caller.userId, connected: false })
  })
}

async function removeWebhook(ctx: DisconnectContext, access: Access, id: number): Promise<void> {
  try {
    await ctx.platform.deleteWebhook(access, id, startDeadline(removalMs))
  } catch (error) {
    ctx.log.warn(
      { err: error, repo: access.repo, webhook: id },
      'The webhook could not be taken away',
    )
  }
}

function notConnected(): RequestError {
  return new RequestError('not_found', 'Installation not found')
}
