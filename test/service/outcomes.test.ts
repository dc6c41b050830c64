// Outcomes of findings and pull requests, after real pushes, dismissals and merges, with numbers
// that were computed by hand.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ApiResponse,
  type ConnectScenario,
  type Person,
  startConnectScenario,
} from '../connect-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'

let scene: ConnectScenario
let repo: string
/** The numbers of the pull requests by their branches. */
const numbers: Record<string, number> = {}

const query = (name: string) => `export const ${name} = (text: string) =>
  db.query(\`SELECT * FROM ${name} WHERE name = '\${text}'\`)
`
const search = (field: string) => `app.get('/users', (req, res) => {
  db.execute('select id from users where ${field} = "' + req.query.${field} + '"', done)
})
`
const safe = "export const all = () => db.query('SELECT * FROM users')\n"

beforeAll(async () => {
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  repo = await scene.createRepository()
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  const settings = { '.umpire.yml': 'reviews:\n  drafts: skip\n' }
  await scene.forge.push(repo, 'main', settings, { author: 'alice' })

  // Of four findings, the first is fixed, the second gets other code and is still wrong, the third
  // is dismissed, and the fourth stays.
  await open('mixed', {
    'src/a.ts': query('orders'),
    'src/b.ts': search('email'),
    'src/c.ts': query('carts'),
    'src/d.ts': query('users'),
  })
  await push('mixed', { 'src/a.ts': safe, 'src/b.ts': search('phone') })
  await dismiss('mixed', 'src/c.ts', { reason: 'Only our own texts.', kind: 'accepted' })
  await scene.forge.mergePullRequest(repo, numbers.mixed!)

  // The dismissed finding is removed later, and counts as dismissed. The critical one is fixed.
  await open('fixed', { 'src/e.ts': query('bills'), 'src/f.ts': search('name') })
  await dismiss('fixed', 'src/e.ts', { reason: 'only our own texts. ', kind: 'false_positive' })
  await push('fixed', { 'src/e.ts': safe, 'src/f.ts': safe })
  await scene.forge.mergePullRequest(repo, numbers.fixed!)

  await open('open', { 'src/g.ts': query('items') })
  await dismissByThread('open')
  await open('closed', { 'src/h.ts': search('city') })
  scene.forge.closePullRequest(repo, numbers.closed!)
  await open('clean', { 'src/i.ts': safe })
  await scene.forge.mergePullRequest(repo, numbers.clean!)
  await settle()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function settle(): Promise<void> {
  const isAnswered = () => scene.forge.deliveries.every((delivery) => delivery.status !== null)
  await scene.forge.waitFor(isAnswered, { description: 'the answers to all deliveries' })
  await waitUntilSettled(scene.app)
}

async function push(branch: string, files: Record<string, string>): Promise<void> {
  await scene.forge.push(repo, branch, files, { author: 'carol' })
  await settle()
}

async function open(branch: string, files: Record<string, string>): Promise<void> {
  await scene.forge.push(repo, branch, files, { author: 'carol' })
  const title = `The ${branch} one`
  numbers[branch] = await scene.forge.openPullRequest({
    repo,
    head: branch,
    title,
    author: 'carol',
  })
  await settle()
}

async function reviewOf(branch: string): Promise<ApiResponse['body']> {
  const { body } = await scene.request('alice', `/api/v1/reviews?search=The ${branch} one`)
  return (await scene.request('alice', `/api/v1/reviews/${body[0].id}`)).body
}

async function dismiss(branch: string, path: string, dismissal: object): Promise<void> {
  const { id, findings } = await reviewOf(branch)
  const { fingerprint } = findings.find((one: { path: string }) => one.path === path)
  const { bearer } = await scene.signIn('alice')
  const response = await fetch(
    `${scene.app.url}/api/v1/reviews/${id}/findings/${fingerprint}/dismiss`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer },
      body: JSON.stringify(dismissal),
    },
  )
  expect(response.status).toBe(200)
  await settle()
}

async function dismissByThread(branch: string): Promise<void> {
  const [comment] = scene.forge.pullRequest(repo, numbers[branch]!).inlineComments
  scene.forge.resolveThread(repo, numbers[branch]!, comment!.id, 'alice')
  const { id } = await reviewOf(branch)
  await scene.request('alice', `/api/v1/reviews/${id}/retry`, 'POST')
  await settle()
}

const outcomesFor = (person: Person, days = 7) =>
  scene.request(person, `/api/v1/analytics/outcomes?days=${days}`)

const none = { findings: 0, fixed: 0, dismissed: 0, open: 0 }
const noMerges = { pull_requests: 0, reviewed: 0, ...none, with_open_critical: 0 }

