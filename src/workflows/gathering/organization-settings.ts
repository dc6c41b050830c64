// Reads the settings that the repositories of an organization or account inherit.
import { siblingOf } from '../../contract/repository-name.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { settingsPath } from '../../domain/repository-settings.ts'
import { createTtlCache } from '../../lib/ttl-cache.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { Access, Platform } from '../../platforms/platform.ts'
import { createPlatformSnapshot } from './platform-snapshot.ts'
import { readSettingsIn, type SettingsFile } from './read-settings.ts'

const cacheMs = 60_000
const maxCached = 1000
const readTimeoutMs = 30_000

export interface OrganizationSettings {
  /**
   * Returns the settings that a repository inherits; null if there are none that its token can
   * read. They may be a minute old.
   *
   * @throws PlatformError if the platform doesn't answer: a review waits then, because without
   *   these settings it could let more pass
   */
  read(access: Access): Promise<SettingsFile | null>
}

interface OrganizationContext {
  readonly platform: Platform
  /** Returns access to another repository of the same owner, for reading only. */
  readonly openSibling: (access: Access, repo: RepositoryName) => Promise<Access>
}

export function createOrganizationSettings(ctx: OrganizationContext): OrganizationSettings {
  const getCached = createTtlCache<SettingsFile | null>(maxCached)
  return {
    async read(access) {
      const [owner] = access.repo.split('/') as [string]
      // What one token can read isn't used for another. Those of the App are renewed.
      const reader = access.appSlug === undefined ? access.token : `app ${access.appSlug}`
      const file = await getCached(`${owner.toLowerCase()} ${reader}`, async () => ({
        value: await findFile(ctx, access),
        ttlMs: cacheMs,
      }))
      const isOwn = file?.repo?.toLowerCase() === access.repo.toLowerCase()
      return file === null || isOwn ? null : withholdInstructions(ctx, access, file)
    },
  }
}

async function findFile(ctx: OrganizationContext, access: Access): Promise<SettingsFile | null> {
  for (const name of ctx.platform.settingsRepositories) {
    const file = await readFile(ctx, access, siblingOf(access.repo, name))
    if (file !== null) return file
  }
  return null
}

async function readFile(
  { platform, openSibling }: OrganizationContext,
  access: Access,
  repo: RepositoryName,
): Promise<SettingsFile | null> {
  // Other reviews wait for this result, so it doesn't end with the review that asked first.
  const signal = startDeadline(readTimeoutMs)
  try {
    const sibling = await openSibling(access, repo)
    const found = await platform.getRepository(sibling, signal)
    // Platforms redirect to repositories that were transferred, possibly to another owner.
    if (found.repo.toLowerCase() !== repo.toLowerCase()) return null
    const tip = createPlatformSnapshot(platform, sibling, found.defaultBranch, signal)
    const file = await readSettingsIn(tip, '')
    return file && { ...file, repo: found.repo, isVisible: !found.private }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error
    if (error.code === 'platform_not_found') return null
    return refused(repo, error)
  }
}

/** The platform refused for good, so that waiting would not help. */
function refused(repo: RepositoryName, { message }: PlatformError): SettingsFile {
  return {
    repo,
    path: settingsPath,
    directory: '',
    given: {},
    isVisible: false,
    problems: [`it could not be read: ${message}`],
    withheld: [],
  }
}

/**
 * A model that reviews a pull request could repeat its instructions. In a public repository, anyone
 * can open one and ask for that, so those of a private repository don't apply there.
 */
async function withholdInstructions(
  { platform }: OrganizationContext,
  access: Access,
  file: SettingsFile,
): Promise<SettingsFile> {
  const { instructions, ...given } = file.given
  if (file.isVisible || !instructions || !(await platform.isPublic(access))) return file
  return { ...file, given, withheld: ['instructions'] }
}
