// A random round: pull requests change, deliveries repeat, and the service dies at any time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashScenario, TrackedPullRequest } from './crash-scenario.ts'
import { type InjectedFailure, injectFailures } from './inject-failures.ts'
import type { Random } from './random.ts'

/** Longer than a review takes here. */
const maxUptimeMs = 2500

/** Runs one round without settling it. Returns its actions as text for the log line. */
export async function playRandomRound(
  scene: CrashScenario,
  random: Random,
  troubles: readonly InjectedFailure[],
): Promise<string> {
  const { deployment } = scene
  await using _trouble = injectFailures(scene, random, troubles)
  const own: TrackedPullRequest[] = []
  const kills = random.between(1, 3)
  const moments: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    deployment.start()
    // Sometimes the service dies again while it starts.
    if (random.chance(0.7)) await deployment.ready()
    const acting = changePullRequests(scene, random, own)
    const life = random.between(0, maxUptimeMs)
    await sleep(life)
    const victims = chooseProcessesToKill(deployment.names, random)
    await deployment.kill(victims)
    await acting
    moments.push(`${victims.join('+')} at ${life} ms`)
    if (troubles.includes('clock')) await scene.stepClockBack()
    if (random.chance(0.3)) await changePullRequest(scene, random, own)
  }
  const trouble = troubles.length === 0 ? '' : ` with trouble of ${troubles.join(' and ')}`
  return `${own.length} pull requests, killed ${moments.join(', ')}${trouble}`
}

/** The actions of people and the platform in the meantime. */
async function changePullRequests(
  scene: CrashScenario,
  random: Random,
  own: TrackedPullRequest[],
): Promise<void> {
  const count = random.between(1, 3)
  for (let at = 0; at < count; at++) {
    if (own.length === 0 || random.chance(0.5)) own.push(await scene.open(random.between(0, 4)))
    else await changePullRequest(scene, random, own)
    scene.duplicateNewest(random.between(0, 3))
    await sleep(random.between(0, 300))
  }
}

async function changePullRequest(
  scene: CrashScenario,
  random: Random,
  own: readonly TrackedPullRequest[],
): Promise<void> {
  if (own.length > 0)
    await scene.push(random.pick(own), random.between(0, 2), { keep: random.chance(0.5) })
}

/** Sometimes returns all of them, otherwise one or several. */
function chooseProcessesToKill(names: readonly string[], random: Random): readonly string[] {
  if (names.length === 1 || random.chance(0.3)) return names
  const certain = random.pick(names)
  return names.filter((name) => name === certain || random.chance(0.3))
}
