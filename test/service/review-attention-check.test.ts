// The attention check from end to end: reviews that fail it, and canaries that must not leak.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCanaryFinding, findCanary, isReviewRequest } from '../fakes/models/attentive-model.ts'
import {
  type ModelServer,
  type Reply,
  type Script,
  startModelServer,
} from '../fakes/models/model-server.ts'
import {
  type KnowledgeRepository,
  type KnowledgeScenario,
  startKnowledgeScenario,
} from '../knowledge-scenario.ts'

const path = 'src/discount.ts'
const discount = `export function discountOf(count: number): number {
  // Ten and more get a tenth off.
  return count > 10 ? 0.1 : 0
}
`
const finding = {
  ...{ path, side: 'RIGHT', start_line: 3, end_line: 3, quote: 'return count > 10 ? 0.1 : 0' },
  ...{
    severity: 'moderate',
    category: 'correctness',
    title: 'Exactly ten articles get no discount',
  },
  ...{
    body: 'When `count` is 10, then the discount is 0.',
    suggestion: null,
    evidence: [],
    confidence: 0.9,
  },
}
const fine: Reply = { json: { summary: 'It adds discounts.', findings: [] } }
/** A model that reports the canary and finds nothing wrong with the change. */
const reads: Script = (request) => addCanaryFinding(request, fine)

let scenario: KnowledgeScenario
let server: ModelServer
let repository: KnowledgeRepository

async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startModelServer({ protocol: 'anthropic', script: () => fine, attentive: false })
  const model = {
    MODEL: 'anthropic:claude-opus-5-5',
    MODEL_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test-012345',
  }
  scenario = await startKnowledgeScenario({ env: { ...model, ...env } })
  repository = await scenario.createRepository({ 'src/orders.ts': 'export const orders = []\n' })
}

async function stop(): Promise<void> {
  await scenario[Symbol.asyncDispose]()
  await server.close()
}

/** Reviews a change with this model script and returns the requests, the run and the comments. */
async function review(script: Script, files: Record<string, string> = { [path]: discount }) {
  server.respondWith(script)
  const before = server.requests.length
  const number = await repository.propose('alice', files)
  const requests = server.requests.slice(before)
  const view = scenario.forge.pullRequest(repository.name, number)
  const run = await scenario.app.db
    .selectFrom('workflowRuns')
    .selectAll()
    .where('repo', '=', repository.name)
    .where('prNumber', '=', number)
    .executeTakeFirstOrThrow()
  const summary = view.comments.find(({ author }) => author === 'olga')?.body ?? ''
  const inline = view.inlineComments.filter(({ author }) => author === 'olga')
  return { number, requests, run, summary, inline }
}

/** Returns the random words of all canary files that the model was shown. */
function canaryWords(): string[] {
  const canaries = server.requests
    .filter(isReviewRequest)
    .flatMap(({ text }) => findCanary(text) ?? [])
  return canaries.map(
    ({ path }) => /[a-z]{8}/.exec(path.slice(path.lastIndexOf('/')).toLowerCase())![0],
  )
}

/** Returns every stored row as text. */
async function dumpDatabase(): Promise<string> {
  const { db } = scenario.app
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const dumps: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{
      text: string
    }>`select to_jsonb(t)::text as text from ${sql.table(name)} t`.execute(db)
    dumps.push(`${name}: ${rows.map(({ text }) => text).join('\n')}`)
  }
  return dumps.join('\n')
}

/** Collects what is visible outside of the model: platform requests, the database, the API. */
async function collectTraces(): Promise<Record<string, string>> {
  const { forge } = scenario
  return {
    platform: JSON.stringify(
      forge.requests.map(({ path, query, body }) => [decodeURIComponent(path), query, body]),
    ),
    database: await dumpDatabase(),
    review: JSON.stringify(
      await repository.get(`/reviews/${(await scenario.app.events()).at(-1)!.id}`),
    ),
    memories: JSON.stringify(await repository.get('/memory')),
    contributors: JSON.stringify(await repository.get('/analytics/contributors')),
    graph: JSON.stringify(await repository.get('/analytics/graph')),
  }
}

