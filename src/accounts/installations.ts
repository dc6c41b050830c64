// Connected repositories: whose webhook secrets count, and with whose token a repository is read.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** The webhook secrets of one repository's installations. */
export interface WebhookSecrets {
  readonly active: readonly string[]
  readonly inactive: readonly string[]
}

/** Secrets of several repositories at once, in the order of `repos`. Names are compared exactly. */
export async function findWebhookSecrets(db: Db, repos: readonly string[]): Promise<WebhookSecrets[]> {
  const rows = await db
    .selectFrom('installations')
    .select(['repo_full_name', 'webhook_secret', 'is_active'])
    .where('repo_full_name', '=', sql<string>`any(${[...new Set(repos)]}::text[])`)
    .execute()
  return repos.map((repo) => {
    const own = rows.filter((row) => row.repo_full_name === repo)
    return {
      active: own.filter((row) => row.is_active).map((row) => row.webhook_secret),
      inactive: own.filter((row) => !row.is_active).map((row) => row.webhook_secret),
    }
  })
}
