// Sign-in, sessions and credentials, on each database engine.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Forge } from '../fakes/forge/forge.ts'
import { forgeEnvironment, startShopForge } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

let forge: Forge
let app: TestApp
beforeAll(async () => {
  forge = await startShopForge()
  app = await startTestApp({ env: forgeEnvironment(forge), parts: { web: true, worker: false } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

it('gives a session and a bearer token for a token of the platform', async () => {
  const alice = await signInWithToken(app, 'ghp_token_of_alice')
  expect(alice.bearer.authorization).toMatch(/^Bearer \S+\.\S+\.\S+$/)
})
