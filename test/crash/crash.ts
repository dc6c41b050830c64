// Kills the service (SIGKILL) at named and random points and checks what it leaves.
//
//   npm run test:crash                    all named points and 48 random rounds, on both databases
//   npm run test:crash -- --rounds 5      a short run, for fewer than 40 rounds
//   npm run test:crash -- --seed 7        the random rounds of an earlier run again
//   npm run test:crash -- --on postgresql-split --point editing     only these
//   npm run test:crash -- --self-check    makes violations on purpose: each must be reported
//
// PostgreSQL is the server at TEST_DATABASE_URL or a private one; without one its part is skipped.
import { parseArgs } from 'node:util'
import { findPostgresql, startPostgresql } from '../fakes/postgresql-server.ts'
import { type CrashScenario, createCrashScenario } from './crash-scenario.ts'
import { type DeploymentKind, deploymentKinds } from './deployment.ts'
import type { Violation } from './find-violations.ts'
import { planFailures } from './inject-failures.ts'
import { killPoints } from './kill-points.ts'
import { createRandom } from './random.ts'
import { playRandomRound } from './random-round.ts'
import { runSelfCheck } from './self-check.ts'
import { settleAndCheck } from './settle-and-check.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '48' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    on: { type: 'string' },
    point: { type: 'string' },
    'self-check': { type: 'boolean', default: false },
  },
})

const seed = Number(options.seed)
const count = options.point === undefined ? Number(options.rounds) : 0
const isShort = count > 0 && count < 40
const selectedKinds =
  options.on?.split(',') ?? (isShort ? ['embedded', 'postgresql'] : deploymentKinds)

/** Runs one round: its actions, the settlement, the checks. */
interface Round {
  readonly name: string
  play(scene: CrashScenario): Promise<string>
}

/** Runs rounds on one deployment, with a new scene after a failure. Returns the failure count. */
async function playRounds(
  kind: DeploymentKind,
  server: string | null,
  rounds: readonly Round[],
): Promise<number> {
  let scene: CrashScenario | null = null
  let bad = 0
  try {
    for (const round of rounds) {
      scene ??= await createCrashScenario(kind, server)
      const begun = performance.now()
      const { done, violations } = await playRound(scene, round)
      const outcome = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`
      const seconds = ((performance.now() - begun) / 1000).toFixed(1)
      console.log(
        `${kind}: ${round.name}${done === '' ? '' : `: ${done}`}: ${outcome} (${seconds} s)`,
      )
      if (violations.length === 0) continue
      bad++
      for (const violation of violations) console.log(`  ${violation}`)
      console.log(`  The end of the service's log:\n${scene.deployment.log()}`)
      await scene[Symbol.asyncDispose]()
      scene = null
    }
  } finally {
    await scene?.[Symbol.asyncDispose]()
  }
  return bad
}

async function playRound(
  scene: CrashScenario,
  round: Round,
): Promise<{ done: string; violations: Violation[] }> {
  try {
    const done = await round.play(scene)
    return { done, violations: await settleAndCheck(scene) }
  } catch (error) {
    return { done: '', violations: [(error as Error).stack ?? String(error)] }
  }
}

function listPoints(isShort: boolean): Round[] {
  return killPoints
    .filter((point) => point.name.includes(options.point ?? '') && (!isShort || point.inShortRun))
    .map(({ name, reach }) => ({
      name,
      async play(scene) {
        scene.deployment.start()
        await scene.deployment.ready()
        await reach(scene)
        return ''
      },
    }))
}

/** Returns the rounds of one kind of deployment; the kinds take turns. */
function listRandomRounds(
  kinds: readonly DeploymentKind[],
  kind: DeploymentKind,
  seed: number,
  count: number,
): Round[] {
  const all = Array.from({ length: count }, (_, index) => index)
  const own = all.filter((index) => kinds[index % kinds.length] === kind)
  return own.map((index, at) => ({
    name: `round ${index + 1} of seed ${seed}`,
    play: (scene) => playRandomRound(scene, createRandom(seed + index), planFailures(kind, at)),
  }))
}

/** Runs points and rounds on each kind, the rounds divided among them. Returns the exit code. */
async function playAll(
  kinds: readonly DeploymentKind[],
  server: string | null,
  seed: number,
  count: number,
) {
  let [played, atPoints, bad] = [0, 0, 0]
  for (const [index, kind] of kinds.entries()) {
    const points = isShort && index > 0 ? [] : listPoints(isShort)
    const rounds = [...points, ...listRandomRounds(kinds, kind, seed, count)]
    bad += await playRounds(kind, server, rounds)
    played += rounds.length
    atPoints += points.length
  }
  if (bad > 0) console.log(`The seed was ${seed}.`)
  console.log(
    `crash: ${played} rounds (${atPoints} of them at named points) ` +
      `on ${kinds.join(', ') || 'nothing'}, ${bad} violations`,
  )
  return bad === 0 && played > 0 ? 0 : 1
}

async function reportSelfCheck(): Promise<number> {
  const missed = await runSelfCheck()
  for (const violation of missed) console.log(violation)
  console.log(
    `crash self-check: ${missed.length === 0 ? 'every violation was reported' : 'FAILED'}`,
  )
  return missed.length === 0 ? 0 : 1
}

async function main(): Promise<number> {
  if (options['self-check']) return reportSelfCheck()
  if (!Number.isInteger(seed) || !Number.isInteger(count))
    throw new Error('--seed and --rounds are whole numbers')
  const wanted = deploymentKinds.filter((kind) => selectedKinds.includes(kind))
  if (wanted.length !== selectedKinds.length)
    throw new Error(`--on takes ${deploymentKinds.join(', ')}`)
  const given = process.env.TEST_DATABASE_URL
  const needsServer = wanted.some((kind) => kind !== 'embedded')
  const programs = needsServer && !given ? findPostgresql() : null
  await using own = programs === null ? null : await startPostgresql(programs)
  const server = given ?? own?.url ?? null
  const kinds = wanted.filter((kind) => kind === 'embedded' || server !== null)
  const skipped = wanted.filter((kind) => !kinds.includes(kind))
  if (skipped.length > 0)
    console.log(`SKIPPED: ${skipped.join(', ')}. There is no PostgreSQL server and no programs.`)
  // The await keeps our own server alive, which ends with this block.
  return await playAll(kinds, server, seed, count)
}

process.exitCode = await main()
