// Tests memory search by vectors of an embedding model, on each database engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { saveMemories } from '../../src/knowledge/memory/save-memories.ts'
import { startChangeGraphScenario } from '../change-graph-scenario.ts'
import { tokenOf } from '../connect-scenario.ts'
import {
  type EmbeddingServer,
  startEmbeddingServer,
  tokensPerRequest,
} from '../fakes/models/embedding-server.ts'
import { createTestDatabase } from '../fakes/test-database.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import { type ScanScenario, startScanScenario, waitForScan } from '../scan-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp } from '../start-app.ts'

const key = 'sk-test-0123456789'
let server: EmbeddingServer
let scene: ScanScenario
let alice: SignedInUser
beforeAll(async () => {
  server = await startEmbeddingServer()
  const env = {
    EMBEDDING_MODEL: 'compatible:words',
    EMBEDDING_BASE_URL: server.url,
    MODEL_API_KEY: key,
  }
  scene = await startScanScenario({ env })
  alice = await scene.signIn('alice')
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
beforeEach(() => server.respondWith(() => ({ kind: 'vectors' })))

type Query = Readonly<Record<string, string>>

async function request(
  repo: string,
  path: string,
  method: string,
  { query = {}, body }: { query?: Query; body?: object },
) {
  const response = await fetch(
    `${scene.app.url}/api/v1/memory${path}?${new URLSearchParams({ repo, ...query })}`,
    {
      method,
      headers: {
        ...alice.bearer,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  )
  expect(response.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the fields
  return (await response.json()) as any
}

const add = async (repo: string, text: string, more: object = {}): Promise<string> =>
  (await request(repo, '', 'POST', { body: { type: 'decision', text, ...more } })).id
const search = async (repo: string, words: string, query: Query = {}): Promise<string[]> =>
  (await request(repo, '', 'GET', { query: { ...query, search: words } })).memories.map(
    ({ memory }: { memory: string }) => memory,
  )

/** Creates a repository without files, in which tests write all memories. */
const createEmpty = () => scene.createScannedRepository({})

/** Reads the vectors of a repository, each as `embedder: text`. */
async function vectorsOf(repo: string, db = scene.app.db): Promise<string[]> {
  const { rows } = await sql<{ label: string }>`
    select v.embedder || ': ' || m.text as label
    from memory_vectors v join memories m on m.id = v.memory_id
    where v.repo = ${repo} order by label`.execute(db)
  return rows.map(({ label }) => label)
}

async function rescan(
  repo: string,
  files: Readonly<Record<string, string | null>> = {},
): Promise<void> {
  if (Object.keys(files).length > 0) await scene.forge.push(repo, 'main', files)
  await scene.rescan(repo)
}

const cents = 'Every price is an integer number of cents.'
const session = 'A session ends after thirty days.'

describe('a search with an embedder', () => {
  it('finds memories with the same meaning in other words', async () => {
    const repo = await createEmpty()
    await add(repo, cents)
    await add(repo, session)
    expect(await search(repo, 'currency')).toEqual([cents])
    expect(await search(repo, 'how is authentication done')).toEqual([session])
    expect(server.requests.at(-1)).toEqual({
      ...{ model: 'words', texts: ['how is authentication done'], key: `Bearer ${key}` },
    })
  })

  it('ranks a match of both words and meaning first', async () => {
    const repo = await createEmpty()
    const both = 'An invoice has a currency.'
    // The text has other topics too, since the order of equal scores would be random.
    const words = 'The invoice template lies on the disk, beside the letters.'
    await add(repo, words)
    await add(repo, both)
    await add(repo, cents)
    const found = await search(repo, 'currency of an invoice')
    expect(found[0]).toBe(both)
    expect([...found].sort()).toEqual([both, cents, words].sort())
  })

  it('respects a type, a path and a limit', async () => {
    const repo = await createEmpty()
    const billing = 'Billing rounds down.'
    await add(repo, cents, { path: 'src/prices' })
    await add(repo, billing, { type: 'project_pattern', path: 'src/bills' })
    expect((await search(repo, 'currency')).sort()).toEqual([billing, cents])
    expect(await search(repo, 'currency', { type: 'decision' })).toEqual([cents])
    expect(await search(repo, 'currency', { path: 'src/bills' })).toEqual([billing])
    expect(await search(repo, 'currency', { limit: '1' })).toHaveLength(1)
  })

  it('finds nothing of another repository', async () => {
    const repo = await createEmpty()
    const other = await createEmpty()
    await add(other, cents)
    expect(await search(repo, 'currency')).toEqual([])
    expect(await search(other, 'currency')).toEqual([cents])
  })

  it('finds a replacement, but not replaced and dismissed memories', async () => {
    const repo = await createEmpty()
    const id = await add(repo, cents)
    const second = 'Payment is by card.'
    await request(repo, `/${id}`, 'PATCH', { body: { text: second } })
    expect(await vectorsOf(repo)).toContain(`compatible:words: ${second}`)
    expect(await vectorsOf(repo)).not.toContain(`compatible:words: ${cents}`)
    expect(await search(repo, 'currency')).toEqual([second])
    const { memories } = await request(repo, '', 'GET', { query: { type: 'decision' } })
    await request(repo, `/${memories[0].id}`, 'DELETE', {})
    expect(await vectorsOf(repo)).not.toContain(`compatible:words: ${second}`)
    expect(await search(repo, 'currency')).toEqual([])
  })

  it('searches by words when the embedder does not answer', async () => {
    const repo = await createEmpty()
    await add(repo, cents)
    server.respondWith(() => ({ kind: 'hang' }))
    expect(await search(repo, 'currency')).toEqual([])
    expect(await search(repo, 'integer number')).toEqual([cents])
  })

  it('follows a file to its new name', async () => {
    const repo = await scene.createScannedRepository({
      'src/till.ts': `${'export const till = 1\n'.repeat(20)}`,
    })
    const amount = 'Every amount is a whole number.'
    await add(repo, amount, { path: 'src/till.ts' })
    const before = server.requests.length
    await rescan(repo, {
      'src/till.ts': null,
      'src/desk.ts': `${'export const till = 1\n'.repeat(20)}`,
    })
    expect(await search(repo, 'currency', { path: 'src/desk.ts', type: 'decision' })).toEqual([
      amount,
    ])
    expect(server.requests.slice(before).flatMap(({ texts }) => texts)).toContain(
      `src/desk.ts: ${amount}`,
    )
  })

  it('counts its tokens and calls', async () => {
    const spent = async () => {
      const { rows } = await sql<{ tokens: number; calls: number }>`
        select coalesce(sum(input_tokens), 0)::integer as tokens,
          coalesce(sum(calls), 0)::integer as calls
        from model_spend where model = 'compatible:words'`.execute(scene.app.db)
      return rows[0]!
    }
    const repo = await createEmpty()
    const before = await spent()
    const more = (calls: number) => ({
      tokens: before.tokens + calls * tokensPerRequest,
      calls: before.calls + calls,
    })
    await add(repo, cents)
    expect(await spent()).toEqual(more(1))
    await search(repo, 'currency')
    expect(await spent()).toEqual(more(2))
    // Unusable vectors are paid for too.
    server.respondWith(() => ({ kind: 'vectors', dimensions: 5000 }))
    await search(repo, 'currency')
    expect(await spent()).toEqual(more(3))
  })

  it('stores one row of spend per hour for all searches', async () => {
    const repo = await createEmpty()
    await add(repo, cents)
    const rows = async () => (await sql`select from model_spend`.execute(scene.app.db)).rows.length
    const before = await rows()
    for (const words of ['currency', 'price', 'invoice', 'amount']) await search(repo, words)
    // There is one more row if an hour ends meanwhile.
    expect(await rows()).toBeLessThanOrEqual(before + 1)
  })
})

describe('a scan with an embedder', () => {
  it('embeds each new description once', async () => {
    const repo = await scene.createScannedRepository({
      'src/tills/README.md': 'Adds up the amount of a sale.\n',
      'src/tills/till.ts': 'export const till = 1\n',
      'src/doors/door.ts': 'export const door = 1\n',
    })
    expect((await search(repo, 'money'))[0]).toMatch(/^Adds up the amount/)
    const before = server.requests.length
    await rescan(repo)
    expect(server.requests.length).toBe(before)
    await rescan(repo, { 'src/tills/README.md': 'Keeps the invoice of a sale.\n' })
    const seen = server.requests.slice(before).flatMap(({ texts }) => texts)
    expect(seen.some((text) => text.startsWith('src/tills: Keeps the invoice'))).toBe(true)
    expect(seen.some((text) => text.startsWith('src/doors'))).toBe(false)
  })

  it('reports an unavailable embedder, and embeds the rest in the next scan', async () => {
    server.respondWith(() => ({ kind: 'status', status: 400, message: 'no' }))
    const repo = await createEmpty()
    await add(repo, cents)
    expect(await search(repo, 'currency')).toEqual([])
    expect(await search(repo, 'cents')).toEqual([cents])
    await rescan(repo)
    const { body } = await scene.request('alice', `/api/v1/memory/scan?repo=${repo}`)
    expect(body).toMatchObject({
      status: 'completed',
      error: expect.stringMatching(/^Not all memories have vectors: /),
    })
    expect(body.error).not.toContain(key)
    expect(await vectorsOf(repo)).toEqual([])
    server.respondWith(() => ({ kind: 'vectors' }))
    await rescan(repo)
    expect((await scene.request('alice', `/api/v1/memory/scan?repo=${repo}`)).body.error).toBe(null)
    expect(await search(repo, 'currency')).toEqual([cents])
  })

  it('continues after the last stored vector', async () => {
    server.respondWith(() => ({ kind: 'status', status: 400 }))
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [
        `src/part-${at}/index.ts`,
        `export const part${at} = ${at}\n`,
      ]),
    )
    const repo = await scene.createScannedRepository(files)
    let answered = 0
    server.respondWith(() =>
      ++answered <= 2 ? { kind: 'vectors' } : { kind: 'status', status: 400 },
    )
    await rescan(repo)
    expect(await vectorsOf(repo)).toHaveLength(128)
    server.respondWith(() => ({ kind: 'vectors' }))
    const before = server.requests.length
    await rescan(repo)
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from memories
      where repo = ${repo} and ended_at is null`.execute(scene.app.db)
    const count = rows[0]!.count
    expect(await vectorsOf(repo)).toHaveLength(count)
    expect(server.requests.slice(before).flatMap(({ texts }) => texts)).toHaveLength(count - 128)
  })

  it('replaces all vectors when the model changes their dimensions', async () => {
    const repo = await createEmpty()
    await add(repo, cents)
    server.respondWith(() => ({ kind: 'vectors', dimensions: 12 }))
    expect(await search(repo, 'currency')).toEqual([])
    await add(repo, session)
    await rescan(repo)
    expect(await search(repo, 'currency')).toEqual([cents])
    expect(await search(repo, 'password')).toEqual([session])
  })

  it('stores no vectors of different dimensions', async () => {
    const repo = await scene.createRepositoryWith({
      'src/a.ts': 'export const a = 1\n',
      'lib/b.ts': 'export const b = 1\n',
    })
    const body = (texts: readonly string[]) => {
      const data = texts.map((_, index) => ({ index, embedding: index === 0 ? [1, 2] : [1, 2, 3] }))
      return { data, usage: { prompt_tokens: 1 } }
    }
    server.respondWith(() => ({ kind: 'body', body }))
    await scene.connect('alice', repo)
    await scene.waitForScan(repo)
    expect(await vectorsOf(repo)).toEqual([])
    expect(await search(repo, 'src')).not.toEqual([])
  })

  it('sends nothing to the embedder in static mode, and deletes its vectors', async () => {
    const repo = await createEmpty()
    await add(repo, cents)
    await rescan(repo, { '.umpire.yml': 'mode: static\n' })
    expect(await vectorsOf(repo)).toEqual([])
    const before = server.requests.length
    await add(repo, session)
    expect(await search(repo, 'currency')).toEqual([])
    expect(await search(repo, 'session')).toEqual([session])
    await rescan(repo)
    expect(server.requests.length).toBe(before)
    await rescan(repo, { '.umpire.yml': '\n' })
    expect(await search(repo, 'currency')).toEqual([cents])
  })
})

it('drops a vector that arrives after a change to static mode', async () => {
  const repo = await createEmpty()
  server.respondWith(() => ({
    kind: 'vectors',
    after: rescan(repo, { '.umpire.yml': 'mode: static\n' }),
  }))
  await add(repo, cents)
  expect(await vectorsOf(repo)).toEqual([])
})

it('finds memories for a change by their meaning', async () => {
  const env = { EMBEDDING_MODEL: 'compatible:words', EMBEDDING_BASE_URL: server.url }
  await using graph = await startChangeGraphScenario({ env })
  const repo = await graph.createRepository({ 'lib/a.ts': 'export const a = 1\n' })
  await graph.app.db.transaction().execute((tx) =>
    saveMemories(tx, repo, [
      {
        ...{ type: 'decision', subject: 'cents', text: cents, path: null, componentType: null },
        ...{ trust: 'person', provenance: { source: 'person', user: 'alice' } },
      },
    ]),
  )
  await graph.scan(repo)
  const number = await graph.propose(repo, { 'web/billing.ts': 'export const b = 1\n' })
  const findMemories = async (change?: Parameters<typeof graph.readChangeGraph>[2]) =>
    (await graph.readChangeGraph(repo, number, change))?.memories.map(({ text }) => text)
  expect(await findMemories()).toContain(cents)
  expect(await findMemories(() => ({ embedder: null }))).not.toContain(cents)
})

it('replaces all vectors at the next start after EMBEDDING_MODEL changed', async () => {
  const database = await createTestDatabase()
  const env = {
    ...forgeEnvironment(scene.forge),
    ...{ SECRET_KEY: 'k'.repeat(32), EMBEDDING_BASE_URL: server.url },
  }
  const repo = await scene.createRepositoryWith({ 'src/a.ts': 'export const a = 1\n' })
  const start = (model: string) =>
    startTestApp({ database, env: { ...env, EMBEDDING_MODEL: `compatible:${model}` } })
  const embedders = async (app: Awaited<ReturnType<typeof start>>) => {
    await waitForScan(app.db, repo, 'completed')
    return [...new Set((await vectorsOf(repo, app.db)).map((label) => label.split(': ')[0]))]
  }
  {
    await using app = await start('one')
    const { bearer } = await signInWithToken(app, tokenOf('alice'))
    await fetch(`${app.url}/api/v1/repos/${repo}/install`, { method: 'POST', headers: bearer })
    expect(await embedders(app)).toEqual(['compatible:one'])
  }
  {
    await using app = await start('two')
    expect(await embedders(app)).toEqual(['compatible:two'])
    const vectors = await sql`select from memory_vectors where repo = ${repo}`.execute(app.db)
    const memories =
      await sql`select from memories where repo = ${repo} and ended_at is null`.execute(app.db)
    expect(vectors.rows.length).toBe(memories.rows.length)
  }
  await database.dispose()
})
