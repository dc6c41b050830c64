// Builds `limit` clauses with literal numbers, because the planner reads whole tables if it doesn't
// know how few rows are needed.
import { type RawBuilder, sql } from 'kysely'

/** Each different number becomes a different prepared statement, so callers should use few. */
export function limitRows(count: number): RawBuilder<unknown> {
  return sql`limit ${sql.lit(count)}`
}
