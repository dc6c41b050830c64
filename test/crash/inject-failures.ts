// Injects failures into a random round: connections, answers of the platform, clocks.
import { setTimeout as sleep } from 'node:timers/promises'
import { applyThenDrop, drop } from '../fakes/forge/forge.ts'
import type { CrashScenario } from './crash-scenario.ts'
import type { DeploymentKind } from './deployment.ts'
import type { Random } from './random.ts'

/**
 * `connections`: database connections are cut, in the middle of transactions too; `answers`:
 * answers to writes are lost, and lists show writes late; `clock`: the database's clock goes back
 * by an hour after a kill.
 */
export type InjectedFailure = 'connections' | 'answers' | 'clock'

/** The embedded database has no connections. */
const failurePlans: Readonly<
  Record<'embedded' | 'server', readonly (readonly InjectedFailure[])[]>
> = {
  embedded: [['answers'], ['clock'], ['answers', 'clock'], []],
  server: [
    ['connections', 'answers'],
    ['connections', 'clock'],
    ['connections'],
    ['answers', 'clock'],
    [],
  ],
}

/** Returns the failures of a deployment's n-th round, so that a few rounds cover all. */
export function planFailures(kind: DeploymentKind, index: number): readonly InjectedFailure[] {
  const plan = failurePlans[kind === 'embedded' ? 'embedded' : 'server']
  return plan[index % plan.length]!
}

/** Less than a restart of the service takes: only the next review removes later duplicates. */
const maxLagMs = 800

/** Injects failures until it is disposed of. */
export function injectFailures(
  scene: CrashScenario,
  random: Random,
  troubles: readonly InjectedFailure[],
): AsyncDisposable {
  const stack = new AsyncDisposableStack()
  if (troubles.includes('answers')) stack.defer(loseResponses(scene, random))
  if (troubles.includes('connections')) stack.defer(cutConnections(scene, random))
  return stack
}

function loseResponses({ forge }: CrashScenario, random: Random): () => void {
  const isLost = (method: string) => method !== 'GET' && random.chance(0.2)
  forge.lists.lagMs = random.between(0, maxLagMs)
  const removes = [applyThenDrop(), drop()].map((action) =>
    forge.faults.add({
      match: ({ method, path }) => path.startsWith('/api/') && isLost(method),
      action,
    }),
  )
  return () => {
    forge.lists.lagMs = 0
    for (const remove of removes) remove()
  }
}

function cutConnections({ deployment }: CrashScenario, random: Random): () => Promise<void> {
  const end = new AbortController()
  const cutting = (async () => {
    while (!end.signal.aborted) {
      await deployment.cutConnection(random)
      await sleep(random.between(20, 300))
    }
  })()
  return async () => {
    end.abort()
    await cutting
  }
}
