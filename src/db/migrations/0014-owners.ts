// Adds the owner to the cost of models, for limits per owner.
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table model_spend add column owner text`.execute(db)
  // Older rows stay without an owner, because only today's cost counts towards a limit.
  await sql`
    update model_spend set owner = lower(split_part(workflow_runs.repo, '/', 1))
    from workflow_runs
    where workflow_runs.id = model_spend.run_id and model_spend.created_at > now() - interval '2 days'`.execute(
    db,
  )
}
