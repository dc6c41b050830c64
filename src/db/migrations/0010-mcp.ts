// Adds the index for a repository's newest reviews in any spelling, which MCP clients request.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index workflow_runs_recent on workflow_runs (lower(repo), created_at desc, id desc)
    include (repo, status)
    where workflow_type = 'pr_review'`.execute(db)
}
