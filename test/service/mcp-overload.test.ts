// Tests the MCP server under more calls than it can answer, on each database engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callTool, type McpStream, makeRequest, openMcpStream } from '../mcp-client.ts'
import { pullRequestPayload, startTestApp, type TestApp } from '../start-app.ts'

const repo = 'acme/shop'
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ parts: { web: true, worker: false } })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Blocks all reads of reviews until it is disposed of. */
async function blockReviews(): Promise<AsyncDisposable> {
  const held = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const work = app.db.transaction().execute(async (tx) => {
    await sql`lock table workflow_runs in access exclusive mode`.execute(tx)
    held.resolve()
    await end.promise
  })
  await Promise.race([held.promise, work])
  return {
    async [Symbol.asyncDispose]() {
      end.resolve()
      await work
    },
  }
}

/** Resolves when all calls have arrived; their answers come on the stream. */
async function sendCalls(stream: McpStream, count: number): Promise<void> {
  const message = makeRequest('tools/call', { name: 'get_recent_reviews', arguments: { repo } })
  const answers = await Promise.all(
    Array.from({ length: count }, (_, id) => stream.post({ ...message, id })),
  )
  expect(new Set(answers)).toEqual(new Set([202]))
}

async function takeAnswers(stream: McpStream, count: number) {
  const answers: Awaited<ReturnType<McpStream['next']>>[] = []
  while (answers.length < count) answers.push(await stream.next())
  return answers
}

it('accepts a delivery before hundreds of earlier calls are answered', async () => {
  using stream = await openMcpStream(app.url)
  const calls = 400
  let answered = 0
  await using held = await blockReviews()
  await sendCalls(stream, calls)
  const counting = (async () => {
    for (; answered < calls; answered++) await stream.next()
  })()
  const delivery = app.deliver(pullRequestPayload({ repo, number: 1 }))
  await held[Symbol.asyncDispose]()
  expect(await delivery).toMatchObject({ status: 200 })
  expect(answered).toBeLessThan(calls)
  await counting
})

it('refuses calls over the limit at once and answers all waiting ones', async () => {
  using stream = await openMcpStream(app.url)
  const busy = 'Too many calls are waiting: try again later'
  await using held = await blockReviews()
  await sendCalls(stream, 510)
  const refused = await takeAnswers(stream, 10)
  for (const { result } of refused)
    expect(result).toMatchObject({ content: [], _meta: { error: busy } })
  await held[Symbol.asyncDispose]()
  const rest = await takeAnswers(stream, 500)
  expect(rest.filter(({ result }) => result._meta !== undefined)).toEqual([])
  expect(await callTool(app.url, 'get_recent_reviews', { repo })).toEqual([])
})
