// Spreads what the demo plays in minutes over four weeks.
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../src/db/database.ts'

/** After how many hours the next pull request is opened, again and again: 28 days for 30. */
const gaps = [20, 46, 3, 42, 1]

/** How many hours pass while a pull request is played. */
export function hoursOf(index: number): number {
  return gaps[index % gaps.length]!
}

/** A clock that becomes the present when these pull requests are played. */
export function startInPast(count: number): () => Date {
  const hours = Array.from({ length: count }, (_, index) => hoursOf(index))
  const milliseconds = hours.reduce((sum, one) => sum + one, 0) * 3_600_000
  return () => new Date(Date.now() - milliseconds)
}

/** The times that the service itself takes, by table. */
const times = {
  workflow_runs: ['created_at', 'started_at', 'finished_at'],
  findings: ['created_at', 'resolved_at'],
  dismissals: ['created_at'],
  events: ['created_at', 'processed_at'],
  pull_requests: ['last_event_at', 'first_requested_at', 'first_reviewed_at'],
}

/**
 * Moves what the service stored about each pull request back to the time at which it was opened.
 * The service must not run.
 *
 * @param folder that of `createServiceEnvironment`
 */
export async function moveToPast(folder: string): Promise<void> {
  const log = { info() {}, warn() {}, error() {} }
  const directory = join(folder, 'umpire', 'database')
  await using database = await openDatabase({ engine: 'embedded', directory }, log)
  await database.db.transaction().execute(async (tx) => {
    await sql`
      create temp table ages on commit drop as
      select p.repo, p.number, min(e.created_at) - p.opened_at as age
      from pull_requests p join events e on e.repo = p.repo and e.pr_number = p.number
      group by p.repo, p.number`.execute(tx)
    for (const [table, columns] of Object.entries(times)) {
      const moved = columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(`t.${name}`)} - age`)
      const number = sql.ref(table === 'pull_requests' ? 't.number' : 't.pr_number')
      await sql`
        update ${sql.table(table)} t set ${sql.join(moved)} from ages
        where t.repo = ages.repo and ${number} = ages.number`.execute(tx)
    }
  })
}
