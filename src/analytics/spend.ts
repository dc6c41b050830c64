// What models cost, by run.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Usage } from '../domain/review.ts'

/** What a run used of its models. */
export interface ModelUse {
  /** Name of the main model; empty where none is configured. */
  readonly model: string
  readonly usage: Usage
  /** The part of the cost whose price is known, in US dollars. */
  readonly knownCostUsd: number
}

/** Writes down what a run used. A run that used nothing leaves no row. */
export async function recordSpend(db: Db, runId: number, input: ModelUse): Promise<void> {
  if (input.usage.calls === 0) return
  await db
    .insertInto('model_spend')
    .values({
      run_id: runId,
      model: input.model,
      calls: input.usage.calls,
      input_tokens: input.usage.inputTokens,
      output_tokens: input.usage.outputTokens,
      cached_input_tokens: input.usage.cachedInputTokens,
      cost_usd: input.knownCostUsd,
    })
    .execute()
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
