// Tests whether a repository's health is reported: deliveries, identity, reviews, scan and risk.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'

let scene: ConnectScenario
let repo: string
beforeAll(async () => {
  scene = await startConnectScenario({
    env: { PLATFORM_TOKEN: '', REVIEW_MAX_ATTEMPTS: '1', GRAPH: 'on' },
  })
  repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  expect((await scene.connect('alice', repo)).status).toBe(200)
})
afterAll(() => scene[Symbol.asyncDispose]())

async function readHealth() {
  const { status, body } = await scene.request('alice', `/api/v1/repos/${repo}/health`)
  expect(status).toBe(200)
  const states = body.checks.map(({ name, state }: Record<string, string>) => [name, state])
  return { ...body, states: Object.fromEntries(states) }
}

async function readListed() {
  const { body } = await scene.request('alice', '/api/v1/repos?connected=true')
  return body.repositories.find((one: { repo: string }) => one.repo === repo).health
}

const healthy = { deliveries: 'ok', token: 'ok', reviews: 'ok', scan: 'ok' }

it('reports a new repository as healthy, and who reviews it', async () => {
  const health = await readHealth()
  expect(health.states).toEqual({ ...healthy, reviews: 'none' })
  expect(health).toMatchObject({
    repo,
    last_delivery_at: expect.any(String),
    identity: { kind: 'person', login: 'alice', can_write: true },
    risk: [],
  })
  expect(await readListed()).toEqual({ state: 'ok', messages: [] })
})

it('ranks files by their own findings for each pull request', async () => {
  const flaw = 'export const isBad = (n: number) => n === NaN\n'
  const files = { 'src/bad.ts': flaw, 'src/good.ts': 'export const good = 1\n' }
  await scene.forge.push(repo, 'topic', files, { author: 'alice' })
  await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await scene.forge.waitForDelivery((one) => one.repo === repo && one.action === 'opened')
  await waitUntilSettled(scene.app)
  const health = await readHealth()
  expect(health.last_delivery_at).toMatch(/Z$/)
  expect(health.risk).toEqual([{ path: 'src/bad.ts', pull_requests: 1, findings: 1 }])
})

it('reports refused deliveries until one is accepted', async () => {
  const headers = {
    'x-github-event': 'pull_request',
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
    'content-type': 'application/json',
  }
  const refused = await fetch(`${scene.app.url}/api/v1/webhooks/host`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ action: 'opened', repository: { full_name: repo } }),
  })
  expect(refused.status).toBe(403)
  const readState = async () => (await readHealth()).states.deliveries
  await expect.poll(readState).toBe('warning')
  expect(await readListed()).toMatchObject({
    state: 'warning',
    messages: [expect.stringContaining('The last delivery was refused')],
  })
  await scene.forge.push(repo, 'topic', { 'src/more.ts': 'export const more = 1\n' })
  await scene.forge.waitForDelivery((one) => one.repo === repo && one.action === 'synchronize')
  await waitUntilSettled(scene.app)
  expect((await readHealth()).states).toEqual(healthy)
})

it('reports that no token works, and what to do', async () => {
  scene.forge.revokeToken(tokenOf('alice'))
  const health = await readHealth()
  expect(health.identity).toBeNull()
  expect(health.checks).toContainEqual({
    name: 'token',
    state: 'problem',
    message: expect.stringContaining('No user who connected this repository can read it'),
    remedy: 'Someone who connected it has to sign in again.',
  })
  scene.forge.createUser('alice', { token: tokenOf('alice') })
  expect((await scene.request('bob', `/api/v1/repos/${repo}/health`)).status).toBe(403)
})
