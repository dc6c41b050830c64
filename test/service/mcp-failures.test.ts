// Tests MCP tools with a broken, slow or disabled backend, on each database engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findPostgresql, startPostgresql } from '../fakes/postgresql-server.ts'
import { testEngine } from '../fakes/test-database.ts'
import { callTool, openMcpStream, sendRequest } from '../mcp-client.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

const parts = { web: true, worker: false }
const repo = 'acme/shop'
const unreadable = 'The answer could not be read from the database. Try again later.'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ parts, env: { GRAPH_QUERY_TIMEOUT_MS: '300' } })
  await saveReviewedChange(app)
})
afterAll(() => app[Symbol.asyncDispose]())

async function saveReviewedChange({ db }: TestApp): Promise<void> {
  const pull = {
    repo,
    number: 1,
    title: 'A change',
    author: 'alice',
    branch: 'topic',
    baseBranch: 'main',
    url: '',
  }
  const state = {
    state: 'open' as const,
    draft: false,
    headSha: '',
    additions: 0,
    deletions: 0,
    updatedAt: new Date(),
  }
  await db
    .insertInto('pullRequests')
    .values({ ...pull, ...state })
    .execute()
  const run = {
    workflowType: 'pr_review',
    repo,
    prNumber: 1,
    status: 'completed',
    attempts: 1,
  } as const
  const { id } = await db
    .insertInto('workflowRuns')
    .values({ ...run, verdict: 'APPROVE', summary: 'Fine' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    insert into pull_request_files (run_id, repo, pr_number, author, latest, requested_changes,
      path, status, additions, deletions)
    values (${id}, ${repo}, 1, 'alice', true, false, 'src/a.ts', 'modified', 1, 0)`.execute(db)
}

/** Calls all four tools. */
async function callAll(url: string, name = repo) {
  return {
    reviews: await callTool(url, 'get_recent_reviews', { repo: name }),
    contributors: await callTool(url, 'get_contributor_stats', { repo: name }),
    verdict: (await callTool(url, 'get_pr_verdict', { repo: name, pr_number: 1 }))[0],
    health: (await callTool(url, 'get_repo_health', { repo: name }))[0],
  }
}

const broken = {
  reviews: [],
  contributors: [],
  verdict: { error: unreadable },
  health: {
    repo,
    review_coverage_pct: 0,
    avg_merge_time_hours: null,
    open_prs_indexed: 0,
    health_score: 0,
    note: expect.any(String),
    error: unreadable,
  },
}

it('answers when the backend works', async () => {
  // Another spelling than below, since answers are cached for a moment.
  expect(await callAll(app.url, 'Acme/Shop')).toMatchObject({
    reviews: [{ repo, pr_number: 1 }],
    contributors: [{ login: 'alice', pr_count: 1 }],
    verdict: { repo, verdict: 'APPROVED' },
    health: { repo, open_prs_indexed: 1 },
  })
})

describe('case 69: missing tables', () => {
  beforeEach(async () => {
    const rename = (from: string, to: string) =>
      sql`alter table ${sql.table(from)} rename to ${sql.id(to)}`.execute(app.db)
    await rename('workflow_runs', 'moved')
    return async () => void (await rename('moved', 'workflow_runs'))
  })

  it('case 69: make lists empty and objects an error without database details', async () => {
    expect(await callAll(app.url)).toEqual(broken)
    const { result } = await sendRequest(app.url, 'tools/call', {
      name: 'get_recent_reviews',
      arguments: { repo },
    })
    expect(result).toMatchObject({ content: [], structuredContent: { result: [] } })
    expect(result.isError).toBeUndefined()
  })

  it('case 69: make the resource an error without database details', async () => {
    const { error } = await sendRequest(app.url, 'resources/read', {
      uri: `umpire://repos/${repo}/reviews`,
    })
    expect(error).toEqual({ code: -32603, message: unreadable })
  })

  it('case 69: make an error on a stream, which stays open', async () => {
    using stream = await openMcpStream(app.url)
    const call = { name: 'get_pr_verdict', arguments: { repo, pr_number: 1 } }
    expect(await stream.request('tools/call', call)).toMatchObject({
      result: { structuredContent: { error: unreadable } },
    })
    expect(await stream.request('ping')).toMatchObject({ result: {} })
  })
})

it('case 69: returns an empty list for a query over its time limit', async () => {
  // The lock blocks all other readers until the transaction ends.
  await app.db.transaction().execute(async (tx) => {
    await sql`lock table pull_request_files in access exclusive mode`.execute(tx)
    expect(await callTool(app.url, 'get_contributor_stats', { repo })).toEqual([])
  })
  expect(await callTool(app.url, 'get_contributor_stats', { repo })).toEqual([
    { login: 'alice', pr_count: 1 },
  ])
})

it('case 69: returns no contributors with GRAPH=off', async () => {
  await using other = await startTestApp({ parts, env: { GRAPH: 'off' } })
  await saveReviewedChange(other)
  expect(await callAll(other.url)).toMatchObject({
    reviews: [{ repo }],
    contributors: [],
    verdict: { verdict: 'APPROVED' },
    health: { open_prs_indexed: 1 },
  })
})

it('case 69: answers errors while the database is down', async (context) => {
  context.skip(
    testEngine === 'embedded',
    'the embedded database runs in the process of the service',
  )
  const programs = findPostgresql()
  context.skip(programs === null, 'no programs of PostgreSQL to start a server with')
  await using server = await startPostgresql(programs!)
  const config = { engine: 'postgresql', url: server.url, poolSize: 5 } as const
  await using other = await startTestApp({ parts, database: { config, dispose: async () => {} } })
  await saveReviewedChange(other)
  using stream = await openMcpStream(other.url)
  await server.kill()
  expect(await callAll(other.url)).toEqual(broken)
  expect(await stream.request('tools/list')).toMatchObject({ result: { tools: expect.any(Array) } })
  await server.start()
  expect(await callAll(other.url)).toMatchObject({
    reviews: [{ repo }],
    verdict: { verdict: 'APPROVED' },
  })
})
