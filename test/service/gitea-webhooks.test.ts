// Tests connecting repositories of Gitea, whose webhooks are replaced to give them another secret.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requestWithCookie } from '../app-scenario.ts'
import { type Forge, startForge } from '../fakes/forge/forge.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp, type TestApp } from '../start-app.ts'

const repo = 'acme/shop'
const token = 'a'.repeat(40)
let forge: Forge
let app: TestApp
let alice: SignedInUser
beforeAll(async () => {
  forge = await startForge({ dialect: 'gitea' })
  forge.createUser('alice', { token })
  await forge.createRepository(repo, { private: true, admins: ['alice'] })
  app = await startTestApp({
    env: {
      ...{ PLATFORM: 'gitea', PLATFORM_URL: forge.url, PLATFORM_TOKEN: '' },
      ...{ MEMORY: 'off', GRAPH: 'off' },
    },
  })
  alice = await signInWithToken(app, token)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await forge.close()
})

const connect = () =>
  fetch(`${app.url}/api/v1/repos/${repo}/install`, { method: 'POST', headers: alice.bearer })
const rotate = () => {
  const path = `/api/v1/repos/${repo}/webhook-secret`
  return requestWithCookie(app, alice, path, { method: 'POST', body: {} })
}
const deliver = async (secret: string) =>
  (await app.deliver(pullRequestPayload({ repo, action: 'closed' }), { secret })).status

it('stores the webhook that replaced the former one, with the secrets of both', async () => {
  expect((await connect()).status).toBe(200)
  const [first] = forge.webhooks(repo)
  expect(await rotate()).toMatchObject({ status: 200 })
  const [second, ...others] = forge.webhooks(repo)
  expect(others).toEqual([])
  expect(second!.id).not.toBe(first!.id)
  const rows = app.db.selectFrom('installations').select('webhookId')
  expect(await rows.execute()).toEqual([{ webhookId: second!.id }])
  expect([await deliver(first!.secret), await deliver(second!.secret)]).toEqual([200, 200])
  // Another rotation finds the new one.
  expect(await rotate()).toMatchObject({ status: 200 })
  expect(forge.webhooks(repo)).toHaveLength(1)
})
