// `umpire review --context`: queries trackers and chats for a local change or a pull request.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ContextServer, startContextServer } from './fakes/mcp/context-server.ts'
import { linearIssue } from './fakes/mcp/vendor-responses.ts'
import { type ModelServer, startModelServer } from './fakes/models/model-server.ts'
import {
  type LocalTestRepository,
  makeLocalRepository,
  reviewAsJson,
} from './local-test-repository.ts'
import { forgeEnvironment, repo, startShopForge } from './review-scenario.ts'

const ticket = {
  title: 'Totals are \u001b[31mwrong',
  description: 'Ten articles must get a tenth off.',
}
const link = 'https://linear.app/acme/issue/SHOP-12/totals'
const record = { source: 'linear', kind: 'tickets', key: 'SHOP-12', url: link }

let linear: ContextServer
let model: ModelServer
let repository: LocalTestRepository
beforeAll(async () => {
  linear = await startContextServer({
    tools: {
      get_issue: ({ id }) => (id === 'SHOP-12' ? linearIssue(id, ticket) : { failed: 'not found' }),
    },
  })
  model = await startModelServer({
    protocol: 'openai-chat',
    script: () => ({ json: { summary: '', findings: [] } }),
  })
  repository = await makeLocalRepository()
  await repository.commit({ 'totals.ts': 'export const total = 1\n' })
  await repository.git('switch', '--quiet', '--create', 'alice/shop-12-totals')
  await repository.write({ 'totals.ts': 'export const total = 2\n' })
})
afterAll(async () => {
  for (const part of [linear, model]) await part[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const sources = () => ({ LINEAR_MCP_URL: linear.url, LINEAR_API_KEY: 'lin_api_0123456789' })

it('prints context records for terminals and programs only with --context', async () => {
  const { code, stdout } = await repository.review(['--context'], { env: sources() })
  expect(code).toBe(0)
  expect(stdout).toContain(`- linear: SHOP-12: Totals are`)
  expect(stdout).toContain(link)
  expect(stdout).not.toContain('\u001b')
  expect(stdout).not.toContain('tenth off')
  const report = await reviewAsJson(repository, ['--context'], { env: sources() })
  expect(report).toMatchObject({ sources: { records: [record], missing: [] } })
  const calls = linear.calls.length
  expect(await reviewAsJson(repository, [], { env: sources() })).toMatchObject({
    sources: { records: [], missing: [] },
  })
  expect(linear.calls).toHaveLength(calls)
})

it('lets the model read context records and cite them in a finding', async () => {
  const place = {
    path: 'totals.ts',
    side: 'RIGHT',
    start_line: 1,
    end_line: 1,
    quote: 'export const total = 2',
  }
  const claim = {
    severity: 'minor',
    category: 'correctness',
    title: 'No tenth off',
    body: 'None.',
    suggestion: null,
  }
  model.respondWith(({ text }) => ({
    json: {
      summary: '',
      findings: [
        {
          ...place,
          ...claim,
          evidence: [],
          confidence: 0.9,
          rests_on: /^R1 \(linear/m.test(text) ? 'R1' : null,
        },
      ],
    },
  }))
  const env = {
    ...sources(),
    MODEL: 'compatible:local',
    MODEL_BASE_URL: model.url,
    MODEL_API_KEY: 'sk-test-0123456789',
  }
  const report = await reviewAsJson(repository, ['--context'], { env })
  expect(report.findings).toMatchObject([{ title: 'No tenth off', rests_on: record }])
  expect((await repository.review(['--context'], { env })).stdout).toContain(
    'Based on linear: SHOP-12: Totals are',
  )
})

it('lists sources that fail without making the review partial', async () => {
  const file = join(repository.home, 'sources.json')
  const silent = {
    name: 'tracker',
    kind: 'tickets',
    url: 'http://127.0.0.1:9/mcp',
    look_up: { tools: ['get_issue'], arguments: {} },
  }
  const headers = { Authorization: `Bearer \${TRACKER_TOKEN}` }
  await writeFile(
    file,
    JSON.stringify({ sources: [{ ...silent, headers, repositories: ['acme/*'] }] }),
  )
  const env = { ...sources(), CONTEXT_SOURCES: file, TRACKER_TOKEN: 'tracker-token-0123456789' }
  const report = await reviewAsJson(repository, ['--context'], { env })
  const reason = 'it could not be reached, or its answer could not be understood'
  expect(report).toMatchObject({
    exit_code: 0,
    sources: { records: [record], missing: [{ source: 'tracker', reason }] },
  })
  expect(report.coverage?.notes).toContain(`Without tracker: ${reason}.`)
})

it.each<[what: string, env: Record<string, string>, problem: RegExp]>([
  [
    'nothing set up',
    {},
    new RegExp(
      '^umpire: --context needs an issue tracker, error tracker or chat: ' +
        'configure one in the environment, see docs/',
    ),
  ],
  [
    'half a source',
    { LINEAR_API_KEY: 'lin_api_0123456789' },
    /LINEAR_MCP_URL and LINEAR_API_KEY belong together/,
  ],
  ['a file that is missing', { CONTEXT_SOURCES: '/no/such.json' }, /CONTEXT_SOURCES can't be read/],
])('suggests a fix for %s', async (_, env, problem) => {
  const { code, stderr, stdout } = await repository.review(['-q', '--context'], { env })
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toMatch(problem)
  expect(stderr).not.toContain('lin_api')
  expect((await repository.review(['-q'], { env })).code).toBe(0)
})

it('queries for a pull request only sources that its repository may read', async () => {
  const forge = await startShopForge()
  try {
    await forge.push(
      repo,
      'topic',
      { 'src/new.ts': 'export const fresh = 1\n' },
      { author: 'alice', message: 'A' },
    )
    const number = await forge.openPullRequest({
      repo,
      head: 'topic',
      title: 'SHOP-12',
      author: 'alice',
    })
    const run = { env: { ...forgeEnvironment(forge), ...sources() }, cwd: repository.home }
    const address = `${forge.url}/${repo}/pull/${number}`
    const open = await reviewAsJson(repository, [address, '--context'], run)
    expect(open).toMatchObject({ sources: { records: [] } })
    expect(open.coverage?.notes.join()).toContain(
      'Without linear: its rules exclude this pull request',
    )
    forge.setPrivate(repo, true)
    expect(await reviewAsJson(repository, [address, '--context'], run)).toMatchObject({
      sources: { records: [record] },
    })
  } finally {
    await forge.close()
  }
})
