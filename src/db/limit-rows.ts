// `limit` so that the planner knows how few rows come: it would rather read whole tables for a number that it doesn't know.
import { type RawBuilder, sql } from 'kysely'

/** `limit <count>`, with the number in the text; for few different numbers. */
export function limitRows(count: number): RawBuilder<unknown> {
  return sql`limit ${sql.lit(count)}`
}
