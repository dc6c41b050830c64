// Saves a new connection of a repository, and requests a scan.
import { recordAudit } from '../../accounts/audit.ts'
import {
  endOutdatedInstallations,
  findLastConnectedRepositoryId,
  insertInstallation,
  type Webhook,
} from '../../accounts/installations.ts'
import { isKnowledgeEnabled } from '../../config/config.ts'
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { announceConnection } from '../../events/listing.ts'
import { splitReviews } from '../../events/split-reviews.ts'
import { deleteScanAndKnowledge } from '../../knowledge/delete-repository-knowledge.ts'
import { findScannedRepositoryId, requestScan, saveScannedRepositoryId } from '../../work/scans.ts'

interface NewConnection {
  readonly user: { readonly userId: number; readonly login: string }
  readonly repo: RepositoryName
  readonly platformRepoId: string
  /** Null if the App receives the deliveries. */
  readonly webhook: Webhook | null
  /** Null if no installation of the App contains the repository. */
  readonly appInstallationId: number | null
}

/**
 * Saves a connection in the caller's transaction and returns its id. The knowledge of a former
 * repository with this name is deleted, and its reviews are moved away. Connections of this
 * repository under a former name end.
 */
export async function saveConnection(
  tx: Db,
  config: AppContext['config'],
  { user, repo, platformRepoId, webhook, appInstallationId }: NewConnection,
): Promise<number> {
  const formerId = await findFormerRepositoryId(tx, { repo, platformRepoId })
  if (formerId !== undefined) {
    await deleteScanAndKnowledge(tx, repo)
    await splitReviews(tx, { repo, formerId, platformRepoId })
  }
  for (const outdated of await endOutdatedInstallations(tx, { repo, platformRepoId })) {
    await announceConnection(tx, {
      repo: outdated.repo,
      user: outdated.userId,
      connected: false,
    })
  }
  const { userId } = user
  const minutes = config.accessCheckMinutes
  const id = await insertInstallation(tx, {
    userId,
    repo,
    platformRepoId,
    webhook,
    appInstallationId,
    minutes,
  })
  await recordAudit(tx, user, 'repository_connected', repo)
  await announceConnection(tx, { repo, user: userId, connected: true })
  // A running scan may be about to end because no connection was left.
  if (isKnowledgeEnabled(config)) await requestScan(tx, repo, { evenIfRunning: true })
  await saveScannedRepositoryId(tx, { repo, platformRepoId }, { isNew: formerId !== undefined })
  return id
}

/** Finds the id of a former repository with this name, by its last scan or connection. */
async function findFormerRepositoryId(
  tx: Db,
  { repo, platformRepoId }: { repo: RepositoryName; platformRepoId: string },
): Promise<string | undefined> {
  const known =
    (await findScannedRepositoryId(tx, repo)) ?? (await findLastConnectedRepositoryId(tx, repo))
  return known === null || known === platformRepoId ? undefined : known
}
