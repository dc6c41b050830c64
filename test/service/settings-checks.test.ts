// Checks of the deployment, as administrators see them on the page.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Forge, replyWith } from '../fakes/forge/forge.ts'
import { type ModelServer, startModelServer } from '../fakes/models/model-server.ts'
import { forgeEnvironment, reviewerToken, startShopForge } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp, webhookSecret } from '../start-app.ts'

const modelKey = 'sk-canary-0123456789-model'

interface Check {
  readonly name: string
  readonly state: string
  readonly message: string
  readonly remedy: string | null
}

let forge: Forge
let model: ModelServer
let app: TestApp
let root: SignedInUser
let alice: SignedInUser
beforeAll(async () => {
  forge = await startShopForge()
  model = await startModelServer({ protocol: 'openai-chat', script: () => ({ text: 'ready' }) })
  const env = {
    ...forgeEnvironment(forge),
    MODEL: 'compatible:local',
    MODEL_BASE_URL: model.url,
    MODEL_API_KEY: modelKey,
  }
  app = await startTestApp({ env, parts: { web: true, worker: false } })
  // The first account is an administrator.
  for (const login of ['root', 'alice']) forge.createUser(login, { token: `ghp_token_of_${login}` })
  root = await signInWithToken(app, 'ghp_token_of_root')
  alice = await signInWithToken(app, 'ghp_token_of_alice')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await model.close()
  await forge[Symbol.asyncDispose]()
})

async function requestChecks(headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/api/v1/settings/checks`, { headers })
  const text = await response.text()
  return {
    status: response.status,
    text,
    body: JSON.parse(text) as { checks: Check[]; detail?: string },
  }
}

it('are visible to administrators only', async () => {
  expect((await requestChecks()).status).toBe(401)
  expect(await requestChecks(alice.bearer)).toMatchObject({
    status: 403,
    body: { detail: 'For administrators only' },
  })
  expect(model.requests).toHaveLength(0)
})

it('report results with remedies, and run once for concurrent requests', async () => {
  forge.faults.add({ match: ({ path }) => path.endsWith('/user'), action: replyWith(401) })
  const answers = await Promise.all([
    requestChecks(root.bearer),
    requestChecks(root.cookie),
    requestChecks(root.bearer),
  ] as const)
  const [{ status, body, text }] = answers
  expect(status).toBe(200)
  expect(new Set(answers.map((one) => one.text)).size).toBe(1)
  expect(model.requests).toHaveLength(1)
  const of = (name: string) => body.checks.filter((check) => check.name === name)
  expect(of('git')).toMatchObject([{ state: 'ok', remedy: null }])
  expect(of('database')).toMatchObject([
    { state: 'ok', message: expect.stringContaining(String(process.pid)) },
  ])
  // No key is configured, so one was generated in the data folder.
  expect(of('secret key')).toMatchObject([
    { state: 'ok', message: expect.stringContaining('Generated') },
  ])
  expect(of('model')).toEqual([
    { name: 'model', state: 'ok', message: 'compatible:local answers.', remedy: null },
  ])
  expect(of('platform token')).toMatchObject([
    { state: 'problem', remedy: 'Create a new one on GitHub and set it.' },
  ])
  expect(of('sign-in application')).toMatchObject([{ state: 'skipped' }])
  expect(of('sign-in')).toMatchObject([
    { state: 'warning', remedy: expect.stringContaining('SIGN_IN_ALLOWED') },
  ])
  expect(app.app.context.secrets).toEqual(
    expect.arrayContaining([modelKey, reviewerToken, webhookSecret]),
  )
  for (const secret of app.app.context.secrets.filter((one) => one !== ''))
    expect(text).not.toContain(secret)
})

it('run again only after a while', async () => {
  const { text } = await requestChecks(root.bearer)
  expect((await requestChecks(root.cookie)).text).toBe(text)
  expect(model.requests).toHaveLength(1)
})
