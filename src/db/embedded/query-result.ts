// Answers of the embedded engine in the shape of `pg`: values parsed, errors of its class.
import pg from 'pg'
import { parserOf } from '../sql-values.ts'
import type { WireError, WireResult } from './engine.ts'

/** What a statement gave, in the shape of `pg`. */
export interface QueryResult {
  command: string
  rowCount: number | null
  rows: Record<string, unknown>[]
}

/** What a statement without an answer gave. */
export const emptyResult = (command: string): QueryResult => ({ command, rowCount: null, rows: [] })

/** Parses each field by the type of its column. */
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

/** The same class and fields as an error of `pg`. */
export function toPgError({ message, ...fields }: WireError): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), fields)
}
