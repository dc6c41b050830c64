// Brings a scene to rest after crashes, and checks it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenDatabase } from '../../src/db/database.ts'
import { type CrashScenario, waitUntilQuiet, waitUntilReviewed } from './crash-scenario.ts'
import { findViolations, type Violation } from './find-violations.ts'

/** Longer than any wait that the service makes by itself. */
const settleTimeoutMs = 60_000

/**
 * Starts what isn't running, sends again what was not answered, waits until all is settled, stops the service and
 * looks at what it left. That it doesn't come to rest in time is told among the violations.
 */
export async function settleAndCheck(scene: CrashScenario): Promise<Violation[]> {
  const deadline = performance.now() + settleTimeoutMs
  const { deployment } = scene
  try {
    for (let round = 0; ; round++) {
      deployment.start()
      await deployment.ready()
      await scene.redeliverUnanswered()
      await waitUntilReviewed(scene, Math.max(1, deadline - performance.now()))
      // Work without anything to show on the forge, such as a second look at the same head.
      if (round > 0) await sleep(2000)
      await waitUntilQuiet(scene)
      await deployment.stop()
      await using database = await deployment.openDatabase()
      const open = await countUnsettled(database)
      if (open === 0) return await findViolations(scene, database)
      if (performance.now() > deadline) {
        return [
          `${open} events or runs are not settled in time`,
          ...(await findViolations(scene, database)),
        ]
      }
    }
  } catch (error) {
    return [(error as Error).message]
  }
}

async function countUnsettled({ db }: OpenDatabase): Promise<number> {
  const open = ['pending', 'processing'] as const
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('wants_review', '=', true)
    .where('status', 'in', open)
    .execute()
  const runs = await db
    .selectFrom('workflow_runs')
    .select('id')
    .where('status', 'in', open)
    .execute()
  return events.length + runs.length
}
