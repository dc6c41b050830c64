// The declared tables and those that the migrations create must be the same, on both engines.
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { createTestDatabase, silentLog } from '../fakes/test-database.ts'

interface Column {
  readonly kind: 'boolean' | 'time' | 'bytes' | 'json' | 'array' | 'number' | 'text'
  readonly isNullable: boolean
  /** Whether the database sets it in new rows that don't mention it. */
  readonly isGenerated: boolean
}

type Columns = Readonly<Record<string, Column>>

/** The first pattern that matches a declared type names its kind; all others are texts. */
const kindPatterns: readonly (readonly [RegExp, Column['kind']])[] = [
  [/JsonColumn</, 'json'],
  [/Timestamp\b/, 'time'],
  [/\[\]/, 'array'],
  [/\bBuffer\b/, 'bytes'],
  [/\bboolean\b/, 'boolean'],
  [/\bnumber\b/, 'number'],
]

/** By the names of information_schema; all others are texts. */
const kindsByDataType: Readonly<Record<string, Column['kind']>> = {
  jsonb: 'json',
  'timestamp with time zone': 'time',
  ARRAY: 'array',
  bytea: 'bytes',
  boolean: 'boolean',
  bigint: 'number',
  integer: 'number',
  real: 'number',
  'double precision': 'number',
}

function readDeclaredTables(): Record<string, Columns> {
  const source = readFileSync(new URL('../../src/db/schema.ts', import.meta.url), 'utf8')
  const code = source.replaceAll(/\/\*\*.*?\*\//gs, '')
  const bodyOf = (name: string) =>
    new RegExp(`interface ${name} \\{\n(.*?)\n\\}`, 's').exec(code)?.[1] ?? ''
  return Object.fromEntries(
    listProperties(bodyOf('Schema')).map(([table, type]) => [
      toSnakeCase(table),
      Object.fromEntries(
        listProperties(bodyOf(type)).map(([column, declared]) => [
          toSnakeCase(column),
          describeType(declared),
        ]),
      ),
    ]),
  )
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Properties begin with two spaces; the lines of a type that follow have more. */
function listProperties(body: string): [name: string, type: string][] {
  return [...body.matchAll(/^ {2}(\w+): (.+(?:\n(?: {4}| {2}\S*>).*)*)/gm)].map(
    ([, name, type]) => [name!, type!],
  )
}

function describeType(type: string): Column {
  return {
    kind: kindPatterns.find(([pattern]) => pattern.test(type))?.[1] ?? 'text',
    isNullable: /\| null\b|^Nullable/.test(type),
    isGenerated: /^Generated|\| undefined\b|\bnever\b/.test(type),
  }
}

it('declares the columns of all tables, whether they can be null and have a default', async () => {
  const database = await createTestDatabase()
  {
    await using open = await openDatabase(database.config, silentLog)
    const { rows } = await sql<{
      table: string
      column: string
      type: string
      isNullable: boolean
      isGenerated: boolean
    }>`
      select table_name as table, column_name as column, data_type as type,
        is_nullable = 'YES' as "isNullable",
        column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS'
          as "isGenerated"
      from information_schema.columns
      where table_schema = 'public' and table_name not like 'kysely%'
      order by table_name, ordinal_position`.execute(open.db)
    const tables: Record<string, Record<string, Column>> = {}
    for (const { table, column, type, isNullable, isGenerated } of rows) {
      tables[table] ??= {}
      tables[table][column] = { kind: kindsByDataType[type] ?? 'text', isNullable, isGenerated }
    }
    expect(Object.keys(tables)).toContain('work_items')
    expect(readDeclaredTables()).toEqual(tables)
  }
  await database.dispose()
})
