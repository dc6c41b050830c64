// Converts records of the program, whose fields are in camelCase, to the fields of the contract.
import type { z } from 'zod'

/** `start_line` becomes `startLine`. Names with capital letters, such as verdicts, stay. */
type CamelCase<Name extends string> =
  Name extends Lowercase<Name>
    ? Name extends `${infer First}_${infer Rest}`
      ? `${First}${Capitalize<CamelCase<Rest>>}`
      : Name
    : Name

/** A record of this type is converted to `Body`. Its other fields are left out. */
export type RecordOf<Body> = Body extends Date
  ? Body
  : Body extends readonly (infer Item)[]
    ? readonly RecordOf<Item>[]
    : Body extends object
      ? string extends keyof Body
        ? Body
        : RecordOfObject<Body>
      : Body

type RecordOfObject<Body> = {
  readonly [Name in keyof Body as Name extends string ? CamelCase<Name> : Name]: RecordOf<
    Body[Name]
  >
}

/** `startLine` becomes `start_line`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type CamelCaseKeys<Row> = {
  [Name in keyof Row as Name extends string ? CamelCase<Name> : Name]: Row[Name]
}

type SnakeCaseKeys<Fields> = {
  [Name in keyof Fields as Name extends string ? SnakeCase<Name> : Name]: Fields[Name]
}

/** Renames the fields of a row. Their values stay as they are. */
export function toCamelCase<Row extends object>(row: Row): CamelCaseKeys<Row> {
  const fields = Object.entries(row).map(([name, value]) => [camelCase(name), value])
  return Object.fromEntries(fields) as CamelCaseKeys<Row>
}

/** Renames the fields of a record for a row or for JSON. Their values stay as they are. */
export function toSnakeCase<Fields extends object>(record: Fields): SnakeCaseKeys<Fields> {
  const fields = Object.entries(record).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return Object.fromEntries(fields) as SnakeCaseKeys<Fields>
}

function camelCase(name: string): string {
  if (name !== name.toLowerCase()) return name
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

type Convert = (value: unknown) => unknown
const keep: Convert = (value) => value

/**
 * Compiles the conversion of a record to what a schema of the contract describes. The schema names
 * the fields, so that the keys of maps, which are data, are kept.
 */
export function compileSerializer<Schema extends z.ZodType>(
  schema: Schema,
): (record: RecordOf<z.output<Schema>>) => z.output<Schema> {
  return compile(schema) as ReturnType<typeof compileSerializer<Schema>>
}

function compile(schema: z.core.$ZodType): Convert {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return compileObject(def.shape)
    case 'array': {
      const convert = compile(def.element)
      return (list) => (Array.isArray(list) ? list.map(convert) : list)
    }
    case 'nullable':
    case 'optional':
      return compile(def.innerType)
    case 'union':
      return compileObject(Object.assign({}, ...def.options.map(shapeOf)))
    default:
      return keep
  }
}

function shapeOf(schema: z.core.$ZodType): z.core.$ZodShape {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'object' ? def.shape : {}
}

function compileObject(shape: z.core.$ZodShape): Convert {
  const fields = Object.entries(shape).map(([key, schema]) => {
    return { key, name: camelCase(key), convert: compile(schema) }
  })
  return (record) => {
    if (typeof record !== 'object' || record === null) return record
    const body: Record<string, unknown> = {}
    for (const { key, name, convert } of fields) {
      const value = (record as Record<string, unknown>)[name]
      if (value !== undefined) body[key] = convert(value)
    }
    return body
  }
}
