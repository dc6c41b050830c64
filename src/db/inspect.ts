// What a database says of itself. Reads only.
import { sql } from 'kysely'
import type { OpenDatabase } from './database.ts'
import { compareSchema, type SchemaComparison } from './migrate.ts'

export interface DatabaseState {
  readonly engine: OpenDatabase['engine']
  /** Of PostgreSQL, as in `17.5`. */
  readonly version: string
  readonly schema: SchemaComparison
  /** The database's clock. */
  readonly now: Date
}

/** Asks an open database, whether or not its schema is up to date. */
export async function inspectDatabase({ db, engine }: Pick<OpenDatabase, 'db' | 'engine'>): Promise<DatabaseState> {
  const schema = await compareSchema(db)
  const { rows } = await sql<{ version: string; now: Date }>`
    select current_setting('server_version') as version, clock_timestamp() as now`.execute(db)
  const { version, now } = rows[0]!
  return { engine, version: version.split(' ')[0]!, schema, now }
}
