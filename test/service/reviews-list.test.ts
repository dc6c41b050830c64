// The reviews list: one entry per pull request, visibility, filters, search and limits.
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endRun } from '../../src/work/runs.ts'
import { claimReview } from '../claim-work.ts'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { approvedReview } from '../samples/approved-review.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload } from '../start-app.ts'

/** Set another seed to test other lists. */
const seed = Number(process.env.TEST_SEED ?? 20261121)

let scene: ConnectScenario
let root: SignedInUser

beforeAll(async () => {
  scene = await startConnectScenario({ parts: { web: true, worker: false } })
  root = await signInWithToken(scene.app, tokenOf('root'))
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
})

type Status = 'pending' | 'processing' | 'completed' | 'failed'

/** Creates a repository and connects it for alice. */
async function connectedRepository(): Promise<string> {
  const repo = await scene.createRepository()
  expect((await scene.connect('alice', repo)).status).toBe(200)
  return repo
}

/** Delivers a payload as the repository's webhook would. Returns the event's id. */
async function deliver(
  options: NonNullable<Parameters<typeof pullRequestPayload>[0]> & { repo: string },
) {
  const { secret } = scene.forge.webhooks(options.repo)[0]!
  const { status, body } = await scene.app.deliver(pullRequestPayload(options), { secret })
  expect(status).toBe(200)
  return body.event_id as number
}

const failure = { kind: 'failed', message: 'It broke.', code: 'broken' } as const

async function review(repo: string, number: number, status: 'completed' | 'failed'): Promise<void> {
  const run = await claimReview(scene.app.db, { repo, number })
  const outcome = status === 'completed' ? approvedReview : failure
  await scene.app.db.transaction().execute((tx) => endRun(tx, run, outcome))
}

/** Delivers an event and brings it to a status. Pending events before it get the same status. */
async function makeEvent(repo: string, number: number, status: Status): Promise<number> {
  const id = await deliver({
    repo,
    number,
    action: status === 'pending' ? 'reopened' : 'synchronize',
  })
  if (status === 'processing') await claimReview(scene.app.db, { repo, number })
  else if (status !== 'pending') await review(repo, number, status)
  return id
}

async function list(person: Person | 'root', query = '') {
  const headers = person === 'root' ? root.bearer : undefined
  const path = `/api/v1/reviews${query}`
  if (headers === undefined) return scene.request(person as Person, path)
  const response = await fetch(`${scene.app.url}${path}`, { headers })
  return { status: response.status, body: await response.json() }
}