describe('outcomes', () => {
  it('count what became of the findings of merged pull requests', async () => {
    const { status, body } = await outcomesFor('alice', 90)
    expect(status).toBe(200)
    expect(body.merged).toEqual({
      current: {
        ...{ pull_requests: 3, reviewed: 3, findings: 6, fixed: 2, dismissed: 2, open: 2 },
        with_open_critical: 1,
      },
      previous: noMerges,
    })
    expect(body.rules).toEqual([
      {
        ...{ rule: 'sql-injection', category: null, findings: 7, fixed: 2, dismissed: 3, open: 2 },
        // Another one is right, but accepted.
        wrong: 2,
      },
    ])
    expect(body.open_critical).toEqual([
      {
        review_id: (await reviewOf('mixed')).id,
        ...{ repo_name: repo, pr_number: numbers.mixed, pr_title: 'The mixed one' },
        ...{ author: 'carol', pr_url: expect.stringContaining(repo), critical: 1 },
        ...{ merged_at: expect.stringMatching(/Z$/), last_commit_reviewed: true },
      },
    ])
  })

  it('count the dismissals of open pull requests too, by rule and reason', async () => {
    const { body } = await outcomesFor('alice', 90)
    expect(body.dismissals).toEqual({
      ...{ current: 3, previous: 0 },
      by_rule: [{ rule: 'sql-injection', category: null, count: 3 }],
      by_reason: [
        { reason: 'Only our own texts.', count: 2 },
        { reason: '', count: 1 },
      ],
    })
  })

  it('measure the time to the first review, which a draft waits for later', async () => {
    const title = 'The draft one'
    const author = 'carol'
    await scene.forge.push(repo, 'draft', { 'src/j.ts': safe }, { author })
    const number = await scene.forge.openPullRequest({
      repo,
      head: 'draft',
      title,
      author,
      draft: true,
    })
    await settle()
    const count = async () => (await outcomesFor('alice', 90)).body.first_review.current.count
    const before = await count()
    // The webhook of a repository doesn't report this, so that the next push starts the review.
    scene.forge.markReadyForReview(repo, number)
    await push('draft', { 'src/j.ts': safe.replace('all', 'each') })
    expect(await count()).toBe(before + 1)
    const { db } = scene.app
    const times = await Promise.all([
      db
        .selectFrom('pullRequests')
        .select('firstRequestedAt as at')
        .where('number', '=', number)
        .executeTakeFirst(),
      db
        .selectFrom('events')
        .select('createdAt as at')
        .where('prNumber', '=', number)
        .where('eventType', '=', 'pull_request.synchronize')
        .executeTakeFirst(),
    ])
    expect(times[0]).toEqual(times[1])
  })

  it('compare the period with the one before it', async () => {
    const { db } = scene.app
    await sql`update pull_requests set first_reviewed_at = now() - interval '9 days',
      merged_at = now() - interval '9 days' where number = ${numbers.fixed}`.execute(db)
    await sql`
      update dismissals set created_at = now() - interval '8 days'
      where via = 'thread'`.execute(db)
    for (const [index, branch] of ['mixed', 'fixed', 'open', 'closed', 'clean'].entries())
      await sql`update pull_requests set first_requested_at = first_reviewed_at
          - make_interval(secs => ${10 * (index + 1)}::float8)
        where number = ${numbers[branch]}`.execute(db)
    await sql`
      update pull_requests set first_reviewed_at = null
      where title = 'The draft one'`.execute(db)
    const { body } = await outcomesFor('alice')
    expect(body.merged).toEqual({
      current: {
        ...{ pull_requests: 2, reviewed: 2, findings: 4, fixed: 1, dismissed: 1, open: 2 },
        with_open_critical: 1,
      },
      previous: {
        ...{ pull_requests: 1, reviewed: 1, findings: 2, fixed: 1, dismissed: 1, open: 0 },
        with_open_critical: 0,
      },
    })
    expect(body.dismissals).toMatchObject({ current: 2, previous: 1 })
    // 10, 30, 40 and 50 seconds in the period.
    expect(body.first_review).toEqual({
      current: { median_seconds: 35, p90_seconds: 47, count: 4 },
      previous: { median_seconds: 20, p90_seconds: 20, count: 1 },
    })
    expect(body.parts).toHaveLength(7)
    expect(body.parts[0].start).toBe(body.period.start)
    expect(body.parts[6]).toEqual({
      ...{ start: body.parts[5].end, end: body.period.end },
      ...{ findings: 4, fixed: 1, dismissals: 2, with_open_critical: 1 },
      first_review_median_seconds: 35,
    })
    const { body: quarter } = await outcomesFor('alice', 90)
    expect(quarter.merged.current).toMatchObject({ pull_requests: 3, findings: 6 })
    expect(quarter.parts).toHaveLength(15)
    expect(quarter.parts[13]).toMatchObject({ findings: 2, dismissals: 1 })
  })

  it('case 26: show a stranger nothing', async () => {
    const { body } = await outcomesFor('bob')
    expect(body).toMatchObject({
      merged: { current: noMerges, previous: noMerges },
      dismissals: { current: 0, previous: 0, by_rule: [], by_reason: [] },
      first_review: { current: { median_seconds: null, p90_seconds: null, count: 0 } },
      ...{ rules: [], open_critical: [] },
    })
    const path = `/api/v1/analytics/outcomes?repo=${repo}`
    expect((await scene.request('bob', path)).body).toMatchObject({ merged: { current: noMerges } })
    const other = `/api/v1/analytics/outcomes?days=7&repo=acme/other`
    expect((await scene.request('alice', other)).body.merged.current).toEqual(noMerges)
  })

  it('case 27: refuse other periods', async () => {
    expect(await outcomesFor('alice', 6)).toEqual({
      status: 422,
      body: { detail: 'days must be a whole number from 7 to 90' },
    })
  })
})

