// Connected repositories: whose webhook secrets count, and with whose token a repository is read.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** The webhook secrets of one repository's installations. */
export interface WebhookSecrets {
  readonly active: readonly string[]
  readonly inactive: readonly string[]
}

const noSecrets: WebhookSecrets = { active: [], inactive: [] }

/**
 * Secrets of several repositories at once, in the order of `repos`; none for a delivery without a repository. Case makes
 * no difference, as at the platforms: another spelling is no way around a secret.
 */
export async function findWebhookSecrets(db: Db, repos: readonly (string | null)[]): Promise<WebhookSecrets[]> {
  const named = [...new Set(repos.flatMap((repo) => (repo === null ? [] : [repo.toLowerCase()])))]
  if (named.length === 0) return repos.map(() => noSecrets)
  const rows = await db
    .selectFrom('installations')
    .select(['webhook_secret', 'is_active'])
    .select(sql<string>`lower(repo_full_name)`.as('repo'))
    .where(sql<string>`lower(repo_full_name)`, '=', sql<string>`any(${named}::text[])`)
    .execute()
  const byRepo = Map.groupBy(rows, (row) => row.repo)
  return repos.map((repo) => {
    const own = (repo !== null && byRepo.get(repo.toLowerCase())) || []
    return {
      active: own.filter((row) => row.is_active).map((row) => row.webhook_secret),
      inactive: own.filter((row) => !row.is_active).map((row) => row.webhook_secret),
    }
  })
}
