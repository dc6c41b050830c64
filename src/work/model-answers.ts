// Keeps answers of models in the database, by a digest of all that they rest on.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { toJson } from '../db/sql-values.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { type ClaimedRun, lockRun } from './runs.ts'

/**
 * The kept answers of one pull request. Others don't share them: what the author of one writes may
 * have misled the model.
 */
export interface AnswerStore {
  /** Returns the answers under those of the keys that have one. */
  find(keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>
  /** Throws LeaseLostError if another worker holds the run. */
  keep(answers: ReadonlyMap<string, object>): Promise<void>
}

/** After this time, a model is asked again. */
const retentionDays = 30

/** Opens the answers of a run's pull request. */
export function createAnswerStore(db: Db, run: ClaimedRun): AnswerStore {
  return {
    async find(keys) {
      const { rows } = await sql<{ key: string; answer: unknown }>`
        select key, answer from model_answers
        where repo = ${run.repo} and pr_number = ${run.number}
          and key = any(${keys}::text[])`.execute(db)
      return new Map(rows.map(({ key, answer }) => [key, answer]))
    },
    async keep(answers) {
      if (answers.size === 0) return
      const rows = toJson([...answers].map(([key, answer]) => ({ key, answer })))
      await transactionWithRetry(db, async (tx) => {
        await lockRun(tx, run)
        await sql`
          insert into model_answers (repo, pr_number, key, answer)
          select ${run.repo}, ${run.number}::int, key, answer
          from jsonb_to_recordset(${rows}::jsonb) as row (key text, answer jsonb)
          on conflict (repo, pr_number, key) do update
            set answer = excluded.answer, created_at = excluded.created_at`.execute(tx)
      })
    },
  }
}

/** Deletes answers that are too old to be found again. */
export async function pruneModelAnswers(db: Db): Promise<void> {
  await sql`
    delete from model_answers
    where created_at < now() - make_interval(days => ${retentionDays})`.execute(db)
}