describe('list of findings', () => {
  const list = (search = '', person: Person = 'alice') =>
    scene.request(person, `/api/v1/findings${search}`)
  const paths = async (search = '') =>
    (await list(search)).body.findings.map((one: { path: string }) => one.path)
  const exportAs = async (search: string, person: Person = 'alice') => {
    const { bearer } = await scene.signIn(person)
    return fetch(`${scene.app.url}/api/v1/findings/export${search}`, { headers: bearer })
  }

  it('shows what became of each finding, the newest first', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    const rows = body.findings.map((one: Record<string, unknown>) => [one.path, one.outcome])
    expect(rows.slice(0, 5)).toEqual([
      ['src/h.ts', 'open'],
      ['src/g.ts', 'dismissed'],
      ...[expect.anything(), expect.anything()],
      // The second problem of the first pull request, which replaced another one.
      ['src/b.ts', 'open'],
    ])
    expect(rows.toSorted()).toEqual([
      ['src/a.ts', 'fixed'],
      ['src/b.ts', 'open'],
      ['src/b.ts', 'replaced'],
      ['src/c.ts', 'dismissed'],
      ['src/d.ts', 'open'],
      ['src/e.ts', 'dismissed'],
      ['src/f.ts', 'fixed'],
      ['src/g.ts', 'dismissed'],
      ['src/h.ts', 'open'],
    ])
    expect(body.next).toBeNull()
    const dismissed = body.findings.find((one: { path: string }) => one.path === 'src/c.ts')
    expect(dismissed).toMatchObject({
      ...{ review_id: (await reviewOf('mixed')).id, repo_name: repo, pr_number: numbers.mixed },
      ...{ pr_title: 'The mixed one', pr_status: 'merged', author: 'carol', rule: 'sql-injection' },
      ...{ severity: 'moderate', category: 'security', reviewer: 'static', start_line: 2 },
      ...{ dismissed_by: 'alice', dismissal_reason: 'Only our own texts.' },
      dismissal_kind: 'accepted',
      ...{ comment_url: expect.stringContaining(repo), resolved_at: null },
    })
  })

  it('is filtered by each parameter, and by several', async () => {
    const sorted = async (search: string) => (await paths(search)).toSorted()
    expect(await sorted('?severity=critical')).toEqual(
      ['b', 'b', 'f', 'h'].map((name) => `src/${name}.ts`),
    )
    expect(await sorted('?outcome=fixed')).toEqual(['src/a.ts', 'src/f.ts'])
    expect(await sorted('?outcome=dismissed,replaced')).toEqual(
      ['b', 'c', 'e', 'g'].map((name) => `src/${name}.ts`),
    )
    expect(await sorted('?outcome=open,suppressed&merged_days=90')).toEqual([
      'src/b.ts',
      'src/d.ts',
    ])
    expect(await sorted('?search=SRC/D')).toEqual(['src/d.ts'])
    expect(await sorted('?search=sql-inj&author=carol&rule=sql-injection')).toHaveLength(9)
    expect(await sorted('?category=security&by=rule&days=1')).toHaveLength(9)
    for (const nothing of ['author=alice', 'rule=other', 'by=model', 'search=src_', 'repo=a/b'])
      expect(await sorted(`?${nothing}`)).toEqual([])
    expect(await sorted(`?repo=${repo}`)).toHaveLength(9)
  })

  it('is counted by the values of each filter, under the other filters', async () => {
    const count = async (search = '', person: Person = 'alice') =>
      (await scene.request(person, `/api/v1/findings/counts${search}`)).body
    const value = (value: string, count: number) => ({ value, count })
    const outcomes = [value('dismissed', 3), value('open', 3), value('fixed', 2)]
    expect(await count()).toEqual({
      repo: [value(repo, 9)],
      author: [value('carol', 9)],
      severity: [value('moderate', 5), value('critical', 4)],
      outcome: [...outcomes, value('replaced', 1)],
      rule: [{ rule: 'sql-injection', category: null, count: 9 }],
    })
    // Findings of open pull requests count, too.
    expect(await count('?outcome=open&severity=critical&rule=other&days=7')).toEqual({
      ...{ repo: [], author: [], severity: [], outcome: [] },
      rule: [{ rule: 'sql-injection', category: null, count: 2 }],
    })
    expect((await count('?outcome=open&by=rule&search=SRC/')).outcome).toHaveLength(4)
    expect((await count('?merged_days=90&outcome=open,fixed')).severity).toEqual([
      value('critical', 2),
      value('moderate', 2),
    ])
    expect((await count('?repo=a/b')).repo).toEqual([value(repo, 9)])
    expect((await count('?repo=a/b')).rule).toEqual([])
    const none = { repo: [], author: [], severity: [], outcome: [], rule: [] }
    expect(await count('', 'bob')).toEqual(none)
  })

  it.each(['newest', 'oldest', 'severity'])('has the same pages as one list: %s', async (sort) => {
    const { body: all } = await list(`?sort=${sort}`)
    const found: unknown[] = []
    for (let before = ''; ; ) {
      const { body: page } = await list(`?sort=${sort}&limit=2${before}`)
      expect(page.findings.length).toBeLessThanOrEqual(2)
      found.push(...page.findings)
      if (page.next === null) break
      before = `&before=${page.next}`
    }
    expect(found).toEqual(all.findings)
    const severities = all.findings.map((one: { severity: string }) => one.severity)
    if (sort === 'severity')
      expect(severities).toEqual([...Array(4).fill('critical'), ...Array(5).fill('moderate')])
  })

  it('is exported as CSV and JSON', async () => {
    const { body } = await list('?sort=oldest&outcome=dismissed')
    const json = await exportAs('?sort=oldest&outcome=dismissed&format=json')
    expect(json.headers.get('content-disposition')).toMatch(
      /^attachment; filename="findings-\d{4}-\d{2}-\d{2}\.json"$/,
    )
    expect(await json.json()).toEqual(body.findings)
    expect(await (await exportAs('?author=nobody&format=json')).json()).toEqual([])

    const reason = '=HYPERLINK("http://evil.example","a")\n@b'
    await sql`
      update dismissals set reason = ${reason}
      where reason = 'Only our own texts.'`.execute(scene.app.db)
    const csv = await exportAs('?sort=oldest&outcome=dismissed')
    expect(csv.headers.get('content-type')).toContain('text/csv')
    const lines = (await csv.text()).split('\r\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe(
      Object.keys(body.findings[0])
        .map((name) => `"${name}"`)
        .join(','),
    )
    expect(lines[1]).toContain(`,"'=HYPERLINK(""http://evil.example"",""a"")\n@b",`)
    expect(lines[4]).toBe('')
    await sql`
      update dismissals set reason = 'Only our own texts.'
      where reason = ${reason}`.execute(scene.app.db)
  })

  it('case 26: shows a stranger nothing', async () => {
    for (const search of ['', `?repo=${repo}`])
      expect((await list(search, 'bob')).body).toEqual({ findings: [], next: null })
    const [{ id }] = (await list()).body.findings
    expect((await list(`?before=${id + 1000}`, 'bob')).body.findings).toEqual([])
    expect(await (await exportAs('?format=json', 'bob')).json()).toEqual([])
    expect((await (await exportAs('', 'bob')).text()).split('\r\n')).toHaveLength(2)
    for (const path of [
      '/api/v1/findings',
      '/api/v1/findings/counts',
      '/api/v1/findings/export',
      '/api/v1/analytics/outcomes',
    ])
      expect((await fetch(`${scene.app.url}${path}`)).status).toBe(401)
  })

  it.each([
    ['severity=bad', 'severity must be one of critical, moderate, minor'],
    ['sort=path', 'sort must be one of newest, oldest, severity'],
    ['outcome=open,lost', /^outcome must be a list of open, suppressed/],
    ['search=ab', 'search must have at least 3 characters'],
    ['limit=0', 'limit must be a whole number from 1 to 100'],
    ['days=0', 'days must be a whole number from 1 to 3650'],
  ])('case 27: refuses %s', async (search, detail) => {
    expect(await list(`?${search}`)).toEqual({
      status: 422,
      body: { detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) },
    })
  })
})
