// Tests how memories are listed, searched, edited and updated by scans, on each engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchMemories } from '../../src/knowledge/memory/search-memories.ts'
import { type ScanScenario, startScanScenario } from '../scan-scenario.ts'
import type { SignedInUser } from '../sign-in.ts'

let scene: ScanScenario
let alice: SignedInUser
let bob: SignedInUser
beforeAll(async () => {
  scene = await startScanScenario()
  alice = await scene.signIn('alice')
  bob = await scene.signIn('bob')
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Request {
  readonly method?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request, by default as alice with her bearer token. */
async function request(
  repo: string,
  path: string,
  { method = 'GET', query = {}, body, headers = alice.bearer }: Request = {},
) {
  const response = await fetch(
    `${scene.app.url}/api/v1/memory${path}?${new URLSearchParams({ repo, ...query })}`,
    {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  )
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the fields
  return { status: response.status, body: (await response.json()) as any }
}

/** The fields of a memory that the tests check. */
interface MemoryFields {
  readonly id: string
  readonly memory: string
  readonly path: string | null
  readonly trust: string
  readonly ended_at: string | null
}

const add = async (repo: string, body: object) =>
  (await request(repo, '', { method: 'POST', body })).body
const list = async (repo: string, query: Record<string, string> = {}) =>
  (await request(repo, '', { query })).body
const search = async (repo: string, words: string, query: Record<string, string> = {}) =>
  (await list(repo, { ...query, search: words })).memories.map(
    (found: { memory: string }) => found.memory,
  ) as string[]
const mapOf = async (repo: string) => {
  const { body } = await request(repo, '/project-map')
  const entries = body.memories as { id: string; memory: string; metadata: { path: string } }[]
  return new Map(entries.map(({ id, memory, metadata }) => [metadata.path, { id, memory }]))
}

async function rescan(
  repo: string,
  files: Readonly<Record<string, string | null>> = {},
): Promise<void> {
  if (Object.keys(files).length > 0) await scene.forge.push(repo, 'main', files)
  const { status } = await request(repo, '/rescan', { method: 'POST', headers: alice.cookie })
  expect(status).toBe(200)
  await scene.waitForScan(repo)
}

const headOf = async (repo: string) => (await scene.forge.branches(repo)).get('main')

/** Creates a connected repository without files, in which tests write all memories. */
async function createEmpty(): Promise<string> {
  const repo = await scene.createRepository()
  await scene.connect('alice', repo)
  await scene.waitForScan(repo)
  return repo
}

const shop = {
  'README.md': '# Shop\n\nSells fruit to people in a hurry.\n',
  'package.json': JSON.stringify({
    name: 'shop',
    scripts: { test: 'vitest run' },
    dependencies: { express: '5' },
  }),
  'src/orders/README.md': 'Takes orders and keeps them until they are paid.\n',
  'src/orders/order.ts': 'export class Order {}\n',
  'src/prices/price.ts':
    "import { Order } from '../orders/order.ts'\nexport const priceOf = (order: Order) => 1\n",
  'docs/decisions/0001-keep-orders-in-files.md':
    '# Keep orders in files\n\n## Status\n\nAccepted\n\n' +
    '## Decision\n\nOrders are kept in files, one for each day.\n',
  'AGENTS.md': '# Rules\n\n- Money is counted in cents, never in floating point numbers.\n',
}

describe('a scan', () => {
  it('describes directories and key files', async () => {
    const repo = await scene.createScannedRepository(shop)
    const { status, body } = await request(repo, '/project-map')
    expect(status).toBe(200)
    expect(body.count).toBe(body.memories.length)
    const map = await mapOf(repo)
    expect(map.get('.')?.memory).toMatch(/^Sells fruit to people in a hurry\./)
    expect(map.get('src/orders')?.memory).toMatch(
      /^Takes orders and keeps them until they are paid\. .*Main names: Order\./,
    )
    expect(map.get('src/orders')?.memory).toContain('Used by src/prices.')
    expect(
      body.memories.find(
        (entry: { metadata: { path: string } }) => entry.metadata.path === 'src/orders',
      ).metadata,
    ).toEqual({
      ...{ memory_type: 'project_map', path: 'src/orders', component_type: 'module', repo },
    })
    expect([...map.keys()]).toContain('package.json')
  })

  it('stores decisions and rules with their location', async () => {
    const repo = await scene.createScannedRepository(shop)
    const [decision] = (await list(repo, { type: 'decision' })).memories
    expect(decision).toMatchObject({
      memory: 'Keep orders in files (accepted): Orders are kept in files, one for each day.',
      trust: 'repository',
      provenance: {
        source: 'scan',
        file: 'docs/decisions/0001-keep-orders-in-files.md',
        commit: expect.stringMatching(/^[\da-f]{40}$/),
      },
    })
    const rules = (await list(repo, { search: 'cents' })).memories
    expect(rules[0]).toMatchObject({
      memory: 'Rules: Money is counted in cents, never in floating point numbers.',
      ...{
        type: 'project_pattern',
        path: '.',
        trust: 'repository',
        provenance: { file: 'AGENTS.md' },
      },
    })
    const { body } = await request(repo, '/stats', { headers: alice.cookie })
    expect(body.by_type).toMatchObject({ decision: 1, risk_module: 0 })
    expect(body.by_type.project_pattern).toBeGreaterThan(2)
    const countOfOthers = Object.values<number>(body.by_type).reduce((sum, count) => sum + count, 0)
    expect(body.total).toBe(countOfOthers + (await mapOf(repo)).size)
  })

  it('leaves unchanged entries, updates changed ones and ends the others', async () => {
    const repo = await scene.createScannedRepository(shop)
    const before = await mapOf(repo)
    await rescan(repo)
    expect(await mapOf(repo)).toEqual(before)
    await rescan(repo, {
      'src/orders/README.md': 'Keeps orders for a year.\n',
      'src/prices/price.ts': null,
    })
    const after = await mapOf(repo)
    expect(after.get('src/orders')?.memory).toMatch(/^Keeps orders for a year\./)
    expect(after.get('src/orders')?.id).not.toBe(before.get('src/orders')?.id)
    expect(after.get('docs/decisions')).toEqual(before.get('docs/decisions'))
    expect(after.has('src/prices')).toBe(false)
    const { body } = await request(repo, `/${before.get('src/orders')?.id}/history`)
    expect(
      body.memories.map(({ memory, ended_at }: MemoryFields) => [
        memory.split('.')[0],
        ended_at !== null,
      ]),
    ).toEqual([
      ['Keeps orders for a year', false],
      ['Takes orders and keeps them until they are paid', true],
    ])
    // Ended memories are not found.
    expect(await search(repo, 'paid')).toEqual([])
  })

  it('updates numbers in place, and does not restore dismissed entries', async () => {
    const repo = await scene.createScannedRepository(shop)
    const before = await mapOf(repo)
    const prices = before.get('src/prices')
    expect(prices?.memory).toContain('1 TypeScript file, 2 lines of code.')
    await request(repo, `/${before.get('src/orders')?.id}`, { method: 'DELETE' })
    await rescan(repo, {
      'src/prices/price.ts': `${shop['src/prices/price.ts']}// One more.\n`,
      'src/orders/order.ts': `${shop['src/orders/order.ts']}// One more.\n`,
    })
    const after = await mapOf(repo)
    expect(after.get('src/prices')).toEqual({
      id: prices?.id,
      memory: prices?.memory.replace('2 lines', '3 lines'),
    })
    expect(after.has('src/orders')).toBe(false)
    const { body } = await request(repo, `/${prices?.id}/history`)
    expect(body.memories).toMatchObject([
      { id: prices?.id, provenance: { commit: await headOf(repo) } },
    ])
  })

  it('limits the history and removes its search terms', async () => {
    const repo = await createEmpty()
    let { id } = await add(repo, { type: 'decision', text: 'Zebra number 0.' })
    for (let number = 1; number <= 23; number++) {
      const text = `Zebra number ${number}.`
      id = (await request(repo, `/${id}`, { method: 'PATCH', body: { text } })).body.id
    }
    const { id: other } = await add(repo, { type: 'decision', text: 'A horse.' })
    await request(repo, `/${other}`, { method: 'PATCH', body: { text: 'Two horses.' } })
    const { id: dismissed } = await add(repo, { type: 'decision', text: 'A donkey.' })
    await request(repo, `/${dismissed}`, { method: 'DELETE' })
    const { db } = scene.app
    const ended = () =>
      db
        .selectFrom('memories')
        .select(['text', 'terms', 'weights'])
        .where('endedAt', 'is not', null)
    const ofRepo = () => ended().where('repo', '=', repo).execute()
    expect((await ofRepo()).map(({ terms, weights }) => [terms, weights])).toEqual(
      Array(25).fill([[], []]),
    )
    await sql`update memories set ended_at = ended_at - interval '366 days'
      where id in (${other}, ${dismissed})`.execute(db)
    await rescan(repo, { 'README.md': '# Shop\n' })
    const texts = (await ofRepo()).map(({ text }) => text)
    expect(texts.sort()).toEqual(
      ['A donkey.', ...Array.from({ length: 20 }, (_, at) => `Zebra number ${at + 3}.`)].sort(),
    )
    expect((await list(repo)).memories.map(({ memory }: MemoryFields) => memory)).toContain(
      'Two horses.',
    )
  })

  it('leaves memories that people wrote', async () => {
    const repo = await scene.createScannedRepository(shop)
    const map = await mapOf(repo)
    const id = map.get('src/orders')?.id
    const edited = await request(repo, `/${id}`, {
      method: 'PATCH',
      body: { text: 'Ask Carol before you change this.' },
    })
    expect(edited.body).toMatchObject({
      trust: 'person',
      provenance: { source: 'person', user: 'alice' },
      path: 'src/orders',
    })
    const { id: note } = await add(repo, {
      type: 'risk_module',
      text: 'Broke twice in spring.',
      path: './src/prices/',
    })
    await rescan(repo, { 'src/orders/README.md': 'Keeps orders for a year.\n' })
    expect((await mapOf(repo)).get('src/orders')?.memory).toBe('Ask Carol before you change this.')
    const written = (await list(repo, { path: 'src' })).memories.filter(
      (memory: MemoryFields) => memory.trust === 'person',
    )
    expect(written.map((memory: MemoryFields) => [memory.id, memory.path])).toEqual([
      [note, 'src/prices'],
      [edited.body.id, 'src/orders'],
    ])
  })

  it('does not restore a dismissed memory with the same text', async () => {
    const repo = await scene.createScannedRepository(shop)
    const id = (await mapOf(repo)).get('src/orders')?.id
    expect((await request(repo, `/${id}`, { method: 'DELETE' })).body).toEqual({
      status: 'dismissed',
      id,
    })
    expect((await mapOf(repo)).has('src/orders')).toBe(false)
    await rescan(repo)
    expect((await mapOf(repo)).has('src/orders')).toBe(false)
    const { body } = await request(repo, `/${id}/history`)
    expect(body.memories).toMatchObject([{ id, ended_by: 'alice', ended_at: expect.any(String) }])
    await rescan(repo, { 'src/orders/README.md': 'Keeps orders for a year.\n' })
    expect((await mapOf(repo)).get('src/orders')?.memory).toMatch(/^Keeps orders for a year\./)
  })
})

describe('a rename on the default branch', () => {
  it('moves the memories of the file', async () => {
    const money = Array.from(
      { length: 30 },
      (_, line) => `export const price${line} = ${line}\n`,
    ).join('')
    const repo = await scene.createScannedRepository({ ...shop, 'src/prices/money.ts': money })
    await add(repo, {
      type: 'risk_module',
      text: 'Rounding broke twice.',
      path: 'src/prices/money.ts',
    })
    await rescan(repo, { 'src/prices/money.ts': null, 'src/amounts/money.ts': money })
    const [memory, ...others] = (await list(repo, { search: 'rounding' })).memories
    expect([memory.path, others]).toEqual(['src/amounts/money.ts', []])
    expect(await search(repo, 'amounts', { type: 'risk_module' })).toEqual([
      'Rounding broke twice.',
    ])
    expect(await search(repo, 'prices', { type: 'risk_module' })).toEqual([])
  })
})

describe('a person', () => {
  it('adds a memory only once', async () => {
    const repo = await createEmpty()
    const body = {
      type: 'project_pattern',
      text: '  Errors are thrown, never returned.\n',
      path: 'src',
    }
    const first = await request(repo, '', { method: 'POST', body })
    expect(first).toMatchObject({
      status: 200,
      body: {
        memory: 'Errors are thrown, never returned.',
        type: 'project_pattern',
        path: 'src',
        component_type: null,
        trust: 'person',
      },
    })
    expect((await add(repo, body)).id).toBe(first.body.id)
    expect((await list(repo)).memories).toHaveLength(1)
    expect((await request(repo, '/stats', { headers: alice.cookie })).body.total).toBe(1)
  })

  it('can describe a path that the map has no entry for', async () => {
    const repo = await createEmpty()
    await add(repo, { type: 'project_map', text: 'Not written yet.', path: 'src/future' })
    expect((await mapOf(repo)).get('src/future')?.memory).toBe('Not written yet.')
  })

  it('receives the reason for an invalid request', async () => {
    const repo = await createEmpty()
    const post = async (body: unknown) =>
      (await request(repo, '', { method: 'POST', body })).body.detail
    expect(await post({ type: 'decision', text: ' \n' })).toBe('text must not be empty')
    expect(await post({ type: 'decision', text: 'x'.repeat(4001) })).toBe(
      'text must have 4000 characters at most',
    )
    expect(await post({ type: 'decision', text: 'x', trust: 'repository' })).toBe(
      'the body must be an object with type, text and path only',
    )
    expect(await post({ type: 'developer_strength', text: 'x' })).toBe(
      'type must be one of project_map, project_pattern, decision, risk_module',
    )
    expect(await post({ type: 'project_map', text: 'x' })).toBe(
      'path is required for the type project_map',
    )
    expect((await request(repo, '', { query: { before: 'x' } })).body.detail).toBe(
      'before must be the id of a memory',
    )
    expect((await request('shop', '')).body.detail).toBe('repo must be owner/repo')
  })

  it('leaves entries in the audit log', async () => {
    const repo = await createEmpty()
    const { id } = await add(repo, { type: 'decision', text: 'We use PostgreSQL.' })
    const { body: edited } = await request(repo, `/${id}`, {
      method: 'PATCH',
      body: { text: 'We use PostgreSQL 17.' },
    })
    await request(repo, `/${edited.id}`, { method: 'DELETE' })
    const { body } = await scene.request('alice', '/api/v1/audit')
    const entries = body.entries.filter(({ subject }: { subject: string }) =>
      subject.startsWith(`${repo} `),
    )
    expect(entries.map(({ action, subject }: Record<string, string>) => [action, subject])).toEqual(
      [
        ['memory_dismissed', `${repo} ${edited.id}`],
        ['memory_edited', `${repo} ${edited.id}`],
        ['memory_added', `${repo} ${id}`],
      ],
    )
    expect(entries.map(({ title }: { title: string }) => title)).toEqual([
      ...['We use PostgreSQL 17.', 'We use PostgreSQL 17.', 'We use PostgreSQL.'],
    ])
  })

  it('loses nothing in concurrent writes', async () => {
    const repo = await createEmpty()
    const texts = Array.from({ length: 12 }, (_, index) => `Rule number ${index % 6}.`)
    await Promise.all(texts.map((text) => add(repo, { type: 'project_pattern', text })))
    expect((await list(repo)).memories).toHaveLength(6)
    const [{ id }] = (await list(repo)).memories
    const answers = await Promise.all(
      ['One.', 'Two.', 'Three.'].map((text) =>
        request(repo, `/${id}`, { method: 'PATCH', body: { text } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await list(repo)).memories).toHaveLength(6)
  })

  const notFound = { status: 404, body: { detail: 'Memory not found' } }

  it('case 26: cannot access memories of another person’s repository', async () => {
    const repo = await createEmpty()
    const own = await scene.createRepository()
    await scene.connect('bob', own)
    const { id } = await add(repo, { type: 'decision', text: 'We use PostgreSQL.' })
    const denied = { status: 403, body: { detail: 'Repo not connected or access denied' } }
    const text = { text: 'We use nothing.' }
    const headers = bob.bearer
    expect(await request(repo, '', { headers })).toEqual(denied)
    expect(
      await request(repo, '', { headers, method: 'POST', body: { type: 'decision', ...text } }),
    ).toEqual(denied)
    expect(await request(repo, `/${id}`, { headers, method: 'PATCH', body: text })).toEqual(denied)
    expect(await request(repo, `/${id}`, { headers, method: 'DELETE' })).toEqual(denied)
    expect(await request(repo, `/${id}/history`, { headers })).toEqual(denied)
    // His own repository gives no access to them either.
    expect(await request(own, `/${id}`, { headers, method: 'PATCH', body: text })).toEqual(notFound)
    expect(await request(own, `/${id}`, { headers, method: 'DELETE' })).toEqual(notFound)
    expect(await request(own, `/${id}/history`, { headers })).toEqual(notFound)
    expect(await request(own, '', { headers, query: { before: id } })).toMatchObject({
      status: 200,
      body: { memories: [] },
    })
    expect((await list(repo)).memories).toMatchObject([{ id, memory: 'We use PostgreSQL.' }])
  })

  it('receives the id of the memory that superseded another', async () => {
    const repo = await createEmpty()
    const { id } = await add(repo, { type: 'decision', text: 'We use PostgreSQL.' })
    const { body: edited } = await request(repo, `/${id}`, {
      method: 'PATCH',
      body: { text: 'We use SQLite.' },
    })
    const superseded = {
      status: 409,
      body: { detail: `The memory was superseded: the current one has the id ${edited.id}` },
    }
    expect(
      await request(repo, `/${id}`, { method: 'PATCH', body: { text: 'We use files.' } }),
    ).toEqual(superseded)
    expect(await request(repo, `/${id}`, { method: 'DELETE' })).toEqual(superseded)
    await request(repo, `/${edited.id}`, { method: 'DELETE' })
    const ended = {
      status: 409,
      body: { detail: 'The memory is no longer active: add a new one with the same text' },
    }
    for (const one of [id, edited.id]) {
      expect(
        await request(repo, `/${one}`, { method: 'PATCH', body: { text: 'We use files.' } }),
      ).toEqual(ended)
      expect(await request(repo, `/${one}`, { method: 'DELETE' })).toEqual(ended)
    }
  })

  it('receives 404 for an unknown memory', async () => {
    const repo = await createEmpty()
    for (const id of ['7', "x'--", '00000000-0000-4000-8000-000000000000']) {
      const path = `/${encodeURIComponent(id)}`
      expect(await request(repo, path, { method: 'DELETE' })).toEqual(notFound)
      expect(await request(repo, path, { method: 'PATCH', body: { text: 'x' } })).toEqual(notFound)
      expect(await request(repo, `${path}/history`)).toEqual(notFound)
    }
  })

  it('case 21: cannot be made to write by another site', async () => {
    const repo = await createEmpty()
    const body = { type: 'decision', text: 'We use PostgreSQL.' }
    const foreign = { ...alice.cookie, origin: 'https://evil.example' }
    expect((await request(repo, '', { method: 'POST', headers: foreign, body })).status).toBe(403)
    const { body: stored } = await request(repo, '', {
      method: 'POST',
      headers: alice.cookie,
      body,
    })
    expect(
      (await request(repo, `/${stored.id}`, { method: 'DELETE', headers: foreign })).status,
    ).toBe(403)
    expect(
      (
        await request(repo, `/${stored.id}`, {
          method: 'PATCH',
          headers: foreign,
          body: { text: 'x' },
        })
      ).status,
    ).toBe(403)
    expect((await list(repo)).memories).toHaveLength(1)
  })
})

describe('a list', () => {
  it('orders memories of one scan by type and position', async () => {
    const repo = await scene.createScannedRepository({
      ...shop,
      'AGENTS.md':
        '# Rules\n\n- Never write to the log of another service.\n' +
        '- Always close what you have opened.\n',
    })
    const { memories } = await list(repo, { limit: '100' })
    const types = memories.map(({ type }: { type: string }) => type)
    expect([...new Set(types)]).toEqual(['decision', 'project_pattern', 'project_map'])
    const rules = memories.filter(
      ({ provenance }: { provenance: { file?: string } }) => provenance.file === 'AGENTS.md',
    )
    expect(rules.map(({ memory }: MemoryFields) => memory)).toEqual([
      'Rules: Never write to the log of another service.',
      'Rules: Always close what you have opened.',
    ])
    const paged: unknown[] = []
    for (let before: string | null = null, more = true; more; ) {
      const page = await list(repo, { limit: '3', ...(before && { before }) })
      paged.push(...page.memories)
      before = page.next
      more = before !== null
    }
    expect(paged).toEqual(memories)
  })

  it('separates what people wrote, with the reviews that applied it', async () => {
    const repo = await scene.createScannedRepository({
      ...shop,
      'AGENTS.md': '- Count in cents.\n',
    })
    const own = await add(repo, { type: 'decision', text: 'Money is never a float.' })
    const trusts = async (origin: string, search = '') => {
      const { memories } = await list(repo, { origin, search, limit: '100' })
      return [...new Set(memories.map(({ trust }: { trust: string }) => trust))].sort()
    }
    expect(await trusts('written')).toEqual(['person', 'repository'])
    expect(await trusts('computed')).toEqual(['derived'])
    expect(await trusts('written', 'money')).toEqual(['person'])
    expect(await trusts('computed', 'float')).toEqual([])

    const basis = JSON.stringify({ memories: [{ id: own.id }] })
    await sql`
      with numbers as (select generate_series(1, 7) as number), pulls as (
        insert into pull_requests
          (repo, number, title, author, branch, base_branch, url, state, head_sha, updated_at)
        select ${repo}, number, '', '', '', '', '', 'open', '', now() from numbers
      )
      insert into workflow_runs (workflow_type, repo, pr_number, status, basis)
      select 'pr_review', ${repo}, number, 'completed', ${basis}::jsonb from numbers`.execute(
      scene.app.db,
    )
    const { memories } = await list(repo, { origin: 'written', search: 'money' })
    expect(memories[0]).toMatchObject({ id: own.id, applied_to: [7, 6, 5, 4, 3] })
    expect((await request(repo, '', { query: { origin: 'x' } })).status).toBe(422)
  })

  it('is paged, newest first', async () => {
    const repo = await createEmpty()
    for (let number = 1; number <= 5; number++)
      await add(repo, { type: 'decision', text: `Decision ${number}.` })
    const read = async (query: Record<string, string>) => {
      const { memories, next } = await list(repo, query)
      return [memories.map(({ memory }: { memory: string }) => memory), next]
    }
    const [first, next] = await read({ limit: '2' })
    expect(first).toEqual(['Decision 5.', 'Decision 4.'])
    const [second, last] = await read({ limit: '2', before: next })
    expect(second).toEqual(['Decision 3.', 'Decision 2.'])
    // Paging continues after the last memory of a page was dismissed.
    await request(repo, `/${last}`, { method: 'DELETE' })
    expect(await read({ limit: '2', before: last })).toEqual([['Decision 1.'], null])
  })
})

describe('a search', () => {
  let repo: string
  const memories = {
    cart: { type: 'project_map', path: 'src/cart', text: 'Shopping carts and what is in them.' },
    cartFile: {
      type: 'project_map',
      path: 'src/cart/cart-store.ts',
      text: 'Reads and writes rows.',
    },
    pay: {
      type: 'project_map',
      path: 'src/payment',
      text: 'Takes money: CreditCardGateway, refundOrder.',
    },
    retry: {
      type: 'project_pattern',
      text: 'Calls of other services are tried again with exponential backoff.',
    },
    cents: {
      type: 'project_pattern',
      text: 'Amounts are integers, in cents. Discounts of 100% are amounts too.',
    },
    postgres: {
      type: 'decision',
      text: 'Orders and carts are kept in PostgreSQL, one database for all services.',
    },
  }
  beforeAll(async () => {
    repo = await createEmpty()
    for (const memory of Object.values(memories)) await add(repo, memory)
  })
  const best = async (words: string) => (await search(repo, words))[0]

  it('finds words within identifiers and in other forms', async () => {
    expect(await best('credit card')).toBe(memories.pay.text)
    expect(await best('refund_orders')).toBe(memories.pay.text)
    expect(await best('creditcardgateway')).toBe(memories.pay.text)
    expect(await best('retries of a service call')).toBe(memories.retry.text)
    expect(await search(repo, 'kubernetes')).toEqual([])
    expect(await search(repo, 'of the and')).toEqual([])
  })

  it('ranks the best match first', async () => {
    expect(await best('which database has the orders')).toBe(memories.postgres.text)
    // A word in the path has more weight than one in the text.
    expect((await search(repo, 'cart')).slice(0, 2).sort()).toEqual(
      [memories.cart.text, memories.cartFile.text].sort(),
    )
    expect((await search(repo, 'cart')).at(-1)).toBe(memories.postgres.text)
  })

  it('respects a type and a path', async () => {
    expect(await search(repo, 'cart', { type: 'decision' })).toEqual([memories.postgres.text])
    expect(await search(repo, 'cart', { path: 'src/cart/' })).toHaveLength(2)
    expect(await search(repo, 'cart', { path: 'src/car' })).toEqual([])
    expect((await list(repo, { path: 'src/cart' })).memories).toHaveLength(2)
  })

  it('finds memories near given files, nearer ones first', async () => {
    const near = async (words: string, paths: string[]) =>
      (await searchMemories(scene.app.db, repo, { text: words, paths, limit: 10 })).map(
        ({ text }) => text,
      )
    const path = 'src/cart/cart-store.ts'
    expect(await near('', [path])).toEqual([memories.cartFile.text, memories.cart.text])
    expect(await near('', ['src/cart/other.ts'])).toEqual([memories.cart.text])
    expect(await near('', ['lib/other.ts'])).toEqual([])
    // Of equal matches, the one nearer to the files comes first.
    expect((await near('cart', [path]))[0]).toBe(memories.cartFile.text)
    expect(await near('money', [path])).toEqual([
      memories.pay.text,
      memories.cartFile.text,
      memories.cart.text,
    ])
  })

  it('case 28: treats all characters literally, at any length', async () => {
    expect(await search(repo, '100%')).toEqual([memories.cents.text])
    for (const words of [
      '%',
      '_',
      "'",
      "' or 1=1 --",
      '\\',
      '"',
      '\u0000',
      '\ud800',
      '{}',
      '*:*',
    ]) {
      expect(await search(repo, words)).toEqual([])
      const at = await request(repo, '', { query: { path: `src/${words}` } })
      expect(at).toMatchObject({ status: 200, body: { memories: [] } })
    }
    // Encoded, this text is as long as a URL may be.
    const long = `${`'"%_\\{}`.repeat(400)} cents ${'x'.repeat(500)}`
    expect(await search(repo, long)).toEqual([memories.cents.text])
    const many = Array.from({ length: 1_800 }, (_, index) => `w${index}`).join(' ')
    expect(await search(repo, `cents ${many}`)).toEqual([memories.cents.text])
    // This is the longest text, of characters that are escaped in a URL.
    expect(await search(repo, `cents ${'%'.repeat(10_234)}`)).toEqual([memories.cents.text])
    for (const [search, unit] of [
      ['x'.repeat(10_241), 'characters'],
      ['é'.repeat(5_121), 'bytes'],
      ['x'.repeat(30_000), 'characters'],
    ] as const) {
      const detail = `search must have 10240 ${unit} at most`
      expect(await request(repo, '', { query: { search } })).toEqual({
        status: 422,
        body: { detail },
      })
    }
  })

  it('finds active memories only', async () => {
    const other = await createEmpty()
    const { id } = await add(other, { type: 'decision', text: 'We keep zebras.' })
    expect(await search(repo, 'zebra')).toEqual([])
    expect(await search(other, 'zebra')).toEqual(['We keep zebras.'])
    await request(other, `/${id}`, { method: 'PATCH', body: { text: 'We keep horses.' } })
    expect(await search(other, 'zebra')).toEqual([])
    await request(other, `/${(await list(other)).memories[0].id}`, { method: 'DELETE' })
    expect(await search(other, 'horse')).toEqual([])
  })
})
