// Brings the schema up to date.
import { type Migration, Migrator } from 'kysely/migration'
import type { Db, Log, OpenDatabase } from './database.ts'
import { databaseErrorCode, UmpireDatabaseError } from './database-errors.ts'
import { migrations as ownMigrations } from './migrations/index.ts'

/**
 * Runs the migrations that are missing, all in one transaction and under a lock of the database: of several processes
 * that start at once, one does it and the others wait.
 *
 * @param migrations by name, in alphabetical order
 * @throws DatabaseFault `database_newer` when the database knows migrations that this program doesn't
 */
export async function runMigrations(
  { db }: Pick<OpenDatabase, 'db'>,
  log: Log,
  migrations: Record<string, Migration> = ownMigrations,
): Promise<void> {
  const { missing } = await assertNotNewer(db, migrations)
  // The usual start: what is below looks at every table first.
  if (missing.length === 0) return
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) {
    // Another process may have been ahead of us since the first look.
    await assertNotNewer(db, migrations)
    throw error
  }
  for (const { migrationName } of results ?? [])
    log.info({ migration: migrationName }, 'The schema was brought up to date')
}

/** How the schema differs from this program's; nothing in both lists where it doesn't. Names of migrations. */
export interface SchemaComparison {
  /** That the database doesn't have yet. */
  readonly missing: readonly string[]
  /** That only a newer version of this program knows. */
  readonly unknown: readonly string[]
}

/** Compares without changing anything. */
export async function compareSchema(
  db: Db,
  migrations: Record<string, Migration> = ownMigrations,
): Promise<SchemaComparison> {
  const applied = await listApplied(db)
  return {
    missing: Object.keys(migrations).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !(name in migrations)),
  }
}

async function assertNotNewer(
  db: Db,
  migrations: Record<string, Migration>,
): Promise<SchemaComparison> {
  const comparison = await compareSchema(db, migrations)
  const { unknown } = comparison
  if (unknown.length === 0) return comparison
  throw new UmpireDatabaseError(
    'database_newer',
    `The database was written by a newer version of this program (it has ${unknown.join(', ')}). ` +
      'Run that version or a newer one, or go back to a backup from before the upgrade.',
  )
}

/** Names of the migrations that the database has; none where it is new. */
async function listApplied(db: Db): Promise<string[]> {
  try {
    const rows = await db
      .withTables<{ kysely_migration: { name: string } }>()
      .selectFrom('kysely_migration')
      .select('name')
      .execute()
    return rows.map(({ name }) => name)
  } catch (error) {
    // The table doesn't exist yet.
    if (databaseErrorCode(error) === '42P01') return []
    throw error
  }
}
