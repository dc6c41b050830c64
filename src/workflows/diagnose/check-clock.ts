// Compares this machine's clock with the first platform's and the database server's.
import type { Config } from '../../context.ts'
import { type Observation, ok, problem, skipped, warning } from './check.ts'
import type { Evidence, Timed } from './setup.ts'

const warningSeconds = 60
const problemSeconds = 5 * 60

/** Sign-in, tokens and the states of pull requests depend on the clock. */
export async function checkClock(
  database: Config['database'],
  evidence: Evidence,
): Promise<readonly Observation[]> {
  const [platform, reading] = await Promise.allSettled([
    evidence.platforms[0] as Evidence['platforms'][number],
    evidence.database,
  ])
  const observations: Observation[] = []
  if (platform.status === 'fulfilled' && platform.value.answer.now !== null) {
    observations.push(
      assessDrift("the code host's", driftOf(platform.value, platform.value.answer.now)),
    )
  }
  const now = reading.status === 'fulfilled' ? reading.value.answer.facts?.now : undefined
  // An embedded database uses this machine's clock.
  if (database.engine === 'postgresql' && reading.status === 'fulfilled' && now) {
    observations.push(assessDrift("the database's", driftOf(reading.value, now)))
  }
  return observations.length === 0
    ? [skipped('There is no other clock to compare with.')]
    : observations
}

/** Returns by how many seconds another clock is ahead of ours; negative if it is behind. */
function driftOf({ askedAt, answeredAt }: Timed<unknown>, now: Date): number {
  const time = now.getTime()
  if (time > answeredAt) return Math.round((time - answeredAt) / 1000)
  return time < askedAt ? Math.round((time - askedAt) / 1000) : 0
}

function assessDrift(owner: string, seconds: number): Observation {
  const drift = Math.abs(seconds)
  if (drift <= warningSeconds) return ok(`This machine's clock agrees with ${owner}.`)
  const direction = seconds > 0 ? 'behind' : 'ahead of'
  const message = `This machine's clock is ${drift} s ${direction} ${owner}.`
  const remedy = 'Synchronize the clocks with NTP.'
  return drift > problemSeconds ? problem(message, remedy) : warning(message, remedy)
}
