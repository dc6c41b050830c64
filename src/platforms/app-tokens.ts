// Caches the tokens of the App's installations, each for one repository.
import { LRUCache } from 'lru-cache'
import type { AppCredentials, InstallationToken, PlatformApps } from './platform-app.ts'

/** A review must end before its token expires, so that a token is renewed long before that. */
const minRemainingMs = 30 * 60_000
/** Bounds memory: tokens of other repositories are created again. */
const maxTokens = 5000

interface InstalledRepository {
  readonly installationId: string
  readonly repositoryId: string
}

export interface AppTokens {
  /** Returns a token that is valid for a while. Concurrent calls for a repository share one. */
  get(app: AppCredentials, repository: InstalledRepository): Promise<string>
  /** Returns a token that can only read the files of a repository, which need not be connected. */
  getReader(
    app: AppCredentials,
    repository: { installationId: string; repositoryName: string },
  ): Promise<string>
  /** Forgets the token of a repository, because the host rejected it. */
  drop(app: AppCredentials, repository: InstalledRepository): void
}

/** The tokens are in memory only: they expire within the hour. */
export function createAppTokens(apps: PlatformApps): AppTokens {
  const tokens = new LRUCache<string, Promise<InstallationToken>>({ max: maxTokens })
  const keyOf = (app: AppCredentials, { installationId, repositoryId }: InstalledRepository) =>
    `${app.clientId} ${installationId} ${repositoryId}`
  const forget = (key: string, token: Promise<InstallationToken>) => {
    if (tokens.peek(key) === token) tokens.delete(key)
  }

  async function getCached(key: string, create: () => Promise<InstallationToken>) {
    const cached = tokens.get(key)
    if (cached !== undefined) {
      const { token, expiresAt } = await cached
      if (expiresAt.getTime() - Date.now() > minRemainingMs) return token
      forget(key, cached)
    }
    const current = tokens.get(key) ?? create()
    if (tokens.peek(key) !== current) {
      tokens.set(key, current)
      current.catch(() => forget(key, current))
    }
    return (await current).token
  }

  return {
    get: (app, repository) =>
      getCached(keyOf(app, repository), () => apps.createInstallationToken(app, repository)),
    getReader(app, repository) {
      const { installationId, repositoryName } = repository
      const key = `${app.clientId} ${installationId} read ${repositoryName}`
      return getCached(key, () => apps.createReadToken(app, repository))
    },
    drop: (app, repository) => void tokens.delete(keyOf(app, repository)),
  }
}
