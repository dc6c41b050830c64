// Which repository what is known belongs to, and a history of memories that can be cut.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scans add column platform_repo_id text`.execute(db)
  await sql`
    update scans set platform_repo_id = (
      select platform_repo_id from installations where lower(repo_full_name) = lower(repo) order by id desc limit 1
    )`.execute(db)
  // Each row that was deleted would be looked for in all others, without an index; and nobody goes from the old to the new.
  await sql`alter table memories drop constraint memories_superseded_by_fkey`.execute(db)
  await sql`update memories set terms = '{}', weights = '{}' where ended_at is not null`.execute(db)
  // Of several reviews of one commit the last one counts.
  await sql`
    delete from pull_request_files f using workflow_runs run, workflow_runs later
    where run.id = f.run_id and not f.latest and later.repo = run.repo and later.pr_number = run.pr_number
      and later.id > run.id and later.head_sha = run.head_sha and later.status = 'completed'
      and later.verdict is not null`.execute(db)
}
