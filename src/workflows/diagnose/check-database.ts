// Checks that the database is reachable, recent and durable, and that deliveries arrive.
import { findHostConflict } from '../../accounts/stored-hosts.ts'
import type { Config } from '../../context.ts'
import { explainUnknown } from '../../db/run-migrations.ts'
import { UmpireError } from '../../domain/errors.ts'
import { explainError, type Observation, ok, problem, skipped, warning } from './check.ts'
import type { DatabaseReading, Evidence } from './setup.ts'

/** Checks the connection, the server version, the schema, and whose data it has. */
export async function checkDatabase(
  config: Pick<Config, 'database' | 'hosts'>,
  { database }: Evidence,
): Promise<Observation> {
  try {
    return assessDatabase((await database).answer, config)
  } catch (error) {
    // Errors of the embedded database say what to do.
    return explainError(
      error,
      config.database.engine === 'postgresql' ? remedyFor(error) : undefined,
    )
  }
}

function remedyFor(error: unknown): string {
  const isOld = error instanceof UmpireError && error.code === 'database_version'
  if (isOld) return 'Upgrade the server: PostgreSQL 15 or later.'
  return 'See that the server runs, and check host, port, name and password in DATABASE_URL.'
}

/** Checks that committed data survives a power failure. */
export async function checkDurability({ database }: Evidence): Promise<Observation> {
  const reading = await database.catch(() => null)
  const facts = reading?.answer.facts
  if (!facts) return skipped(explainMissing(reading))
  if (facts.fsync) return ok('The database writes committed data to the disk.')
  const remedy = 'Set fsync = on in postgresql.conf, reload the server, and take a new backup.'
  return problem(
    'The server runs with fsync off: a power failure can lose or corrupt data.',
    remedy,
  )
}

function explainMissing(reading: Awaited<Evidence['database']> | null): string {
  if (reading === null) return 'The database could not be read.'
  if (reading.answer.facts === null) return 'There is no database yet.'
  return 'The schema of the database is not up to date.'
}

const addSearchIndex =
  'As an administrator of the database: create extension pg_trgm; ' +
  'create index pull_request_search_text on pull_request_search using gin (text gin_trgm_ops);'

function assessDatabase(
  { facts, heldBy }: DatabaseReading,
  { database: config, hosts }: Pick<Config, 'database' | 'hosts'>,
): Observation {
  const location = config.engine === 'embedded' ? `in ${config.directory}` : 'at DATABASE_URL'
  if (facts === null)
    return ok(`There is none yet ${location}: the service creates it at its first start.`)
  const { missing, unknown } = facts.schema
  const engine = facts.engine === 'embedded' ? 'Embedded PostgreSQL' : 'PostgreSQL'
  const user = heldBy === null ? '' : `, in use by the running service (process ${heldBy})`
  const description = `${engine} ${facts.version} ${location}${user}`
  const obstacle = explainUnknown(unknown)
  if (obstacle) return problem(`${description}: ${obstacle.description}.`, obstacle.remedy)
  if (missing.length > 0) {
    const remedy =
      heldBy === null ? 'Start the service, or run umpire migrate.' : 'Restart the service.'
    return warning(
      `${description}: its schema has to be brought up to date (${missing.join(', ')}).`,
      remedy,
    )
  }
  const conflict = findHostConflict(facts.hosts ?? [], hosts)
  if (conflict !== null) return problem(conflict.message, conflict.remedy)
  // The embedded engine lacks the extension, but holds few rows.
  if (facts.engine === 'postgresql' && !facts.hasSearchIndex) {
    return warning(
      `${description}: without the extension pg_trgm, searching the list reads all titles.`,
      addSearchIndex,
    )
  }
  return ok(`${description}; its schema is up to date.`)
}

/** Checks that repositories are connected and deliveries arrive. */
export async function checkDeliveries(
  { fallback }: Pick<Config, 'fallback'>,
  evidence: Evidence,
): Promise<Observation> {
  const reading = await evidence.database.catch(() => null)
  const activity = reading?.answer.facts?.activity
  if (!reading || !activity) return skipped(explainMissing(reading))
  const { connectedRepositories: connected, newestDeliveryAt } = activity
  const newest = describeNewestDelivery(newestDeliveryAt, reading.answeredAt)
  const noun = connected === 1 ? 'repository is' : 'repositories are'
  const repositories = `${connected} ${noun} connected.`
  if (connected === 0 && fallback.token === null) {
    const remedy =
      'Sign in at PUBLIC_URL and connect a repository. Where the code host has Apps, install one ' +
      'instead. Or set PLATFORM_TOKEN for unconnected repositories.'
    return warning(`${repositories} ${newest} Nothing can be reviewed.`, remedy)
  }
  return ok(`${repositories} ${newest}`)
}

function describeNewestDelivery(newestDeliveryAt: Date | null, now: number): string {
  if (newestDeliveryAt === null) return 'No delivery has arrived yet.'
  return `The newest delivery arrived ${describeAge(now - newestDeliveryAt.getTime())}.`
}

const units = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const

function describeAge(milliseconds: number): string {
  const seconds = milliseconds / 1000
  const unit = units.find(([, length]) => seconds >= length)
  if (unit === undefined) return 'less than a minute ago'
  const count = Math.floor(seconds / unit[1])
  return `${count} ${unit[0]}${count === 1 ? '' : 's'} ago`
}