async function expectNoTrace(): Promise<void> {
  const words = canaryWords()
  expect(words.length).toBeGreaterThan(0)
  for (const [where, text] of Object.entries(await collectTraces())) {
    expect(text, where).not.toMatch(/^\{"detail"/)
    for (const word of words) expect(text.toLowerCase(), where).not.toContain(word)
  }
}

describe.each(['agentic', 'parallel'])('case 75: in %s mode', (mode) => {
  beforeAll(() => start({ REVIEW_MODE: mode }))
  afterAll(stop)
  // Parallel mode has five specialists. Each round is repeated once when the check fails.
  const rounds = mode === 'agentic' ? 1 : 5

  it('case 75: does not approve when the model finds nothing at all', async () => {
    const { requests, run, summary, inline } = await review(() => fine)
    expect(requests).toHaveLength(2 * rounds)
    expect(run).toMatchObject({ status: 'completed', verdict: 'NEEDS_DISCUSSION' })
    expect(summary).toContain('It gave no proof of having read what it was shown.')
    expect(inline).toEqual([])
  })

  it('case 75: approves a fine change when only the canary is reported', async () => {
    const { requests, run, summary, inline } = await review(reads)
    expect(requests).toHaveLength(rounds)
    expect(run).toMatchObject({ status: 'completed', verdict: 'APPROVE', confidence: 5 })
    expect(summary).not.toContain('no proof')
    expect(inline).toEqual([])
  })

  it('case 75: keeps a real finding and verifies it without the canary', async () => {
    const { requests, run, inline } = await review((request) => {
      if (request.system.startsWith('Several specialists'))
        return { json: { summary: 'One.', dropped: [] } }
      return addCanaryFinding(request, { json: { summary: 'Wrong at ten.', findings: [finding] } })
    })
    expect(run).toMatchObject({ verdict: 'NEEDS_DISCUSSION' })
    expect(inline.map(({ path, line }) => [path, line])).toEqual([[path, 3]])
    const words = canaryWords()
    for (const { text } of requests.filter((request) => !isReviewRequest(request)))
      for (const word of words) expect(text.toLowerCase()).not.toContain(word)
  })

  it('case 75: discards tool calls about the canary file and text that names it', async () => {
    const { requests, run } = await review((request) => {
      const canary = isReviewRequest(request) ? findCanary(request.text) : undefined
      if (canary === undefined) return fine
      const inputs = [
        { name: 'show_history', input: { path: canary.path } },
        { name: 'read_file', input: { path: canary.path } },
      ]
      if (request.toolResults.length === 0) return { toolCalls: inputs }
      const title = `As in ${canary.path}, ten articles get no discount`
      const words = {
        summary: `It adds discounts. It adds ${canary.path}.`,
        findings: [{ ...finding, title }],
      }
      return addCanaryFinding(request, { json: words })
    })
    expect(requests.filter(isReviewRequest)).toHaveLength(2 * rounds)
    expect(run).toMatchObject({ verdict: 'NEEDS_DISCUSSION' })
  })

  it(
    'case 75: the canary reaches neither the platform, the database, the API nor the memory',
    expectNoTrace,
  )
})

describe('case 75: with the check off', () => {
  beforeAll(() => start({ ATTENTION_CHECK: 'off' }))
  afterAll(stop)

  it('case 75: approves silence with a confidence of at most 4 of 5', async () => {
    const { requests, run, summary } = await review(() => fine)
    expect(requests).toHaveLength(1)
    expect(run).toMatchObject({ verdict: 'APPROVE', confidence: 4 })
    expect(summary).toContain('whether the model read it was not checked')
  })
})
