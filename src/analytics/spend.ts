// What models cost, by run.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { ModelUse } from '../models/index.ts'

/** Writes down what a run used, a row for each model; null for what is no run. What used nothing leaves none. */
export async function recordSpend(db: Db, runId: number | null, uses: readonly ModelUse[]): Promise<void> {
  if (uses.length === 0) return
  const rows = uses.map(({ model, usage }) => ({
    run_id: runId,
    model,
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cost_usd: usage.costUsd,
  }))
  await db.insertInto('model_spend').values(rows).execute()
}

/** What ended runs cost since midnight UTC, in US dollars. */
export async function spentTodayUsd(db: Db): Promise<number> {
  const row = await db
    .selectFrom('model_spend')
    .select(sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('total'))
    .where('created_at', '>=', sql<Date>`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`)
    .executeTakeFirstOrThrow()
  return row.total
}

/** What the ended tries of a run cost, in US dollars. */
export async function spentByRunUsd(db: Db, runId: number): Promise<number> {
  const row = await db
    .selectFrom('model_spend')
    .select(sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('total'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  return row.total
}
