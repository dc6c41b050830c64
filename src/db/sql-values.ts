// Encodes parameters and parses results in the same way for both engines.
import pg from 'pg'
import { UmpireError } from '../domain/errors.ts'

/** A parameter as the protocol sends it. */
export type WireValue = string | Uint8Array | null

/**
 * Encodes a parameter: dates as ISO 8601 in UTC, arrays as PostgreSQL array literals, other objects
 * as JSON. A value for a JSON column must be passed as `toJson(…)`, because it may be an array.
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

declare const jsonValue: unique symbol
/** The JSON text of a value, for a JSON column; null stays null. */
export type Json<Value> =
  | (string & { readonly [jsonValue]: NonNullable<Value> })
  | Extract<Value, null>

/** Encodes a value for a JSON column. Results have the value again, see `parserOf`. */
export function toJson<Value extends object | null>(value: Value): Json<Value> {
  return (value && JSON.stringify(value)) as Json<Value>
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

/** The `pg_type.oid` of each type and of its array type, from PostgreSQL's catalog. */
const postgresTypes = {
  int8: { id: 20, array: 1016 },
  numeric: { id: 1700, array: 1231 },
  date: { id: 1082, array: 1182 },
  timestamp: { id: 1114, array: 1115 },
  timestamptz: { id: 1184, array: 1185 },
  json: { id: 114, array: 199 },
  jsonb: { id: 3802, array: 3807 },
} as const

const getTypeParser = pg.types.getTypeParser as (typeId: number) => unknown
const parseInstant = pg.types.getTypeParser(postgresTypes.timestamptz.id) as Parse
/** The type's number is that of `text[]`, which the types of `pg` leave out. */
const parseTextArray = getTypeParser(1009) as (text: string) => unknown[]

const scalarParsers: Record<keyof typeof postgresTypes, Parse> = {
  int8: parseNumber,
  numeric: parseNumber,
  // A date has no time zone: as a Date it would shift by a day in some time zones.
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
  return items.map((item) => {
    if (Array.isArray(item)) return mapNested(item, parse)
    return item === null ? null : parse(item as string)
  })
}

/** Throws for a whole number that JavaScript can't represent exactly. */
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
 * Returns the parser for the text form of a type: int8 and numeric become numbers, timestamptz
 * becomes a Date, date stays `YYYY-MM-DD`, json and jsonb are parsed, bytea becomes a Buffer, and
 * other types are parsed as `pg` does.
 *
 * @param typeId `pg_type.oid`
 */
export function parserOf(typeId: number): Parse {
  return parsers.get(typeId) ?? (pg.types.getTypeParser(typeId) as Parse)
}
