// The configured settings, as the page shows them without secrets.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Forge, startForge } from '../fakes/forge/forge.ts'
import { type ContextServer, startContextServer } from '../fakes/mcp/context-server.ts'
import { forgeEnvironment, reviewerToken } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp, webhookSecret } from '../start-app.ts'

const secrets = {
  ANTHROPIC_API_KEY: 'sk-ant-0123456789',
  LINEAR_API_KEY: 'lin_api_0123456789',
  SLACK_TOKEN: 'xoxp-0123456789',
  UMPIRE_TOKEN: 'the-token-of-an-agent',
  OAUTH_CLIENT_SECRET: 'the-secret-of-the-application',
}

let forge: Forge
let linear: ContextServer
let slack: ContextServer
let app: TestApp
let alice: SignedInUser
beforeAll(async () => {
  forge = await startForge()
  forge.createUser('alice', { token: 'ghp_token_of_alice' })
  linear = await startContextServer({ tools: { get_issue: () => 'nothing' } })
  slack = await startContextServer({ tools: { slack_send_message: () => 'sent' } })
  const env = {
    ...forgeEnvironment(forge),
    ...secrets,
    OAUTH_CLIENT_ID: 'the-application',
    MODEL: 'anthropic:claude-sonnet-4-5',
    REVIEW_BUDGET_USD: '0.5',
    MCP_ACCESS: 'token',
    GRAPH: 'off',
    LINEAR_MCP_URL: linear.url,
    SLACK_MCP_URL: slack.url,
  }
  app = await startTestApp({ env, parts: { web: true, worker: false } })
  alice = await signInWithToken(app, 'ghp_token_of_alice')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  for (const server of [linear, slack, forge]) await server[Symbol.asyncDispose]()
})

async function request(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/api/v1/${path}`, { headers })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) }
}

it('shows the settings to people who are signed in', async () => {
  expect((await request('settings')).status).toBe(401)
  const { status, body } = await request('settings', alice.cookie)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    public_url: app.app.context.config.http.publicUrl,
    platform: { id: 'github', url: forge.url, oauth: true, token: true },
    models: {
      main: { name: 'anthropic:claude-sonnet-4-5', priced: true },
      fast: { name: 'anthropic:claude-sonnet-4-5' },
      embedder: null,
      budget: { per_review_usd: 0.5, per_day_usd: null, per_owner_day_usd: null },
    },
    review: { mode: 'agentic' },
    memory: true,
    graph: false,
    mcp: { access: 'token', agent_tools: expect.any(Boolean) },
    sources: [
      { name: 'linear', kind: 'tickets' },
      { name: 'slack', kind: 'discussion' },
    ],
  })
  expect((await request('settings', alice.bearer)).body).toEqual(body)
})

it('shows neither secrets nor addresses of sources', async () => {
  const { text } = await request('settings', alice.bearer)
  const hidden = [...Object.values(secrets), reviewerToken, webhookSecret]
  expect(app.app.context.secrets).toEqual(expect.arrayContaining(hidden))
  for (const secret of [...hidden, linear.url, slack.url]) expect(text).not.toContain(secret)
})

it('shows which sources respond, and caches the result', async () => {
  expect((await request('settings/sources')).status).toBe(401)
  const expected = {
    sources: [
      { name: 'linear', kind: 'tickets', fault: null },
      { name: 'slack', kind: 'discussion', fault: 'it offers no tool slack_search_public' },
    ],
  }
  expect((await request('settings/sources', alice.bearer)).body).toEqual(expected)
  const requestsBefore = slack.headers.length
  slack.setOptions({ tools: { slack_search_public: () => 'nothing' } })
  expect((await request('settings/sources', alice.cookie)).body).toEqual(expected)
  expect(slack.headers).toHaveLength(requestsBefore)
})
