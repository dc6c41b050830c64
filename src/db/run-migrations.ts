// Runs missing migrations and compares the schema with this program's.
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db, Log, OpenDatabase } from './database.ts'
import { databaseErrorCode, UmpireDatabaseError } from './database-errors.ts'
import { migrations as ownMigrations } from './migrations/index.ts'

/** The migrations that created the tables of 0001-schema one after the other, until it did. */
const replacedMigrations = [
  '0001-main-job',
  '0002-review-history',
  '0003-accounts',
  '0004-knowledge',
  '0005-memory-vectors',
  '0006-memory-history',
  '0008-graph-versions',
  '0009-access',
  '0010-mcp',
  '0011-live-context',
  '0012-reach',
  '0013-deliveries',
  '0014-owners',
  '0016-lost-workers',
  '0017-dismissals',
  '0018-ends',
] as const

/**
 * Runs the missing migrations in one transaction, under a lock that makes processes that start at
 * the same time wait for each other.
 *
 * @param migrations by name, in alphabetical order
 * @throws UmpireDatabaseError `database_newer`, `database_older` or `database_edited` when the
 *   database can't be brought up to date
 */
export async function runMigrations(
  { db }: Pick<OpenDatabase, 'db'>,
  log: Log,
  migrations: Record<string, Migration> = ownMigrations,
): Promise<void> {
  const { missing } = await assertKnown(db, migrations)
  // Most starts end here, without the migrator's slow inspection of every table.
  if (missing.length === 0) return
  await renameReplaced(db, migrations)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) {
    // Another, newer process may have migrated the schema in the meantime.
    await assertKnown(db, migrations)
    throw error
  }
  for (const { migrationName } of results ?? [])
    log.info({ migration: migrationName }, 'The schema was brought up to date')
}

/** Compares the migrations of a database with those of this program, by name. */
export interface SchemaComparison {
  /** Migrations that the database doesn't have yet. */
  readonly missing: readonly string[]
  /** Migrations that this program doesn't have. */
  readonly unknown: readonly string[]
}

/** Compares the schema without changing anything. */
export async function compareSchema(
  db: Db,
  migrations: Record<string, Migration> = ownMigrations,
): Promise<SchemaComparison> {
  const names = Object.keys(migrations)
  const stored = await listApplied(db)
  const applied = standsAtLastReplaced(stored) ? names.slice(0, 1) : stored
  return {
    missing: names.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !(name in migrations)),
  }
}

interface SchemaProblem {
  readonly code: 'database_newer' | 'database_older' | 'database_edited'
  /** Continues "The database was". */
  readonly description: string
  readonly remedy: string
}

/** Why a database with unknown migrations can't be used; null if it has none. */
export function explainUnknown(unknown: readonly string[]): SchemaProblem | null {
  if (unknown.length === 0) return null
  const names = unknown.join(', ')
  const replaced = replacedMigrations.findLast((name) => unknown.includes(name))
  if (replaced !== undefined) {
    return {
      code: 'database_older',
      description: `written by an older version of this program (it ends with ${replaced})`,
      remedy: `First start the last version with ${replacedMigrations.at(-1)}, then this one.`,
    }
  }
  const ownFiles = Object.keys(ownMigrations).map(fileOf)
  if (unknown.some((name) => ownFiles.includes(fileOf(name)))) {
    return {
      code: 'database_edited',
      description: `written by a build of this program whose migrations differ (it has ${names})`,
      remedy: 'Run that build, or go back to a backup from before it.',
    }
  }
  return {
    code: 'database_newer',
    description: `written by a newer version of this program (${names})`,
    remedy: 'Run that version or a newer one, or go back to a backup from before the upgrade.',
  }
}

const fileOf = (name: string) => name.split('@')[0]!

async function assertKnown(
  db: Db,
  migrations: Record<string, Migration>,
): Promise<SchemaComparison> {
  const comparison = await compareSchema(db, migrations)
  const problem = explainUnknown(comparison.unknown)
  if (problem === null) return comparison
  const { code, description, remedy } = problem
  throw new UmpireDatabaseError(code, `The database was ${description}. ${remedy}`)
}

function standsAtLastReplaced(applied: readonly string[]): boolean {
  return (
    applied.length === replacedMigrations.length &&
    replacedMigrations.every((name) => applied.includes(name))
  )
}

/** Adopts a database with the tables of the first migration that others created. */
async function renameReplaced(db: Db, migrations: Record<string, Migration>): Promise<void> {
  if (!standsAtLastReplaced(await listApplied(db))) return
  await db.transaction().execute(async (tx) => {
    await sql`lock table kysely_migration in access exclusive mode`.execute(tx)
    // Another process may have been faster.
    if (!standsAtLastReplaced(await listApplied(tx))) return
    await sql`delete from kysely_migration`.execute(tx)
    await sql`
      insert into kysely_migration (name, timestamp)
      values (${Object.keys(migrations)[0]}, now()::text)`.execute(tx)
  })
}

/** Lists the migrations that the database has; none if it is new. */
async function listApplied(db: Db): Promise<string[]> {
  try {
    const rows = await db
      .withTables<{ kyselyMigration: { name: string } }>()
      .selectFrom('kyselyMigration')
      .select('name')
      .execute()
    return rows.map(({ name }) => name)
  } catch (error) {
    // The table doesn't exist yet.
    if (databaseErrorCode(error) === '42P01') return []
    throw error
  }
}
