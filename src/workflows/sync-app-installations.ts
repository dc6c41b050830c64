// Compares the App's installations with the connections here, in case deliveries were lost.
import {
  type InstalledRepository,
  listAppInstallations,
  listInstalledRepositories,
} from '../accounts/app-installations.ts'
import { readApp } from '../accounts/platform-apps.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { PlatformError } from '../domain/errors.ts'
import type {
  AppInstallation,
  AppInstallationChange,
  AppRepository,
  PlatformApps,
} from '../platforms/platform-app.ts'
import { applyInstallationChange } from './connecting/apply-installation-change.ts'

type SyncContext = Pick<AppContext, 'config' | 'db' | 'keys' | 'platform' | 'log'>

/** The state here is read first: what is connected meanwhile isn't taken for removed. */
export async function syncAppInstallations(ctx: SyncContext, signal: AbortSignal): Promise<void> {
  const { apps, id: source } = ctx.platform
  const app = apps === null ? undefined : await readApp(ctx.db, ctx.keys, source)
  if (apps === null || app === undefined) return
  const known = await listAppInstallations(ctx.db, source)
  const connected = await listInstalledRepositories(ctx.db, source)
  try {
    const installations = await apps.listInstallations(app, signal)
    for (const { platformId } of known) {
      const isGone = installations.every(({ id }) => id !== platformId)
      if (isGone) await apply(ctx, { kind: 'deleted', installationId: platformId })
    }
    for (const installation of installations) {
      const listed = await listRepositories(apps, app, installation, signal)
      const own = connected.filter(({ platformId }) => platformId === installation.id)
      const difference = listed === null ? noDifference : compare(listed, own)
      await apply(ctx, { kind: 'changed', installation, senderId: null, ...difference })
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn({ err: error }, "The App's installations could not be read")
  }
}

/** Null for a suspended installation, whose repositories can't be read. */
async function listRepositories(
  apps: PlatformApps,
  app: Parameters<PlatformApps['listInstallationRepositories']>[0],
  { id, isSuspended }: AppInstallation,
  signal: AbortSignal,
): Promise<readonly AppRepository[] | null> {
  return isSuspended ? null : apps.listInstallationRepositories(app, id, signal)
}

interface Difference {
  readonly added: readonly AppRepository[]
  readonly removed: readonly Pick<AppRepository, 'id'>[]
}

const noDifference: Difference = { added: [], removed: [] }

/** A repository that a person disconnected stays disconnected. */
function compare(
  listed: readonly AppRepository[],
  connected: readonly InstalledRepository[],
): Difference {
  const listedIds = new Set(listed.map(({ id }) => id))
  const knownIds = new Set(connected.map(({ repositoryId }) => repositoryId))
  const removed = connected.filter(
    ({ repositoryId, isActive }) => isActive && !listedIds.has(repositoryId),
  )
  return {
    added: listed.filter(({ id }) => !knownIds.has(id)),
    removed: removed.map(({ repositoryId: id }) => ({ id })),
  }
}

async function apply(ctx: SyncContext, change: AppInstallationChange): Promise<void> {
  await transactionWithRetry(ctx.db, (tx) => applyInstallationChange(tx, ctx, change))
}
