// Settles a scene after crashes, and checks it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenDatabase } from '../../src/db/database.ts'
import { type CrashScenario, waitUntilQuiet, waitUntilReviewed } from './crash-scenario.ts'
import { findViolations, type Violation } from './find-violations.ts'

/** Longer than any wait of the service. */
const settleTimeoutMs = 120_000

/**
 * Starts stopped processes, redelivers unanswered deliveries, waits until the work is done, stops
 * the service and checks the result. A timeout is reported as a violation.
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
      // Some work leaves no trace on the forge, such as a second review of the same head. A busy
      // machine needs longer for it.
      await sleep(2000 * round)
      await waitUntilQuiet(scene)
      await deployment.stop()
      await using database = await deployment.openDatabase()
      const open = await countUnsettled(database)
      if (open === 0) return await findViolations(scene, database)
      if (performance.now() > deadline) {
        return [
          `${open} events or work items are not settled in time`,
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
    .where('wantsReview', '=', true)
    .where('status', 'in', open)
    .execute()
  const work = await db.selectFrom('workItems').select('repo').execute()
  return events.length + work.length
}
