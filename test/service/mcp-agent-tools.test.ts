// Tests MCP tools for agents with a token: findings, reviews, callers and memories.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { flaws } from '../knowledge-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

let scene: ConnectScenario
let repo: string
let number: number
beforeAll(async () => {
  scene = await startConnectScenario({ env: { MCP_AGENT_TOOLS: 'on', GRAPH: 'off' } })
  repo = await scene.createRepository()
  await scene.forge.push(
    repo,
    'main',
    { 'src/a.ts': 'export const one = 1\n' },
    { author: 'alice', message: 'Start' },
  )
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  await scene.forge.push(
    repo,
    'topic',
    { 'src/a.ts': flaws.critical() },
    { author: 'alice', message: 'Change' },
  )
  number = await scene.forge.openPullRequest({
    repo,
    head: 'topic',
    title: 'A change',
    body: '',
    author: 'alice',
  })
  await scene.forge.waitFor(() => scene.forge.deliveries.some(({ status }) => status === 200), {
    description: 'a delivery',
  })
  await waitUntilSettled(scene.app)
})
afterAll(() => scene[Symbol.asyncDispose]())

async function connect(person: Person | null) {
  const headers = person === null ? {} : (await signInWithToken(scene.app, tokenOf(person))).bearer
  const transport = new StreamableHTTPClientTransport(new URL(`${scene.app.url}/mcp`), {
    requestInit: { headers },
  })
  const client = new Client({ name: 'an agent', version: '1' })
  await client.connect(transport)
  return client
}

async function call(person: Person | null, name: string, given: object) {
  const client = await connect(person)
  try {
    return (await client.callTool({ name, arguments: { repo, ...given } })).structuredContent
  } finally {
    await client.close()
  }
}

const denied = 'Repo not connected or access denied'
const agentTools = ['list_pr_findings', 'request_review', 'find_callers', 'search_memory']

it('offers the tools only to callers with a token', async () => {
  const names = async (person: Person | null) => {
    const client = await connect(person)
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name)
  }
  expect(await names('alice')).toEqual(expect.arrayContaining(agentTools))
  expect((await names(null)).filter((name) => agentTools.includes(name))).toEqual([])
  await expect(call(null, 'list_pr_findings', { pr_number: number })).rejects.toThrow(/no tool/)
})

it('lists findings with the URLs of their comments', async () => {
  const found = await call('alice', 'list_pr_findings', { pr_number: number })
  const [comment] = scene.forge.pullRequest(repo, number).inlineComments
  expect(found).toMatchObject({
    result: [
      {
        severity: 'critical',
        path: 'src/a.ts',
        side: 'RIGHT',
        url: expect.stringContaining(String(comment?.id)),
      },
    ],
  })
})

it('starts a review on request and waits for its verdict', async () => {
  await scene.forge.push(
    repo,
    'other',
    { 'src/b.ts': 'export const two = 2\n' },
    { author: 'alice', message: 'Add' },
  )
  const other = await scene.forge.openPullRequest({
    repo,
    head: 'other',
    title: 'Another',
    body: '',
    author: 'alice',
  })
  const first = await call('alice', 'request_review', { pr_number: other, wait_seconds: 60 })
  expect(first).toMatchObject({
    pr_number: other,
    status: 'completed',
    verdict: 'APPROVED',
    findings: [],
  })
  const before = await scene.app.db
    .selectFrom('workflowRuns')
    .select('id')
    .where('prNumber', '=', other)
    .execute()
  const again = await call('alice', 'request_review', { pr_number: other, wait_seconds: 60 })
  expect(again).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  const after = await scene.app.db
    .selectFrom('workflowRuns')
    .select('id')
    .where('prNumber', '=', other)
    .execute()
  expect(after.length).toBe(before.length + 1)
  expect(await call('alice', 'request_review', { pr_number: 999 })).toEqual({
    error: `${repo}#999 is not known here`,
  })
})

it('limits each person to 60 requested reviews an hour', async () => {
  const { db } = scene.app
  const { id: user_id } = await db
    .selectFrom('users')
    .select('id')
    .where('login', '=', 'alice')
    .executeTakeFirstOrThrow()
  const entry = {
    user_id,
    login: 'alice',
    action: 'review_retried',
    subject: 'acme/other#1',
  } as const
  const entries = await db
    .insertInto('auditLog')
    .values(Array.from({ length: 60 }, () => entry))
    .returning('id')
    .execute()
  expect(await call('alice', 'request_review', { pr_number: number })).toEqual({
    error: 'You requested more than 60 reviews in an hour: try again later',
  })
  await db
    .updateTable('auditLog')
    .set({ createdAt: sql`now() - interval '61 minutes'` })
    .where('id', '=', entries[0]!.id)
    .execute()
  const given = { pr_number: number, wait_seconds: 60 }
  expect(await call('alice', 'request_review', given)).toMatchObject({ status: 'completed' })
})

it('searches memories', async () => {
  const text = 'Amounts of money are whole cents.'
  const { status } = await fetch(
    `${scene.app.url}/api/v1/memory?repo=${encodeURIComponent(repo)}`,
    {
      method: 'POST',
      headers: {
        ...(await signInWithToken(scene.app, tokenOf('alice'))).bearer,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ type: 'project_pattern', text }),
    },
  )
  expect(status).toBe(200)
  const found = await call('alice', 'search_memory', { query: 'money', limit: 1 })
  expect(found).toMatchObject({
    result: [{ memory: text, type: 'project_pattern', trust: 'person' }],
  })
})

it('finds no callers without a code graph', async () => {
  expect(await call('alice', 'find_callers', { symbol: 'one' })).toEqual({ result: [] })
})

it('returns nothing about repositories that the caller did not connect', async () => {
  expect(await call('bob', 'list_pr_findings', { pr_number: number })).toEqual({ result: [] })
  expect(await call('bob', 'request_review', { pr_number: number })).toEqual({ error: denied })
  expect(await call('bob', 'search_memory', { query: 'money' })).toEqual({ result: [] })
  expect(await call('bob', 'get_pr_verdict', { pr_number: number })).toEqual({ error: denied })
})
