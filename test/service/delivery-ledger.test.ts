// Tests the ledger of deliveries that led to no event, and who sees it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ResponseOf } from '../../web/src/api/endpoints.ts'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload } from '../start-app.ts'

type Entry = ResponseOf<'listDeliveries'>['deliveries'][number]

let scene: ConnectScenario
let root: SignedInUser
beforeAll(async () => {
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  root = await signInWithToken(scene.app, tokenOf('root'))
})
afterAll(() => scene[Symbol.asyncDispose]())

const unused = '/api/v1/deliveries?status=unused&limit=100'

async function listAsRoot(): Promise<Entry[]> {
  const response = await fetch(scene.app.url + unused, { headers: root.bearer })
  return ((await response.json()) as { deliveries: Entry[] }).deliveries
}

async function connect(): Promise<{ repo: string; secret: string }> {
  const repo = await scene.createRepository()
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  const [installation] = await scene.readInstallations(repo)
  return { repo, secret: installation!.webhookSecret }
}

it('has duplicates and ignored deliveries, each with its id', async () => {
  const { app } = scene
  const { repo, secret } = await connect()
  const payload = pullRequestPayload({ repo, number: 404 })
  const as = (id: string) => ({ secret, headers: { 'x-github-delivery': id } })
  // A review that can't begin keeps its event unfinished.
  await Promise.all([
    app.deliver(payload, as(`${repo}-1`)),
    app.deliver(payload, as(`${repo}-2`)),
    app.deliver(payload, as(`${repo}-3`)),
  ])
  expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 200 })
  expect(await app.deliver(payload, as(`${repo}-4`))).toMatchObject({ body: { status: 'ignored' } })
  const own = async () => (await listAsRoot()).filter(({ repo_name: name }) => name === repo)
  await expect.poll(async () => (await own()).length).toBe(3)
  expect((await own()).map(({ outcome, status, error }) => ({ outcome, status, error }))).toEqual([
    { outcome: 'ignored', status: 'unused', error: 'The repository is disconnected.' },
    { outcome: 'duplicate', status: 'unused', error: 'Its review was requested already.' },
    { outcome: 'duplicate', status: 'unused', error: 'Its review was requested already.' },
  ])
  expect((await own())[0]).toMatchObject({
    delivery_id: `${repo}-4`,
    event_type: 'pull_request.opened',
    pr_number: 404,
    duplicates: 0,
  })
})

it('counts a thousand forged deliveries in one row, and keeps nothing that they say', async () => {
  const { app } = scene
  const { repo } = await connect()
  const forged = { secret: 'a guess', headers: { 'x-github-delivery': 'forged-id' } }
  for (let sent = 0; sent < 1000; sent += 50) {
    const some = Array.from({ length: 50 }, (_, at) =>
      app.deliver(pullRequestPayload({ repo: at % 2 ? repo : repo.toUpperCase() }), forged),
    )
    for (const { status } of await Promise.all(some)) expect(status).toBe(403)
  }
  const own = async () => (await listAsRoot()).filter(({ repo_name: name }) => name === repo)
  await expect.poll(async () => (await own())[0]?.duplicates).toBe(999)
  expect(await own()).toMatchObject([
    { outcome: 'refused', delivery_id: null, event_type: 'unknown', pr_number: null },
  ])
})

it('counts those of unknown repositories without their names', async () => {
  const { app } = scene
  const before = (await listAsRoot()).length
  for (let at = 0; at < 20; at++)
    await app.deliver(pullRequestPayload({ repo: `stranger/${at}` }), { secret: 'a guess' })
  await app.deliver(null, { rawBody: '[]' })
  const reasonsOf = async () =>
    (await listAsRoot())
      .filter(({ repo_name: name }) => name === null)
      .map(({ error, duplicates }) => [error, duplicates])
  await expect.poll(async () => (await reasonsOf()).length).toBe(2)
  expect(await reasonsOf()).toEqual([
    ['Its body was no JSON object.', 0],
    ['Its signature was missing or made with another secret.', 19],
  ])
  expect((await listAsRoot()).length).toBe(before + 2)
})

it('is shown to those who see the repository, and other statuses leave it out', async () => {
  const { app } = scene
  const { repo } = await connect()
  await app.deliver(pullRequestPayload({ repo }), { secret: 'a guess' })
  const namesFor = async (person: 'alice' | 'bob', path: string) =>
    (await scene.request(person, path)).body.deliveries.map(
      ({ repo_name: name }: Entry) => name,
    ) as (string | null)[]
  await expect.poll(() => namesFor('alice', unused)).toContain(repo)
  expect(await namesFor('alice', unused)).not.toContain(null)
  expect(await namesFor('bob', unused)).toEqual([])
  const others = await scene.request('alice', '/api/v1/deliveries?limit=100')
  const statuses = others.body.deliveries.map(({ status }: Entry) => status)
  expect(statuses).not.toContain('unused')
  expect(await scene.request('bob', `${unused}&repo=${repo}`)).toMatchObject({ status: 403 })
})
