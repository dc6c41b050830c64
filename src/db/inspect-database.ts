// Reads version, settings and schema of a database without changing it.
import { sql } from 'kysely'
import type { OpenDatabase } from './database.ts'
import { compareSchema, type SchemaComparison } from './run-migrations.ts'

export interface DatabaseState {
  readonly engine: OpenDatabase['engine']
  /** It is PostgreSQL's version without its details, such as `17.5`. */
  readonly version: string
  readonly schema: SchemaComparison
  /** The index that needs the extension pg_trgm, see migrations/0001-schema.sql. */
  readonly hasSearchIndex: boolean
  /** Whether the server flushes its writes to the disk. */
  readonly fsync: boolean
  /** When the state was read, by the database's clock. */
  readonly now: Date
}

/** Reads the state of an open database, whether or not its schema is up to date. */
export async function inspectDatabase({
  db,
  engine,
}: Pick<OpenDatabase, 'db' | 'engine'>): Promise<DatabaseState> {
  const schema = await compareSchema(db)
  const { rows } = await sql<{
    version: string
    fsync: boolean
    hasSearchIndex: boolean
    now: Date
  }>`
    select current_setting('server_version') as version,
      current_setting('fsync')::boolean as fsync, clock_timestamp() as now,
      to_regclass('pull_request_search_text') is not null as has_search_index`.execute(db)
  const { version, fsync, hasSearchIndex, now } = rows[0]!
  return { engine, version: version.split(' ')[0]!, schema, fsync, hasSearchIndex, now }
}