describe('an entry', () => {
  it('case 31: with a script in it is returned as data', async () => {
    const repo = await connectedRepository()
    const hostile =
      '</script><script>alert(1)</script><img src=x onerror=alert(1)>[a](javascript:alert(1))'
    await deliver({ repo, title: hostile, branch: hostile })
    const { bearer } = await scene.signIn('alice')
    const response = await fetch(`${scene.app.url}/api/v1/reviews?search=${repo}`, {
      headers: bearer,
    })
    expect(await response.json()).toMatchObject([{ pr_title: hostile, branch: hostile }])
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  })

  it('has exactly the specified fields, and no summary before completion', async () => {
    const repo = await connectedRepository()
    const id = await deliver({ repo, number: 7, title: 'Sell by weight', branch: 'weight' })
    const entry = {
      id,
      event_type: 'pull_request.opened',
      source: 'github',
      status: 'pending',
      pr_status: 'open',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      processed_at: null,
      pr_title: 'Sell by weight',
      pr_number: 7,
      repo_name: repo,
      branch: 'weight',
      author: 'alice',
      pr_url: `https://forge.example/${repo}/pull/7`,
      ai_summary: null,
      files_analyzed: 0,
    }
    expect((await list('alice', `?search=${repo}`)).body).toEqual([entry])
    await review(repo, 7, 'completed')
    expect((await list('alice', `?search=${repo}`)).body).toEqual([
      {
        ...entry,
        status: 'completed',
        processed_at: expect.stringMatching(/Z$/),
        ai_summary: 'APPROVE\nConfidence: 4/5\n\nAll is well.',
        files_analyzed: 3,
      },
    ])
  })

  const outcomes: Status[][] = [
    [],
    ['completed'],
    ['failed'],
    ['completed', 'failed'],
    ['failed', 'completed'],
  ]
  const endings: Status[][] = [
    ['pending'],
    ['processing'],
    ['processing', 'pending'],
    ['pending', 'pending'],
    [],
  ]
  const combinations = outcomes
    .flatMap((ended) => endings.map((open) => [...ended, ...open]))
    .filter((statuses) => statuses.length > 0)
  it.each(combinations.map((statuses) => ({ statuses })))(
    'shows the preferred event of $statuses',
    async ({ statuses }) => {
      const repo = await connectedRepository()
      const events: { id: number; status: Status }[] = []
      for (const status of statuses) events.push({ id: await makeEvent(repo, 1, status), status })
      const rank = ({ status }: { status: Status }) =>
        ['completed', 'failed', 'processing', 'pending'].indexOf(status)
      const [chosen] = events.toSorted((a, b) => rank(a) - rank(b) || b.id - a.id)
      const { body } = await list('alice', `?search=${repo}`)
      expect(body).toMatchObject([chosen!])
      for (const status of ['completed', 'failed', 'processing', 'pending'] as const) {
        const filtered = (await list('alice', `?search=${repo}&status=${status}`)).body
        expect(filtered, status).toHaveLength(status === chosen!.status ? 1 : 0)
      }
    },
  )

  it('covers events that were only recorded, but needs a pull request', async () => {
    const repo = await connectedRepository()
    const { secret } = scene.forge.webhooks(repo)[0]!
    const closed = await deliver({ repo, number: 3, action: 'closed', state: 'closed' })
    const issue = { action: 'opened', issue: { number: 4 }, repository: { full_name: repo } }
    expect((await scene.app.deliver(issue, { event: 'issues', secret })).status).toBe(200)
    const { body } = await list('alice', `?search=${repo}`)
    expect(body).toMatchObject([
      { id: closed, pr_number: 3, status: 'pending', pr_status: 'closed' },
    ])
    expect(body).toHaveLength(1)
  })

  it('shows and finds the title of the payload with the newest updated_at', async () => {
    const repo = await connectedRepository()
    const minutesFromNow = (minutes: number) =>
      new Date(Date.now() + minutes * 60_000).toISOString()
    await deliver({ repo, title: 'First words', updatedAt: minutesFromNow(1) })
    const newest = { title: 'Newest words', state: 'closed', updatedAt: minutesFromNow(3) }
    await deliver({ repo, action: 'edited', ...newest })
    await deliver({ repo, action: 'reopened', title: 'Late words', updatedAt: minutesFromNow(2) })
    const { body } = await list('alice', `?search=${repo}`)
    expect(body).toMatchObject([
      { pr_title: 'Newest words', pr_status: 'closed', event_type: 'pull_request.reopened' },
    ])
    const found = async (search: string) => (await list('alice', `?search=${search}`)).body.length
    expect(await found('Newest words')).toBe(1)
    expect(await found('First words')).toBe(0)
    expect(await found('Late words')).toBe(0)
  })
})

it('case 26: shows people what they connected, and administrators everything', async () => {
  const [alices, shared] = [await connectedRepository(), await connectedRepository()]
  await scene.connect('bob', shared)
  const unconnected = await scene.createRepository()
  await deliver({ repo: alices })
  await deliver({ repo: shared })
  await scene.app.deliver(pullRequestPayload({ repo: unconnected }))
  const own = [alices, shared, unconnected]
  const seenBy = async (person: 'alice' | 'bob' | 'root', query = '') => {
    const { body } = await list(person, `?limit=100${query}`)
    return own.filter((repo) =>
      body.some((entry: { repo_name: string }) => entry.repo_name === repo),
    )
  }
  expect(await seenBy('alice')).toEqual([alices, shared])
  expect(await seenBy('bob')).toEqual([shared])
  expect(await seenBy('bob', `&search=${alices}`)).toEqual([])
  expect(await seenBy('bob', '&status=pending')).toEqual([shared])
  expect(await seenBy('bob', '&status=open')).toEqual([shared])
  expect(await seenBy('root')).toEqual(own)
  await scene.disconnect('alice', alices)
  expect(await seenBy('alice')).toEqual([alices, shared])
})

it('requires a bearer token', async () => {
  const path = `${scene.app.url}/api/v1/reviews`
  for (const response of [await fetch(path), await fetch(path, { headers: root.cookie })]) {
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 401,
      body: { detail: 'Unauthorized' },
    })
  }
})

