// How values cross the border to the database: the same for both engines, so that results never depend on the engine.
import pg from 'pg'
import { UmpireError } from '../domain/errors.ts'

/** What goes over the wire: text, bytes, or null. */
export type WireValue = string | Uint8Array | null

/**
 * Turns a parameter into what the wire takes. Dates become ISO 8601 in UTC, arrays PostgreSQL array literals, other
 * objects JSON. An array meant for a JSON column has to be passed as `JSON.stringify(…)`.
 */
export function encodeParameter(value: unknown): WireValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  if (value instanceof Uint8Array) return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return encodeArray(value)
  return JSON.stringify(value)
}

function encodeArray(items: readonly unknown[]): string {
  return `{${items.map(encodeElement).join(',')}}`
}

function encodeElement(item: unknown): string {
  if (Array.isArray(item)) return encodeArray(item)
  const encoded = encodeParameter(item)
  if (encoded === null) return 'NULL'
  if (typeof encoded !== 'string') return `"\\\\x${Buffer.from(encoded).toString('hex')}"`
  return `"${encoded.replace(/["\\]/g, '\\$&')}"`
}

type Parse = (text: string) => unknown

/** Type numbers of PostgreSQL's catalogue (`pg_type.oid`), each with the number of its array type. */
const postgresTypes = {
  int8: { id: 20, array: 1016 },
  numeric: { id: 1700, array: 1231 },
  date: { id: 1082, array: 1182 },
  timestamp: { id: 1114, array: 1115 },
  timestamptz: { id: 1184, array: 1185 },
  json: { id: 114, array: 199 },
  jsonb: { id: 3802, array: 3807 },
} as const

const parseInstant = pg.types.getTypeParser(postgresTypes.timestamptz.id) as Parse
const parseTextArray = (pg.types.getTypeParser as (typeId: number) => (text: string) => unknown[])(
  1009,
)

const scalarParsers: Record<keyof typeof postgresTypes, Parse> = {
  int8: parseNumber,
  numeric: parseNumber,
  // A day has no time zone: as a Date it would move by one in half of the world.
  date: (text) => text,
  timestamp: (text) => parseInstant(`${text}+00`),
  timestamptz: parseInstant,
  json: (text) => JSON.parse(text),
  jsonb: (text) => JSON.parse(text),
}

const parsers = new Map<number, Parse>()
for (const [name, { id, array }] of Object.entries(postgresTypes)) {
  const parse = scalarParsers[name as keyof typeof postgresTypes]
  parsers.set(id, parse)
  parsers.set(array, (text) => mapNested(parseTextArray(text), parse))
}

function mapNested(items: readonly unknown[], parse: Parse): unknown[] {
  return items.map((item) =>
    Array.isArray(item) ? mapNested(item, parse) : item === null ? null : parse(item as string),
  )
}

/** Throws where a whole number can't be held exactly. */
function parseNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new UmpireError(
      'database_number_too_large',
      `The database holds a number that is too large: ${text}`,
    )
  }
  return number
}

/**
 * How the text form of a type becomes a JavaScript value: int8 and numeric as numbers, timestamptz as Date, date as
 * `YYYY-MM-DD`, json and jsonb parsed, bytea as Buffer, the rest as `pg` does it.
 *
 * @param typeId `pg_type.oid`
 */
export function parserOf(typeId: number): Parse {
  return parsers.get(typeId) ?? (pg.types.getTypeParser(typeId) as Parse)
}
