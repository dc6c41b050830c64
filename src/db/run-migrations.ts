// Runs missing migrations and compares the schema with this program's.
import { type Migration, Migrator } from 'kysely/migration'
import type { Db, Log, OpenDatabase } from './database.ts'
import { databaseErrorCode, UmpireDatabaseError } from './database-errors.ts'
import { migrations as ownMigrations } from './migrations/index.ts'

/**
 * Runs the missing migrations in one transaction, under a lock that makes processes that start at
 * the same time wait for each other.
 *
 * @param migrations by name, in alphabetical order
 * @throws UmpireDatabaseError `database_newer` when the database has migrations that are unknown
 * here
 */
export async function runMigrations(
  { db }: Pick<OpenDatabase, 'db'>,
  log: Log,
  migrations: Record<string, Migration> = ownMigrations,
): Promise<void> {
  const { missing } = await assertNotNewer(db, migrations)
  // Most starts end here, without the migrator's slow inspection of every table.
  if (missing.length === 0) return
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) {
    // Another, newer process may have migrated the schema in the meantime.
    await assertNotNewer(db, migrations)
    throw error
  }
  for (const { migrationName } of results ?? [])
    log.info({ migration: migrationName }, 'The schema was brought up to date')
}

/** Compares the migrations of a database with those of this program, by name. */
export interface SchemaComparison {
  /** Migrations that the database doesn't have yet. */
  readonly missing: readonly string[]
  /** Migrations that only a newer version of this program has. */
  readonly unknown: readonly string[]
}

/** Compares the schema without changing anything. */
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

/** Lists the migrations that the database has; none if it is new. */
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
