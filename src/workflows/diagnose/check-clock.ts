// Checks this machine's clock against the platform's and the database server's.
import type { Config } from '../../config/config.ts'
import { type Observation, ok, problem, skipped, warning } from './check.ts'
import type { Evidence, Timed } from './setup.ts'

const warningSeconds = 60
const problemSeconds = 5 * 60

/** Sign-in, tokens and what is shown of pull requests go by clocks. */
export async function checkClock(
  database: Config['database'],
  evidence: Evidence,
): Promise<readonly Observation[]> {
  const [platform, reading] = await Promise.allSettled([evidence.platform, evidence.database])
  const observations: Observation[] = []
  if (platform.status === 'fulfilled' && platform.value.answer.now !== null) {
    observations.push(
      judgeDrift("the platform's", driftOf(platform.value, platform.value.answer.now)),
    )
  }
  const now = reading.status === 'fulfilled' ? reading.value.answer.facts?.now : undefined
  // An embedded database has this machine's own.
  if (database.engine === 'postgresql' && reading.status === 'fulfilled' && now) {
    observations.push(judgeDrift("the database's", driftOf(reading.value, now)))
  }
  return observations.length === 0
    ? [skipped('There is no other clock to compare with.')]
    : observations
}

/** By how many seconds another clock is ahead of ours; negative where it is behind. */
function driftOf({ askedAt, answeredAt }: Timed<unknown>, now: Date): number {
  const time = now.getTime()
  if (time > answeredAt) return Math.round((time - answeredAt) / 1000)
  return time < askedAt ? Math.round((time - askedAt) / 1000) : 0
}

function judgeDrift(whose: string, seconds: number): Observation {
  const size = Math.abs(seconds)
  if (size <= warningSeconds) return ok(`This machine's clock agrees with ${whose}.`)
  const message = `This machine's clock is ${size} s ${seconds > 0 ? 'behind' : 'ahead of'} ${whose}.`
  const remedy = 'Let the clocks be set from the network (NTP).'
  return size > problemSeconds ? problem(message, remedy) : warning(message, remedy)
}
