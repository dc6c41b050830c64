// Stores and sums what models cost.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { ownerOf, type RepositoryName } from '../domain/pull-request.ts'
import type { Budget, ModelUse } from '../models/index.ts'

/**
 * Stores the model usage of a run, one row per model. Usage without a run (no `id`) is added to one
 * row per owner, model and hour. Deletes the reservations whose cost is stored with it.
 */
export async function recordSpend(
  db: Db,
  { id, repo }: { readonly id?: number; readonly repo: RepositoryName },
  budget: Pick<Budget, 'id' | 'uses'>,
): Promise<void> {
  const { uses } = budget
  if (uses.length === 0) return
  const owner = ownerOf(repo)
  const isSettled = sql<boolean>`budget_id = ${budget.id} and state = 'settled'`
  const rows = uses.map(({ model, usage }) => ({ runId: id ?? null, owner, model, ...usage }))
  if (id === undefined) for (const use of uses) await addToHour(db, owner, use)
  else await db.insertInto('modelSpend').values(rows).execute()
  await db.deleteFrom('modelReservations').where(isSettled).execute()
}

/**
 * Adds usage to the row of the current hour, because a row per memory search would never stop
 * growing the table. Skips rows that another transaction has locked instead of waiting for them.
 */
async function addToHour(db: Db, owner: string, { model, usage }: ModelUse): Promise<void> {
  const { calls, inputTokens, outputTokens, cachedInputTokens, costUsd } = usage
  await sql`
    with added as (
      update model_spend set calls = calls + ${calls}, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens},
        cached_input_tokens = cached_input_tokens + ${cachedInputTokens},
        cost_usd = cost_usd + ${costUsd}::float8
      where id = (
        select id from model_spend
        where run_id is null and owner = ${owner} and model = ${model}
          and (cost_usd is null) = ${costUsd === null}
          and created_at >= date_trunc('hour', now() at time zone 'UTC') at time zone 'UTC'
        order by id limit 1 for update skip locked)
      returning id
    )
    insert into model_spend
      (run_id, owner, model, calls, input_tokens, output_tokens, cached_input_tokens, cost_usd)
    select null, ${owner}, ${model}, ${calls}, ${inputTokens}, ${outputTokens},
      ${cachedInputTokens}, ${costUsd}::float8
    where not exists (select from added)`.execute(db)
}

/** The last midnight, UTC. */
export const startOfDay = sql<Date>`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`

/** Cost in US dollars of ended runs since midnight UTC, for all owners or one. */
export async function spentTodayUsd(db: Db, owner?: string): Promise<number> {
  const row = await db
    .selectFrom('modelSpend')
    .select(sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('total'))
    .where('createdAt', '>=', startOfDay)
    .$if(owner !== undefined, (query) => query.where('owner', '=', owner as string))
    .executeTakeFirstOrThrow()
  return row.total
}

/** Cost in US dollars of the ended attempts of a run. */
export async function spentByRunUsd(db: Db, runId: number): Promise<number> {
  const row = await db
    .selectFrom('modelSpend')
    .select(sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('total'))
    .where('runId', '=', runId)
    .executeTakeFirstOrThrow()
  return row.total
}
