// Connects and disconnects the repositories of the App's installations, as the host reports them.
import {
  endAppConnections,
  findAppConnectedName,
  removeAppInstallation,
  saveAppInstallation,
} from '../../accounts/app-installations.ts'
import { recordAudit } from '../../accounts/audit.ts'
import { joinAppInstallation, listActiveInstallations } from '../../accounts/installations.ts'
import { ensureOperator, operatorLogin } from '../../accounts/operator.ts'
import { findUserByPlatformId } from '../../accounts/users.ts'
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { announceConnection } from '../../events/listing.ts'
import { renameReviews } from '../../events/split-reviews.ts'
import type { AppInstallationChange, AppRepository } from '../../platforms/platform-app.ts'
import { saveConnection } from './save-connection.ts'

type ChangeContext = Pick<AppContext, 'config' | 'platform'>

/**
 * Applies the change in the caller's transaction. Doing that twice changes nothing more.
 *
 * @param seenSince since when the host confirmed that the installation exists; null for a delivery
 */
export async function applyInstallationChange(
  tx: Db,
  ctx: ChangeContext,
  change: AppInstallationChange,
  seenSince: Date | null = null,
): Promise<void> {
  switch (change.kind) {
    case 'changed': {
      const id = await saveAppInstallation(tx, ctx.platform.id, change.installation, seenSince)
      if (id === undefined) return
      await disconnectAppRepositories(
        tx,
        id,
        change.removed.map((removed) => removed.id),
      )
      const user = await findInstaller(tx, ctx, change.senderId)
      for (const added of change.added) await connect(tx, ctx, { added, id, user })
      return
    }
    case 'deleted': {
      const id = await removeAppInstallation(tx, ctx.platform.id, change.installationId)
      if (id !== undefined) await disconnectAppRepositories(tx, id, null)
      return
    }
    case 'renamed':
      return rename(tx, ctx, change)
  }
}

/** Disconnects repositories of an installation that have no webhook; null for all of them. */
export async function disconnectAppRepositories(
  tx: Db,
  appInstallationId: number,
  platformRepoIds: readonly string[] | null,
): Promise<void> {
  for (const { repo, ...user } of await endAppConnections(tx, appInstallationId, platformRepoIds)) {
    await recordAudit(tx, user, 'repository_disconnected', repo)
    await announceConnection(tx, { repo, user: user.userId, connected: false })
  }
}

interface Installer {
  readonly userId: number
  readonly login: string
}

/** The account of the person who installed the App, or the operator's if they never signed in. */
async function findInstaller(
  tx: Db,
  { platform }: ChangeContext,
  senderId: string | null,
): Promise<Installer> {
  const sender =
    senderId === null ? undefined : await findUserByPlatformId(tx, platform.id, senderId)
  if (sender !== undefined) return sender
  const { id, login } = await ensureOperator(tx)
  return { userId: id, login }
}

/**
 * Connects a repository to the installer's account. Connections that people made before join the
 * installation, and keep their webhook; one of them is enough if the installer never signed in.
 */
async function connect(
  tx: Db,
  ctx: ChangeContext,
  { added, id, user }: { added: AppRepository; id: number; user: Installer },
): Promise<void> {
  const connected = (await listActiveInstallations(tx, added.repo)).filter(
    ({ platformRepoId }) => (platformRepoId ?? added.id) === added.id,
  )
  if (connected.length > 0) {
    const ids = connected.map((one) => one.id)
    await joinAppInstallation(tx, ids, { appInstallationId: id, platformRepoId: added.id })
  }
  const isConnected = connected.some(({ userId }) => userId === user.userId)
  if (isConnected || (connected.length > 0 && user.login === operatorLogin)) return
  await saveConnection(tx, ctx.config, {
    user,
    repo: added.repo,
    platformRepoId: added.id,
    webhook: null,
    appInstallationId: id,
  })
}

/** Connects a renamed repository under its new name, to the same account and with its reviews. */
async function rename(
  tx: Db,
  ctx: ChangeContext,
  { installationId, repository }: AppInstallationChange & { kind: 'renamed' },
): Promise<void> {
  const installation = { source: ctx.platform.id, platformId: installationId }
  const known = await findAppConnectedName(tx, installation, repository.id)
  if (known === undefined || known.repo === repository.repo) return
  const { appInstallationId: id, user } = known
  await connect(tx, ctx, { added: repository, id, user })
  await renameReviews(tx, { from: known.repo, to: repository.repo })
}
