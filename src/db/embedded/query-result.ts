// Converts replies of the embedded engine to results and errors as `pg` returns them.
import pg from 'pg'
import { parserOf } from '../sql-values.ts'
import type { WireError, WireResult } from './engine.ts'

/** The fields of a result of `pg` that are used. */
export interface QueryResult {
  command: string
  rowCount: number | null
  rows: Record<string, unknown>[]
}

/** The result of a statement that was not sent or returned nothing. */
export const emptyResult = (command: string): QueryResult => ({ command, rowCount: null, rows: [] })

/** Parses each value by the type of its column. */
export function readResult(result: WireResult): QueryResult {
  const columns = result.columns.map(([name, typeId]) => ({ name, parse: parserOf(typeId) }))
  const rows = result.rows.map((fields) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index]!
      const field = fields[index]!
      row[name] = field === null ? null : parse(field)
    }
    return row
  })
  return { command: result.command, rowCount: result.rowCount, rows }
}

/** Creates an error with the class and fields that `pg` uses. */
export function toPgError({ message, ...fields }: WireError): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), fields)
}
