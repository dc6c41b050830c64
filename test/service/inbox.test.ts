// The inbox: its tabs, filters, counts and pages, and who may see what.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'

let scene: ConnectScenario
let repo: string
let other: string

interface Row {
  readonly repo: string
  readonly number: number
  readonly state?: 'open' | 'merged' | 'closed'
  readonly verdict?: 'APPROVE' | 'REQUEST_CHANGES' | 'NEEDS_DISCUSSION'
  readonly status?: 'completed' | 'failed' | 'pending'
  readonly author?: string
  readonly critical?: number
  readonly minor?: number
}

/** The id of its event is 1000 and its number. */
async function insert({ repo: name, number, ...row }: Row): Promise<void> {
  const { state = 'open', verdict = null, status = 'completed', author = 'zoe' } = row
  const { critical = 0, minor = 0 } = row
  const title = `Change ${number}`
  const { db } = scene.app
  await sql`
    insert into events (id, event_type, source, repo, pr_number, payload, status)
    overriding system value
    values (${1000 + number}, 'pull_request.opened', 'github', ${name}, ${number}, '', ${status})
  `.execute(db)
  await sql`
    insert into pull_requests (repo, number, title, search_text, author, branch, base_branch, url,
      head_sha, updated_at, state, state_checked_at, listed_event_id, listed_status, verdict,
      critical_count, minor_count)
    values (${name}, ${number}, ${title}, ${title.toLowerCase()}, ${author}, 'topic', 'main', '',
      '', now(), ${state}, '2100-01-01', ${1000 + number}, ${status}, ${verdict}, ${critical},
      ${minor})`.execute(db)
  await sql`
    insert into pull_request_search (repo, number, text)
    values (${name}, ${number}, ${title.toLowerCase()})`.execute(db)
}

beforeAll(async () => {
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  repo = await scene.createRepository()
  other = await scene.createRepository()
  await scene.connect('alice', repo)
  const open: Row[] = [
    { repo, number: 1, verdict: 'REQUEST_CHANGES', critical: 2, minor: 1 },
    { repo, number: 2, verdict: 'NEEDS_DISCUSSION', author: 'yan' },
    { repo, number: 3, status: 'failed' },
    { repo, number: 4, verdict: 'APPROVE', minor: 3 },
    { repo, number: 5, verdict: 'APPROVE', author: 'yan' },
    { repo, number: 6, verdict: 'REQUEST_CHANGES', critical: 1 },
    { repo, number: 7, status: 'pending' },
  ]
  const closed: Row[] = [
    { repo, number: 8, state: 'merged', verdict: 'APPROVE', author: 'yan' },
    { repo, number: 9, state: 'closed', verdict: 'REQUEST_CHANGES', critical: 1 },
    { repo: other, number: 10, verdict: 'REQUEST_CHANGES', author: 'secret', critical: 1 },
  ]
  for (const row of [...open, ...closed]) await insert(row)
  // It is reviewed again, and nothing claims the work.
  await sql`
    insert into work_items (kind, repo, number, status, due_at)
    values ('review', ${repo}, 6, 'pending', now() + interval '1 day')`.execute(scene.app.db)
})
afterAll(() => scene?.[Symbol.asyncDispose]())

const list = async (query = '') => {
  const { status, body } = await scene.request('alice', `/api/v1/inbox?${query}`)
  expect(status).toBe(200)
  return body as { entries: { pr_number: number; progress: string | null }[]; next: number | null }
}
const numbers = async (query = '') => (await list(query)).entries.map((entry) => entry.pr_number)
const counts = async (query = '') =>
  (await scene.request('alice', `/api/v1/inbox/counts?${query}`)).body

describe('the inbox', () => {
  it('has a tab for what people have to do', async () => {
    expect(await numbers('tab=attention')).toEqual([3, 2, 1])
    expect(await numbers('tab=in_progress')).toEqual([6])
    expect(await numbers('tab=passed')).toEqual([5, 4])
    expect(await numbers('tab=merged')).toEqual([8])
    expect(await numbers()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect((await list('tab=in_progress')).entries[0]).toMatchObject({
      pr_title: 'Change 6',
      draft: false,
      verdict: 'REQUEST_CHANGES',
      critical_count: 1,
      moderate_count: 0,
      minor_count: 0,
      progress: 'pending',
    })
  })

  it('filters and pages', async () => {
    expect(await numbers('author=yan')).toEqual([8, 5, 2])
    expect(await numbers('severity=minor')).toEqual([4, 1])
    expect(await numbers('verdict=REQUEST_CHANGES&tab=attention')).toEqual([1])
    expect(await numbers('verdict=UNKNOWN')).toEqual([7, 3])
    expect(await numbers('search=change%203')).toEqual([3])
    expect(await numbers(`repo=${other}`)).toEqual([])
    const first = await list('limit=4')
    expect(first.entries.map((entry) => entry.pr_number)).toEqual([9, 8, 7, 6])
    const second = await list(`limit=5&before=${first.next}`)
    expect(second.entries.map((entry) => entry.pr_number)).toEqual([5, 4, 3, 2, 1])
    expect(second.next).toBeNull()
    const { status } = await scene.request('alice', '/api/v1/inbox?tab=none')
    expect(status).toBe(422)
  })

  it('counts what the caller may see, and each filter under the others', async () => {
    expect(await counts()).toEqual({
      tabs: { attention: 3, in_progress: 1, passed: 2, merged: 1, all: 9 },
      repo: [{ value: repo, count: 9 }],
      author: [
        { value: 'zoe', count: 6 },
        { value: 'yan', count: 3 },
      ],
      verdict: [
        { value: 'APPROVE', count: 3 },
        { value: 'REQUEST_CHANGES', count: 3 },
        { value: 'UNKNOWN', count: 2 },
        { value: 'NEEDS_DISCUSSION', count: 1 },
      ],
      severity: [
        { value: 'critical', count: 3 },
        { value: 'minor', count: 2 },
      ],
    })
    expect(await counts('tab=attention&author=yan')).toMatchObject({
      tabs: { attention: 1, in_progress: 0, passed: 1, merged: 1, all: 3 },
      author: [
        { value: 'zoe', count: 2 },
        { value: 'yan', count: 1 },
      ],
      verdict: [{ value: 'NEEDS_DISCUSSION', count: 1 }],
      severity: [],
    })
    const { body } = await scene.request('bob', '/api/v1/inbox/counts')
    expect(body).toMatchObject({ tabs: { all: 0 }, repo: [], author: [] })
  })
})
