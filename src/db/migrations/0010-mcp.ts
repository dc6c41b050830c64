// The records that MCP clients ask for: the newest reviews of a repository, whatever the spelling of its name.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index workflow_runs_recent on workflow_runs (lower(repo), created_at desc, id desc)
    include (repo, status)
    where workflow_type = 'pr_review'`.execute(db)
}
