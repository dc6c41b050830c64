// Tests the comparison of the App's installations with the connections, when deliveries were lost.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { syncAppInstallations } from '../../src/workflows/sync-app-installations.ts'
import { createAppAtForge } from '../app-scenario.ts'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import { slug } from '../installed-app-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

let scene: ConnectScenario
beforeAll(async () => {
  const layers = { APP_ENV: 'development', MEMORY: 'off', GRAPH: 'off' }
  // The tests compare themselves, so the worker's comparison comes late.
  scene = await startConnectScenario({ env: { ...layers, REVIEW_LEASE_SECONDS: '600' } })
  const { app, forge } = scene
  await scene.createRepository()
  const root = await signInWithToken(app, tokenOf('root'))
  const input = { organization: 'acme', as: 'alice', isPublic: true }
  const back = await createAppAtForge(forge, app, root, input)
  await fetch(app.url + back, { headers: root.cookie, redirect: 'manual' })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  scene.forge.faults.clear()
  scene.forge.faultyDeliveries(null)
})

const loseDeliveries = () => scene.forge.faultyDeliveries({ seed: 1, drop: 1 })
const sync = () => syncAppInstallations(scene.app.app.context, AbortSignal.timeout(30_000))

const isConnected = async (repo: string) =>
  (await scene.readInstallations(repo)).some(({ isActive }) => isActive)

/** Installs the App in a repository of a new account. Returns the id of the installation. */
async function install(repo: string): Promise<number> {
  const { forge } = scene
  await forge.createRepository(repo, { admins: ['alice'] })
  return forge.installApp(slug, repo.split('/')[0]!, { repositories: [repo], by: 'alice' })
}

/** The list of installations as it is now. */
const list = () =>
  scene.forge.installations(slug).map(({ id, account }) => ({
    id,
    account: { id: 1, login: account, type: 'Organization' },
    suspended_at: null,
  }))

/** Answers the next request for the list of installations. */
function answerList(listed: ReturnType<typeof list>): void {
  scene.forge.faults.add({
    match: ({ method, path }) => method === 'GET' && path.endsWith('/app/installations'),
    times: 1,
    action: replyWith(200, listed),
  })
}

const leaveOut = (id: number) => answerList(list().filter((one) => one.id !== id))

it('goes on when an installation cannot be read', async () => {
  loseDeliveries()
  const repos = ['one-org/shop', 'two-org/shop', 'three-org/shop'] as const
  await install(repos[0])
  const unreadable = await install(repos[1])
  await install(repos[2])
  // For example, the organization allows only some addresses.
  scene.forge.faults.add({
    match: ({ path }) => path.endsWith(`/app/installations/${unreadable}/access_tokens`),
    action: replyWith(403, { message: 'The organization has an IP allow list enabled' }),
  })
  await sync()
  expect(await Promise.all(repos.map(isConnected))).toEqual([true, false, true])
  scene.forge.faults.clear()
  await sync()
  expect(await isConnected(repos[1])).toBe(true)
})

it('finds the new name of a repository', async () => {
  await install('four-org/old')
  await expect.poll(() => isConnected('four-org/old')).toBe(true)
  loseDeliveries()
  scene.forge.renameRepository('four-org/old', 'four-org/new')
  await sync()
  expect(await isConnected('four-org/new')).toBe(true)
  expect(await isConnected('four-org/old')).toBe(false)
})

it('keeps an installation that one list left out', async () => {
  const id = await install('five-org/shop')
  await expect.poll(() => isConnected('five-org/shop')).toBe(true)
  leaveOut(id)
  await sync()
  expect(await isConnected('five-org/shop')).toBe(true)
})

it('connects an installation again that was taken for removed', async () => {
  const id = await install('six-org/shop')
  await expect.poll(() => isConnected('six-org/shop')).toBe(true)
  leaveOut(id)
  scene.forge.faults.add({
    match: ({ method, path }) => method === 'GET' && path.endsWith(`/app/installations/${id}`),
    times: 1,
    action: replyWith(404, { message: 'Not Found' }),
  })
  await sync()
  expect(await isConnected('six-org/shop')).toBe(false)
  await sync()
  expect(await isConnected('six-org/shop')).toBe(true)
})

it('does not connect a removed installation that an outdated list still has', async () => {
  const { forge } = scene
  const id = await install('seven-org/shop')
  await expect.poll(() => isConnected('seven-org/shop')).toBe(true)
  const listed = list()
  forge.uninstallApp(id, 'alice')
  await expect.poll(() => isConnected('seven-org/shop')).toBe(false)
  answerList(listed)
  await sync()
  expect(await isConnected('seven-org/shop')).toBe(false)
})