describe('case 27: invalid parameters', () => {
  const limits = ['0', '101', '-1', '1e9', 'NaN', '10;drop', '', '1.5', '9'.repeat(400)]
  it.each(limits.map((limit) => ({ limit })))(
    'rejects limit=$limit with a 422 that names it',
    async ({ limit }) => {
      expect(await list('alice', `?limit=${encodeURIComponent(limit)}`)).toEqual({
        status: 422,
        body: { detail: 'limit must be a whole number from 1 to 100' },
      })
    },
  )

  it.each([
    ['limit=1&limit=2', /^limit /],
    ['status=open&status=closed', /^status /],
    [
      'status=done',
      /^status must be one of pending, processing, completed, failed, open, merged, closed$/,
    ],
    ['search=a&search=b', /^search /],
    ['before=0', /^before must be a whole number from 1 to /],
    ['before=x', /^before /],
  ])('rejects %s with a 422 that names it', async (query, detail) => {
    expect(await list('alice', `?${query}`)).toEqual({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    })
  })
})

describe('a search', () => {
  it.each([
    ['100%', '100% sure', '1000 sure'],
    ['a_b', 'take a_b out', 'take axb out'],
    ['C:\\temp', 'Write to C:\\temp', 'Write to C:temp'],
    ["it's", "Say it's done", 'Say its done'],
    ["'; drop table events; --", "'; drop table events; --", 'drop table events'],
    ['ÄRGER', 'Kein Ärger', 'Kein Arger'],
    ['ж', 'Жук', 'Shuk'],
    ['🙂', 'A 🙂 title', 'A 🙃 title'],
  ])('case 28: for %s is literal and ignores case', async (search, title, other) => {
    const repo = await connectedRepository()
    const id = await deliver({ repo, number: 1, title })
    await deliver({ repo, number: 2, title: other })
    const { status, body } = await list('alice', `?search=${encodeURIComponent(search)}`)
    expect(status).toBe(200)
    expect(body.filter((entry: { repo_name: string }) => entry.repo_name === repo)).toMatchObject([
      { id },
    ])
  })

  it('case 28: of 10 kB or with characters that cannot be stored finds nothing', async () => {
    for (const search of ['x_'.repeat(5120), 'y'.repeat(10_240), 'a\0b', `%${'_'.repeat(3000)}%`]) {
      expect(await list('root', `?search=${encodeURIComponent(search)}`)).toEqual({
        status: 200,
        body: [],
      })
    }
  })

  it('matches within one field, never across two', async () => {
    const repo = await connectedRepository()
    const id = await deliver({ repo, number: 4711, title: 'Cut\u001fhere' })
    const found = async (search: string) => {
      const { body } = await list('alice', `?search=${encodeURIComponent(search)}`)
      return body.map((entry: { id: number }) => entry.id)
    }
    expect(await found(repo.toUpperCase())).toEqual([id])
    expect(await found('471')).toEqual([id])
    expect(await found(`here\u001f${repo}`)).toEqual([])
    expect(await found(`${repo}\u001f4711`)).toEqual([])
  })
})

describe('a list of one repository', () => {
  it('has only its entries, and none for people without access', async () => {
    const [repo, other] = [await connectedRepository(), await connectedRepository()]
    const id = await deliver({ repo, number: 1, title: 'The same title' })
    await deliver({ repo: other, number: 2, title: 'The same title' })
    const ids = async (person: Person | 'root', query: string) =>
      (await list(person, query)).body.map((entry: { id: number }) => entry.id)
    for (const person of ['alice', 'root'] as const) {
      expect(await ids(person, `?repo=${repo}`)).toEqual([id])
      expect(await ids(person, `?repo=${repo}&search=same&status=open`)).toEqual([id])
      expect(await ids(person, '?repo=acme/unheard-of')).toEqual([])
    }
    expect(await ids('carol', `?repo=${repo}`)).toEqual([])
  })
})

