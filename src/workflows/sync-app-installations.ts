// Compares the App's installations with the connections here, in case deliveries were lost.
import {
  type InstalledRepository,
  listAppInstallations,
  listInstalledRepositories,
} from '../accounts/app-installations.ts'
import { readApp } from '../accounts/platform-apps.ts'
import type { AppContext } from '../context.ts'
import { readClock } from '../db/read-clock.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { PlatformError } from '../domain/errors.ts'
import type {
  AppCredentials,
  AppInstallation,
  AppInstallationChange,
  AppRepository,
  PlatformApps,
} from '../platforms/platform-app.ts'
import { applyInstallationChange } from './connecting/apply-installation-change.ts'

type SyncContext = Pick<AppContext, 'config' | 'db' | 'keys' | 'platform' | 'log'>

interface Sync {
  readonly apps: PlatformApps
  readonly app: AppCredentials
  /** It is the database's time at its beginning. */
  readonly since: Date
  /** The repositories that were connected then. */
  readonly connected: readonly InstalledRepository[]
  readonly signal: AbortSignal
}

/** The state here is read first: what is connected meanwhile isn't taken for removed. */
export async function syncAppInstallations(ctx: SyncContext, signal: AbortSignal): Promise<void> {
  const { apps, id: source } = ctx.platform
  const app = apps === null ? undefined : await readApp(ctx.db, ctx.keys, source)
  if (apps === null || app === undefined) return
  const since = await readClock(ctx.db)
  const known = (await listAppInstallations(ctx.db, source)).map(({ platformId }) => platformId)
  const connected = await listInstalledRepositories(ctx.db, source)
  const sync = { apps, app, since, connected, signal }
  try {
    const listed = new Map(
      (await apps.listInstallations(app, signal)).map((one) => [one.id, one] as const),
    )
    for (const id of new Set([...known, ...listed.keys()])) {
      // The list may be outdated.
      const isExpected = known.includes(id) && listed.has(id)
      await syncInstallation(ctx, sync, { id, listed: isExpected ? listed.get(id) : undefined })
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn({ err: error }, "The App's installations could not be read")
  }
}

/** Throws what concerns other installations too. */
async function syncInstallation(
  ctx: SyncContext,
  sync: Sync,
  { id, listed }: { id: string; listed: AppInstallation | undefined },
): Promise<void> {
  const { apps, app, signal } = sync
  try {
    const installation = listed ?? (await apps.findInstallation(app, id, signal))
    if (installation === undefined) await apply(ctx, sync, { kind: 'deleted', installationId: id })
    else await compareRepositories(ctx, sync, installation)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError) || error.code === 'platform_rate_limited') throw error
    ctx.log.warn({ err: error, installation: id }, 'An installation of the App could not be read')
  }
}

async function compareRepositories(
  ctx: SyncContext,
  sync: Sync,
  installation: AppInstallation,
): Promise<void> {
  const { apps, app, signal } = sync
  const connected = sync.connected.filter(({ platformId }) => platformId === installation.id)
  // The repositories of a suspended installation can't be read.
  const { added, removed, renamed } = installation.isSuspended
    ? noDifference
    : compare(await apps.listInstallationRepositories(app, installation.id, signal), connected)
  await apply(ctx, sync, { kind: 'changed', installation, senderId: null, added, removed })
  for (const repository of renamed)
    await apply(ctx, sync, { kind: 'renamed', installationId: installation.id, repository })
}

interface Difference {
  readonly added: readonly AppRepository[]
  readonly removed: readonly Pick<AppRepository, 'id'>[]
  readonly renamed: readonly AppRepository[]
}

const noDifference: Difference = { added: [], removed: [], renamed: [] }

/** A repository that a person disconnected stays disconnected. */
function compare(
  listed: readonly AppRepository[],
  connected: readonly InstalledRepository[],
): Difference {
  const listedIds = new Set(listed.map(({ id }) => id))
  const known = new Map(connected.map(({ repositoryId, names }) => [repositoryId, names]))
  const removed = connected.filter(
    ({ repositoryId, names }) => names !== null && !listedIds.has(repositoryId),
  )
  const isRenamed = ({ id, repo }: AppRepository) =>
    known.get(id)?.includes(repo.toLowerCase()) === false
  return {
    added: listed.filter(({ id }) => !known.has(id)),
    removed: removed.map(({ repositoryId: id }) => ({ id })),
    renamed: listed.filter(isRenamed),
  }
}

async function apply(
  ctx: SyncContext,
  { since }: Sync,
  change: AppInstallationChange,
): Promise<void> {
  await transactionWithRetry(ctx.db, (tx) => applyInstallationChange(tx, ctx, change, since))
}
