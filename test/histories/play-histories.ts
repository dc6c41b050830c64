// Plays random histories on a service that is killed, behind a forge that loses deliveries, and
// returns where they ended wrong.
import { appPermissions } from '../../src/platforms/github/app-manifest.ts'
import { createAppAtForge } from '../app-scenario.ts'
import { createDeployment, type Deployment } from '../crash/deployment.ts'
import { createRandom, type Random } from '../crash/random.ts'
import { type Forge, replyWith, startForge } from '../fakes/forge/forge.ts'
import { slug } from '../installed-app-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import {
  findLostEvents,
  findUnsettled,
  findWrongEnds,
  findWrongRecords,
} from './find-wrong-ends.ts'
import { createHistory, type History } from './history.ts'

/** Histories that are played at the same time, on one service. */
const maxBatchSize = 50
/** Of the service during a batch, and how long it stays down then. */
const maxKills = 3
const maxTurnsDown = 10
/** Much longer than any wait of the service. */
const quietTimeoutMs = 240_000
const aliceToken = 'ghp_token_of_alice'

/** A history that ended wrong. */
export interface Failure {
  readonly seed: number
  readonly wrong: readonly string[]
  readonly log: readonly string[]
}

/** Plays one history for each seed. */
export async function playHistories(
  kind: 'embedded' | 'postgresql',
  seeds: readonly number[],
): Promise<Failure[]> {
  const failures: Failure[] = []
  for (let start = 0; start < seeds.length; start += maxBatchSize) {
    const batch = seeds.slice(start, start + maxBatchSize)
    const failed = await playBatch(kind, batch)
    failures.push(...failed)
    const played = `histories ${batch[0]} to ${batch.at(-1)}`
    if (seeds.length > maxBatchSize) console.log(`${kind}: ${played}: ${failed.length} wrong`)
  }
  return failures
}

interface Scene extends AsyncDisposable {
  readonly forge: Forge
  readonly deployment: Deployment
  readonly histories: readonly History[]
}

async function playBatch(
  kind: 'embedded' | 'postgresql',
  seeds: readonly number[],
): Promise<Failure[]> {
  await using scene = await createScene(kind, seeds)
  const random = createRandom(seeds[0]!)
  const { forge, deployment, histories } = scene
  forge.faultyDeliveries({ seed: seeds[0]!, drop: 0.2, double: 0.1, reorder: 0.1, delay: 0.1 })
  // GitHub forgets deliveries after some days, and then the comparison has to find all.
  if (random.chance(0.5)) forgetDeliveries(forge)
  await playActs(scene, random)
  forge.faultyDeliveries(null)
  deployment.start()
  await deployment.ready()
  const rest = await settle(scene)
  await using database = await deployment.openDatabase()
  const records = await findWrongRecords(database, histories)
  const general = [...rest, ...(await findLostEvents(forge, database))]
  const failures = histories.map((history) => ({
    seed: history.seed,
    log: history.log,
    wrong: [...findWrongEnds(forge, history), ...(records.get(history) ?? [])],
  }))
  if (general.length > 0)
    failures.push({ seed: seeds[0]!, log: [deployment.log()], wrong: general })
  return failures.filter(({ wrong }) => wrong.length > 0)
}

/** Each account of a history has the App installed before the history begins. */
async function createScene(
  kind: 'embedded' | 'postgresql',
  seeds: readonly number[],
): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const forge = stack.use(await startForge())
  forge.createUser('alice', { token: aliceToken })
  const histories: History[] = []
  for (const seed of seeds) histories.push(await createHistory(forge, seed))
  const environment = {
    APP_ENV: 'development',
    PLATFORM_URL: forge.url,
    PLATFORM_API_URL: forge.apiUrl,
    MEMORY: 'off',
    GRAPH: 'off',
    RECONCILE_SECONDS: '5',
    // On a busy machine, a shorter lease ends while its worker waits for the processor.
    REVIEW_LEASE_SECONDS: '10',
    SIGN_INS_PER_MINUTE: '1000',
  }
  const server = process.env.TEST_DATABASE_URL ?? null
  const deployment = stack.use(await createDeployment(kind, { environment, server }))
  deployment.start()
  await deployment.ready()
  const alice = await signInWithToken(deployment, aliceToken)
  const back = await createAppAtForge(forge, deployment, alice, {
    as: 'alice',
    name: slug,
    isPublic: true,
  })
  await fetch(deployment.url + back, { headers: alice.cookie, redirect: 'manual' })
  // Otherwise conversations of fixed findings stay open, as docs/github.md says.
  forge.askForPermissions(slug, { ...appPermissions, contents: 'write' })
  for (const { repo } of histories) forge.installApp(slug, repo.split('/')[0]!, { by: 'alice' })
  await forge.waitFor(() => forge.deliveries.every(({ status }) => status === 200), {
    description: 'the installations',
    timeoutMs: quietTimeoutMs,
  })
  const held = stack.move()
  return { forge, deployment, histories, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

function forgetDeliveries(forge: Forge): void {
  forge.faults.add({
    match: ({ path }) => path.includes('/app/hook/deliveries'),
    action: replyWith(404, { message: 'Not Found' }),
  })
}

/** The histories take turns, while the service is killed and late deliveries arrive. */
async function playActs({ forge, deployment, histories }: Scene, random: Random): Promise<void> {
  const turns = histories.flatMap((history) =>
    Array.from({ length: history.length }, () => history),
  )
  const pickTurn = () => random.between(0, turns.length - 1)
  const kills = new Set(Array.from({ length: random.between(1, maxKills) }, pickTurn))
  let turnsDown = 0
  for (const turn of turns.keys()) {
    const rest = random.between(turn, turns.length - 1)
    ;[turns[turn], turns[rest]] = [turns[rest]!, turns[turn]!]
    await turns[turn]!.act()
    if (random.chance(0.03)) void forge.releaseDeliveries()
    if (kills.has(turn)) {
      await deployment.kill(deployment.names)
      turnsDown = random.between(0, maxTurnsDown)
    } else if (turnsDown > 0) turnsDown -= 1
    if (turnsDown === 0) deployment.start()
  }
}

/**
 * Waits until all ends are right and each repository was compared once more to the end, and stops
 * the service. Returns what it left undone.
 */
async function settle({ forge, deployment, histories }: Scene): Promise<string[]> {
  const deadline = performance.now() + quietTimeoutMs
  const until = (description: string, holds: () => boolean) =>
    forge.waitFor(holds, { description, timeoutMs: Math.max(1, deadline - performance.now()) })
  const isRight = () => histories.every((history) => findWrongEnds(forge, history).length === 0)
  for (;;) {
    try {
      await until('right ends', isRight)
      const seen = forge.requests.length
      await until('another comparison', () => {
        const lists = forge.requests.slice(seen).filter(({ path }) => path.endsWith('/pulls'))
        const byPath = [...Map.groupBy(lists, ({ path }) => path).values()]
        // What the first one led to is stored before the second one begins.
        return byPath.length === histories.length && byPath.every(({ length }) => length > 1)
      })
    } catch {
      // What is wrong then is described below.
    }
    await deployment.stop()
    const unsettled = await readUnsettled(deployment)
    if ((unsettled.length === 0 && isRight()) || performance.now() > deadline) return unsettled
    deployment.start()
    await deployment.ready()
  }
}

async function readUnsettled(deployment: Deployment): Promise<string[]> {
  await using database = await deployment.openDatabase()
  return await findUnsettled(database)
}