describe('a list of thousands', () => {
  const total = 6000
  const words = ['parser', 'Cache', 'LOGIN', 'a%b', 'x_y', 'ö', 'retry'] as const
  const statuses = [
    'completed',
    'completed',
    'completed',
    'failed',
    'pending',
    'processing',
  ] as const
  const states = ['open', 'merged', 'merged', 'closed'] as const
  let rows: {
    id: number
    repo: string
    number: number
    title: string
    status: Status
    state: string
  }[]
  /** Bob has many repositories, carol few. */
  const reposOf = {
    bob: Array.from({ length: 25 }, (_, index) => `many/repo-${index * 2}`),
    carol: Array.from({ length: 8 }, (_, index) => `many/repo-${index * 7}`),
  }

  /** Inserts rows directly, because deliveries would take too long. The ids are shuffled. */
  beforeAll(async () => {
    const random = mulberry(seed)
    const pick = <Item>(items: readonly Item[]) =>
      items[Math.floor(random() * items.length)] as Item
    const { rows: last } = await sql<{
      id: number
    }>`select coalesce(max(id), 0) as id from events`.execute(scene.app.db)
    const first = last[0]!.id + 1000
    const isAncient = (index: number) => (index * 7919) % total < 2500
    rows = Array.from({ length: total }, (_, index) => ({
      id: first + ((index * 7919) % total),
      repo: `many/repo-${index % 60}`,
      number: Math.floor(index / 60) + 1,
      // Many entries contain this word, but none of the newest.
      title: `${pick(words)} ${pick(words)} ${index}${isAncient(index) ? ' ancient' : ''}`,
      status: index % 997 === 0 ? 'processing' : (pick(statuses.slice(0, 5)) as Status),
      state: pick(states),
    }))
    const column = <Value>(read: (row: (typeof rows)[number]) => Value) => rows.map(read)
    await sql`
      with new as (
        select * from unnest(${column((row) => row.id)}::bigint[],
          ${column((row) => row.repo)}::text[],
          ${column((row) => row.number)}::int[], ${column((row) => row.title)}::text[],
          ${column((row) => row.status)}::text[], ${column((row) => row.state)}::text[],
          ${column((row) => [row.title, row.repo, row.number].join('\u001f').toLowerCase())}::text[])
          as new (id, repo, number, title, status, state, text)
      ), pull_requests as (
        insert into pull_requests (repo, number, title, search_text, author, branch,
          base_branch, url, head_sha, updated_at, state,
          state_checked_at, listed_event_id, listed_status)
        select repo, number, title, text, 'zoe', 'topic',
          'main', '', '', now(), state, '2100-01-01', id, status from new
      ), search as (
        insert into pull_request_search select repo, number, text from new
      )
      insert into events (id, event_type, source, repo, pr_number, payload, status)
        overriding system value
      select id, 'pull_request.opened', 'github', repo, number, '', status from new`.execute(
      scene.app.db,
    )
    await sql`analyze`.execute(scene.app.db)
    for (const [login, repos] of Object.entries(reposOf)) {
      const user = scene.app.db.selectFrom('users').select('id').where('login', '=', login)
      const { id } = await user.executeTakeFirstOrThrow()
      const rows = repos.map((repo) => ({
        userId: id,
        repoFullName: repo,
        webhookSecret: 'a'.repeat(64),
        isActive: false,
      }))
      await scene.app.db.insertInto('installations').values(rows).execute()
    }
  })

  const queries = fc.record({
    person: fc.constantFrom('bob' as const, 'carol' as const, 'root' as const),
    limit: fc.constantFrom(1, 20, 100),
    /** The number of newest entries to skip. */
    after: fc.oneof(fc.constant(0), fc.nat(total)),
    status: fc.constantFrom(
      '',
      '',
      'pending',
      'processing',
      'completed',
      'failed',
      'open',
      'merged',
      'closed',
    ),
    search: fc.constantFrom(
      '',
      '',
      ...words,
      'r',
      'repo-1',
      'many/repo-2',
      '77',
      '5999',
      'many/REPO-3',
      'zz',
      'e 1',
      '%',
      'Ancient',
    ),
  })

  it('equals a plain model for every person, filter, search, limit and page', {
    timeout: 120_000,
  }, async () => {
    const property = fc.asyncProperty(queries, async ({ person, limit, after, status, search }) => {
      const before = rows[0]!.id + total - after
      const needle = search.toLowerCase()
      const expected = rows
        .filter(({ repo }) => person === 'root' || reposOf[person].includes(repo))
        .filter(({ id }) => id < before)
        .filter((row) => status === '' || row.status === status || row.state === status)
        .filter(({ title, repo, number }) =>
          [title, repo, `${number}`].some((text) => text.toLowerCase().includes(needle)),
        )
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
      const query = new URLSearchParams({
        limit: `${limit}`,
        ...(after > 0 && { before: `${before}` }),
        ...(status && { status }),
        ...(search && { search }),
      })
      const { body } = await list(person, `?${query}`)
      // Entries of other tests are older and come later.
      const ids = body.map(({ id }: { id: number }) => id).filter((id: number) => id >= rows[0]!.id)
      expect(ids).toEqual(expected.map(({ id }) => id))
    })
    const ancient = { limit: 20, after: 0, status: '', search: 'Ancient' } as const
    const examples: Parameters<typeof property.run>[0][] = [
      [{ person: 'root', ...ancient }],
      [{ person: 'bob', ...ancient }],
      [{ person: 'root', ...ancient, after: 4000 }],
    ]
    await fc.assert(property, { seed, numRuns: 250, endOnFailure: true, examples })
  })
})

/** Returns a generator of numbers from 0 to 1 that depend only on the seed. */
function mulberry(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
