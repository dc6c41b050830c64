// Adds the repository's id to what is known, and makes the history of memories deletable.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scans add column platform_repo_id text`.execute(db)
  await sql`
    update scans set platform_repo_id = (
      select platform_repo_id from installations where lower(repo_full_name) = lower(repo) order by id desc limit 1
    )`.execute(db)
  // The foreign key has no index, so each deletion would read all rows; no query follows it.
  await sql`alter table memories drop constraint memories_superseded_by_fkey`.execute(db)
  await sql`update memories set terms = '{}', weights = '{}' where ended_at is not null`.execute(db)
  // The last of several reviews of one commit is used.
  await sql`
    delete from pull_request_files f using workflow_runs run, workflow_runs later
    where run.id = f.run_id and not f.latest and later.repo = run.repo and later.pr_number = run.pr_number
      and later.id > run.id and later.head_sha = run.head_sha and later.status = 'completed'
      and later.verdict is not null`.execute(db)
}
