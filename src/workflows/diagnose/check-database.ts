// Checks the database: whether it can be reached, is new enough, and what came in lately.
import type { Config } from '../../config/config.ts'
import { UmpireError } from '../../domain/errors.ts'
import { explainError, type Observation, ok, problem, skipped, warning } from './check.ts'
import type { DatabaseReading, Evidence } from './setup.ts'

/** Reachable, of a version that will do, with the schema of this program. */
export async function checkDatabase(
  config: Config['database'],
  { database }: Evidence,
): Promise<Observation> {
  try {
    return judgeDatabase((await database).answer, config)
  } catch (error) {
    // What goes wrong with the embedded one says itself what to do.
    return explainError(error, config.engine === 'postgresql' ? remedyFor(error) : undefined)
  }
}

function remedyFor(error: unknown): string {
  const isOld = error instanceof UmpireError && error.code === 'database_version'
  if (isOld) return 'Upgrade the server: PostgreSQL 15 or later.'
  return 'See that the server runs, and check host, port, name and password in DATABASE_URL.'
}

/** Whether what was committed outlives a power failure. */
export async function checkDurability({ database }: Evidence): Promise<Observation> {
  const facts = (await database.catch(() => null))?.answer.facts
  if (!facts) return skipped("The database doesn't tell.")
  if (facts.fsync) return ok('The database brings what it writes to the disk.')
  const remedy = 'Set fsync = on in postgresql.conf, reload the server, and take a new backup.'
  return problem(
    'The server runs with fsync off: a power failure can lose and destroy what it holds.',
    remedy,
  )
}

const addSearchIndex =
  'As an administrator of the database: create extension pg_trgm; ' +
  'create index pull_request_search_text on pull_request_search using gin (text gin_trgm_ops);'

function judgeDatabase(
  { facts, heldBy }: DatabaseReading,
  config: Config['database'],
): Observation {
  const place = config.engine === 'embedded' ? `in ${config.directory}` : 'at DATABASE_URL'
  if (facts === null)
    return ok(`There is none yet ${place}: the service makes it at its first start.`)
  const { missing, unknown } = facts.schema
  const engine = facts.engine === 'embedded' ? 'Embedded PostgreSQL' : 'PostgreSQL'
  const who = heldBy === null ? '' : `, in use by the running service (process ${heldBy})`
  const what = `${engine} ${facts.version} ${place}${who}`
  if (unknown.length > 0) {
    const remedy =
      'Run that version or a newer one, or go back to a backup from before the upgrade.'
    return problem(
      `${what}: written by a newer version of this program (${unknown.join(', ')}).`,
      remedy,
    )
  }
  if (missing.length > 0) {
    const remedy =
      heldBy === null
        ? 'The service does that when it starts, or umpire migrate.'
        : 'Restart the service.'
    return warning(
      `${what}: its schema has to be brought up to date (${missing.join(', ')}).`,
      remedy,
    )
  }
  // The embedded engine has no such extension, and searches what one machine reviews.
  if (facts.engine === 'postgresql' && !facts.hasSearchIndex) {
    return warning(
      `${what}: without the extension pg_trgm, searching the list reads all titles.`,
      addSearchIndex,
    )
  }
  return ok(`${what}; its schema is up to date.`)
}

/** Whether anything is connected, and when something came last. */
export async function checkDeliveries(
  { fallback }: Pick<Config, 'fallback'>,
  evidence: Evidence,
): Promise<Observation> {
  const reading = await evidence.database.catch(() => null)
  const activity = reading?.answer.facts?.activity
  if (!reading || !activity) return skipped("The database doesn't tell.")
  const { connectedRepositories: connected, newestDeliveryAt } = activity
  const newest =
    newestDeliveryAt === null
      ? 'No delivery has come yet.'
      : `The newest delivery came ${describeAge(reading.answeredAt - newestDeliveryAt.getTime())}.`
  const repositories = `${connected} ${connected === 1 ? 'repository is' : 'repositories are'} connected.`
  if (connected === 0 && fallback.token === null) {
    const remedy =
      'Sign in and connect one, or set PLATFORM_TOKEN for repositories that nobody connected.'
    return warning(`${repositories} ${newest} Nothing can be reviewed.`, remedy)
  }
  return ok(`${repositories} ${newest}`)
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
