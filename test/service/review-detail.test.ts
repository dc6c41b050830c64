// A single review, its retry, and its deliveries.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import {
  type ApiResponse,
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload } from '../start-app.ts'

let scene: ConnectScenario
let root: SignedInUser

beforeAll(async () => {
  scene = await startConnectScenario()
  root = await signInWithToken(scene.app, tokenOf('root'))
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
})
beforeEach(() => scene.forge.faults.clear())

async function requestAsRoot(path: string, method = 'GET'): Promise<ApiResponse> {
  const response = await fetch(`${scene.app.url}${path}`, { method, headers: root.bearer })
  return { status: response.status, body: await response.json() }
}

/** Returns a repository that alice connected, with a pull request whose review has ended. */
async function reviewedPullRequest(): Promise<{ repo: string; number: number }> {
  const { forge } = scene
  const repo = await scene.createRepository()
  expect((await scene.connect('alice', repo)).status).toBe(200)
  await forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start' })
  await forge.push(repo, 'topic', readSample('topic'), {
    author: 'alice',
    message: 'Take payments',
  })
  const number = await forge.openPullRequest({
    repo,
    head: 'topic',
    title: 'Take payments',
    author: 'alice',
  })
  await settled()
  return { repo, number }
}

async function settled(): Promise<void> {
  const isAnswered = () => scene.forge.deliveries.every((delivery) => delivery.status !== null)
  await scene.forge.waitFor(isAnswered, { description: 'the answers to all deliveries' })
  await waitUntilSettled(scene.app)
}

/** Makes the reviews of a repository fail at once. */
function breakReviews(repo: string): () => void {
  return scene.forge.faults.add({
    match: ({ path }) => path.includes(`/repos/${repo}/pulls/`),
    action: replyWith(404, { message: 'Not Found' }),
  })
}

/** Reads the entry that alice sees in the list. */
async function entryOf(repo: string) {
  const { body } = await scene.request('alice', `/api/v1/reviews?search=${repo}`)
  return body[0]
}

const read = (person: Person, id: number | string) => scene.request(person, `/api/v1/reviews/${id}`)
const retry = (person: Person, id: number | string) =>
  scene.request(person, `/api/v1/reviews/${id}/retry`, 'POST')
const isRemoved = ({ removed }: { removed: boolean }) => removed
const notFound = { status: 404, body: { detail: 'Review not found' } }
const denied = { status: 403, body: { detail: 'Repo not connected or access denied' } }

describe('a review', () => {
  it('is shown with its findings, coverage, usage and deliveries', async () => {
    const { repo } = await reviewedPullRequest()
    const entry = await entryOf(repo)
    const { status, body } = await read('alice', entry.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...entry,
      status: 'completed',
      draft: false,
      error: null,
      error_code: null,
      attempts: 1,
      retry_at: null,
      verdict: entry.ai_summary.split('\n')[0],
      head_sha: (await scene.forge.branches(repo)).get('topic'),
      published_url: expect.stringContaining(`/${repo}/`),
      coverage: { files_total: 2, files_reviewed: 2, complete: true, skipped: [], set_aside: [] },
      usage: { calls: 0, input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, cost_usd: 0 },
      deliveries: [
        {
          event_type: 'pull_request.opened',
          repo_name: repo,
          status: 'completed',
          outcome: 'reviewed',
          duplicates: 0,
          error: null,
        },
      ],
    })
    expect(body.ai_summary).toContain(`Confidence: ${body.confidence}/5`)
    expect(body.findings.length).toBeGreaterThan(0)
    for (const finding of body.findings) {
      expect(finding).toMatchObject({
        state: 'open',
        verified: true,
        side: 'RIGHT',
        evidence: expect.any(Array),
      })
    }
    const worst = body.findings.map(({ severity }: { severity: string }) => severity)
    const order = ['critical', 'moderate', 'minor']
    expect(worst).toEqual(
      worst.toSorted((a: string, b: string) => order.indexOf(a) - order.indexOf(b)),
    )
    const inline = scene.forge.pullRequest(repo, 1).inlineComments
    const shown = body.findings.filter(
      ({ placement }: { placement: string }) => placement === 'inline',
    )
    expect(shown).toHaveLength(inline.length)
    for (const { comment_url } of shown) expect(comment_url).toContain('#discussion_r')
  })

  it('shows what each push changed, and where findings are on the platform', async () => {
    const { repo, number } = await reviewedPullRequest()
    const { body: before } = await read('alice', (await entryOf(repo)).id)
    const total = before.findings.length
    const [finding] = before.findings
    expect(finding.url).toBe(
      `${scene.forge.url}/${repo}/blob/${before.head_sha}/${finding.path}#L${finding.start_line}`,
    )
    expect(finding.citation).toBeNull()
    expect(before.history).toMatchObject([
      {
        event_id: before.id,
        event_type: 'pull_request.opened',
        status: 'completed',
        head_sha: before.head_sha,
        verdict: 'REQUEST_CHANGES',
        new_findings: total,
        fixed_findings: 0,
        open_findings: total,
      },
    ])
    const inPayments = before.findings.filter(
      ({ path }: { path: string }) => path === 'src/payments.ts',
    ).length
    await scene.forge.push(
      repo,
      'topic',
      { 'src/payments.ts': 'export const payments = 1\n' },
      { author: 'alice', message: 'Take no payments' },
    )
    await settled()
    const { body: after } = await read('alice', (await entryOf(repo)).id)
    expect(scene.forge.pullRequest(repo, number).headSha).toBe(after.head_sha)
    // A pushed secret stays open, because others know it. The first review shows its code.
    for (const removed of after.findings.filter(isRemoved))
      expect(removed).toMatchObject({ state: 'open', first_review_id: before.id })
    const fixed = inPayments - after.findings.filter(isRemoved).length
    expect(after.ai_summary).toMatch(
      /was in `src\/payments\.ts`: .*removed from the code; revoke it/,
    )
    expect(after.history).toMatchObject([
      { event_id: after.id, new_findings: 0, fixed_findings: fixed, open_findings: total - fixed },
      { event_id: before.id, new_findings: total, fixed_findings: 0, open_findings: total },
    ])
  })

  it('keeps in its history what each review left, whatever becomes of the findings', async () => {
    const { repo } = await reviewedPullRequest()
    const first = (await read('alice', (await entryOf(repo)).id)).body
    const total = first.findings.length
    const [finding, ...others] = first.findings
    const dismiss = ({ fingerprint }: { fingerprint: string }) =>
      scene.request(
        'alice',
        `/api/v1/reviews/${first.id}/findings/${fingerprint}/dismiss`,
        'POST',
        {
          reason: 'It is a sample.',
        },
      )
    expect(await dismiss(finding)).toMatchObject({ status: 200 })
    await settled()
    const history = [
      {
        event_type: 'pull_request.dismissal',
        new_findings: 0,
        fixed_findings: 0,
        dismissed_findings: 1,
        open_findings: total - 1,
      },
      { event_id: first.id, dismissed_findings: 0, open_findings: total },
    ]
    const readHistory = async () => (await read('alice', (await entryOf(repo)).id)).body.history
    expect(await readHistory()).toMatchObject(history)
    // The code goes and comes back, and the finding with it.
    const { [finding.path]: code } = readSample('topic')
    for (const text of ['export const nothing = 1\n', code!]) {
      await scene.forge.push(repo, 'topic', { [finding.path]: text }, { author: 'alice' })
      await settled()
    }
    expect((await readHistory()).slice(2)).toMatchObject(history)

    // A review under way was not decided with the dismissal.
    const held = hold()
    scene.forge.faults.add({
      match: ({ method, path }) => method === 'PATCH' && path.includes('/issues/comments/'),
      action: held,
      times: 1,
    })
    await scene.forge.push(repo, 'topic', { 'a.md': 'More\n' }, { author: 'alice' })
    await held.arrived
    const left = others.find(({ path }: { path: string }) => path !== finding.path)
    expect(await dismiss(left)).toMatchObject({ status: 200 })
    held.release()
    await settled()
    expect((await readHistory()).slice(0, 2)).toMatchObject([
      { event_type: 'pull_request.dismissal', dismissed_findings: 1 },
      { event_type: 'pull_request.synchronize', dismissed_findings: 0 },
    ])
  })

  it('names the review that examined its commit if it only computed the verdict again', async () => {
    const { repo } = await reviewedPullRequest()
    const readNewest = async () => (await read('alice', (await entryOf(repo)).id)).body
    const first = await readNewest()
    expect(first.examination).toBeNull()
    const path = `/api/v1/reviews/${first.id}/findings/${first.findings[0].fingerprint}/dismiss`
    const reason = 'It is a sample.'
    for (const [method, body] of [['POST', { reason }], ['DELETE']] as const) {
      const answer = await scene.request('alice', path, method, body)
      expect(answer.status).toBe(200)
      await settled()
      const { id, examination } = await readNewest()
      expect(id).toBe(answer.body.event_id)
      const { timings, usage } = first
      expect(examination).toEqual({ review_id: first.id, timings, usage })
    }
  })

  it('reports why it failed', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const { secret } = scene.forge.webhooks(repo)[0]!
    // The platform has no such pull request.
    await scene.app.deliver(pullRequestPayload({ repo, number: 77 }), { secret })
    await waitUntilSettled(scene.app)
    const { id } = await entryOf(repo)
    const { body } = await read('alice', id)
    expect(body).toMatchObject({
      status: 'failed',
      ai_summary: null,
      files_analyzed: 0,
      error_code: 'platform_not_found',
      error: expect.stringMatching(/\w/),
      verdict: null,
      coverage: null,
      usage: null,
      findings: [],
    })
    expect(body.deliveries).toMatchObject([{ id, outcome: 'failed', error: body.error }])
  })

  it('is visible to the people who can list it; other ids are a 404', async () => {
    const { repo } = await reviewedPullRequest()
    const { id } = await entryOf(repo)
    for (const unknown of [
      id + 1000,
      0,
      -1,
      'x',
      '1e3',
      `${id}.0`,
      `0x${id}`,
      `${id} or 1=1`,
      '9'.repeat(15),
      '9'.repeat(30),
    ]) {
      const path = encodeURIComponent(String(unknown))
      expect(await read('alice', path), `${unknown}`).toEqual(notFound)
      expect(await retry('alice', path), `${unknown}`).toEqual(notFound)
    }
    const { secret } = scene.forge.webhooks(repo)[0]!
    const ping = await scene.app.deliver(
      { zen: 'Keep it', repository: { full_name: repo } },
      { event: 'ping', secret },
    )
    expect(await read('alice', ping.body.event_id as number)).toEqual(notFound)
  })
})

it('case 26: hides a review, its retry and its deliveries from other people', async () => {
  const { repo } = await reviewedPullRequest()
  const { id } = await entryOf(repo)
  expect(await read('bob', id)).toEqual(notFound)
  expect(await retry('bob', id)).toEqual(notFound)
  expect(await scene.request('bob', `/api/v1/deliveries?repo=${repo}`)).toEqual(denied)
  const { body } = await scene.request('bob', '/api/v1/deliveries?limit=100')
  expect(
    body.deliveries.filter((delivery: { repo_name: string }) => delivery.repo_name === repo),
  ).toEqual([])
  expect((await requestAsRoot(`/api/v1/reviews/${id}`)).status).toBe(200)
  // Alice still sees what arrived while she was connected, but cannot start anything.
  await scene.disconnect('alice', repo)
  expect((await read('alice', id)).status).toBe(200)
  expect(
    (await scene.request('alice', `/api/v1/deliveries?repo=${repo}&status=completed`)).body
      .deliveries,
  ).toHaveLength(1)
  expect(await retry('alice', id)).toEqual(denied)
})

it('case 26: hides what arrives through other people after a person disconnects', async () => {
  const repo = await scene.createRepository()
  const { cookie } = await scene.signIn('alice')
  const isAbout = (delivery: { repo_name: string; event_type: string }) =>
    delivery.repo_name === repo && delivery.event_type === 'pull_request.closed'
  const show = async (id: number) => {
    const [list, statistics, deliveries] = await Promise.all([
      scene.request('alice', `/api/v1/reviews?search=${repo}`),
      fetch(`${scene.app.url}/api/v1/analytics/insights`, { headers: cookie }).then(
        (answered) => answered.json() as Promise<object>,
      ),
      scene.request('alice', '/api/v1/deliveries?limit=100'),
    ])
    const seen = [
      list.body.length,
      deliveries.body.deliveries.filter(isAbout).length,
      (await read('alice', id)).status,
      (await scene.request('alice', `/api/v1/deliveries?repo=${repo}`)).status,
    ]
    return { seen, statistics: { ...statistics, period: null } }
  }
  const deliver = async (number: number): Promise<number> => {
    const { secret } = scene.forge.webhooks(repo)[0]!
    const { body } = await scene.app.deliver(
      pullRequestPayload({ repo, number, action: 'closed', merged: true }),
      {
        secret,
      },
    )
    return body.event_id as number
  }
  const nothing = [0, 0, 404, 403]
  const { statistics } = await show(0)
  for (const person of ['alice', 'bob'] as const) await scene.connect(person, repo)
  await scene.disconnect('alice', repo)
  const bobs = await deliver(1)
  expect(await show(bobs)).toEqual({ seen: nothing, statistics })
  await scene.disconnect('bob', repo)
  expect(await show(bobs)).toEqual({ seen: nothing, statistics })

  // The last person to disconnect keeps access until another person connects.
  await scene.connect('alice', repo)
  await scene.disconnect('alice', repo)
  const shown = await show(bobs)
  expect(shown.seen).toEqual([1, 1, 200, 200])
  expect(shown.statistics).not.toEqual(statistics)
  await scene.connect('bob', repo)
  expect(await show(await deliver(2))).toEqual({ seen: nothing, statistics })
})

describe('a retry', () => {
  it('reviews a failed pull request again', async () => {
    const repo = await scene.createRepository()
    const restore = breakReviews(repo)
    await scene.connect('alice', repo)
    await scene.forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start' })
    await scene.forge.push(repo, 'topic', readSample('topic'), {
      author: 'alice',
      message: 'Take payments',
    })
    const number = await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    await settled()
    const failed = await entryOf(repo)
    expect(failed.status).toBe('failed')
    restore()

    const { status, body } = await retry('alice', failed.id)
    expect({ status, body }).toEqual({
      status: 202,
      body: { status: 'retry_started', event_id: expect.any(Number) },
    })
    await settled()
    const entry = await entryOf(repo)
    expect(entry).toMatchObject({
      id: body.event_id,
      event_type: 'pull_request.retry',
      status: 'completed',
      branch: 'topic',
    })
    const { body: detail } = await read('alice', entry.id)
    expect(detail.deliveries).toMatchObject([
      { id: body.event_id, outcome: 'reviewed', delivery_id: null },
      { id: failed.id, outcome: 'failed' },
    ])
    expect(scene.forge.pullRequest(repo, number).comments).toHaveLength(1)
    const audited = await scene.app.db
      .selectFrom('auditLog')
      .select(['login', 'subject'])
      .where('action', '=', 'review_retried')
      .where('subject', '=', `${repo}#${number}`)
      .execute()
    expect(audited).toEqual([{ login: 'alice', subject: `${repo}#${number}` }])
  })

  it('is refused during a review, and only one of many at once starts', async () => {
    const { repo } = await reviewedPullRequest()
    const { id } = await entryOf(repo)
    // The hold keeps the review active until all retries were sent.
    const held = hold()
    scene.forge.faults.add({ match: ({ path }) => path.includes(`/repos/${repo}`), action: held })
    const answers = await Promise.all(Array.from({ length: 6 }, () => retry('alice', id)))
    held.release()
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    for (const { status, body } of answers.filter((one) => one.status !== 202)) {
      expect({ status, body }).toEqual({
        status: 409,
        body: { detail: 'A review of this pull request is waiting or under way already' },
      })
    }
    await settled()
    expect((await read('alice', id)).body.deliveries).toHaveLength(2)
  })

  it('is refused for a merged pull request, even without a webhook for it', async () => {
    const { repo, number } = await reviewedPullRequest()
    const { id } = await entryOf(repo)
    scene.forge.removeWebhook(repo, scene.forge.webhooks(repo)[0]!.id)
    await scene.forge.mergePullRequest(repo, number)
    await scene.app.db
      .updateTable('pullRequests')
      .set({ stateCheckedAt: null })
      .where('repo', '=', repo)
      .execute()
    expect(await retry('alice', id)).toEqual({
      status: 409,
      body: { detail: 'The pull request is merged: nothing is left to review' },
    })
  })

  it('is open to administrators only where nobody connected the repository', async () => {
    const repo = await scene.createRepository()
    const { body } = await scene.app.deliver(pullRequestPayload({ repo, number: 5 }))
    await waitUntilSettled(scene.app)
    expect((await requestAsRoot(`/api/v1/reviews/${body.event_id}/retry`, 'POST')).status).toBe(202)
    await waitUntilSettled(scene.app)
    await scene.connect('bob', repo)
    expect(await requestAsRoot(`/api/v1/reviews/${body.event_id}/retry`, 'POST')).toEqual(denied)
  })

  it('accepts the cookie, but not from another site', async () => {
    const { repo } = await reviewedPullRequest()
    const { id } = await entryOf(repo)
    const { cookie } = await scene.signIn('alice')
    const path = `${scene.app.url}/api/v1/reviews/${id}/retry`
    const foreign = await fetch(path, {
      method: 'POST',
      headers: { ...cookie, origin: 'https://evil.example' },
    })
    expect(foreign.status).toBe(403)
    expect((await fetch(path, { method: 'POST' })).status).toBe(401)
    expect((await fetch(path, { method: 'POST', headers: cookie })).status).toBe(202)
    await settled()
  })
})

describe('deliveries', () => {
  it('are listed newest first, in pages, with their outcomes', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const { secret } = scene.forge.webhooks(repo)[0]!
    const ids: number[] = []
    for (const [index, action] of ['opened', 'edited', 'labeled', 'reopened', 'closed'].entries()) {
      const payload = pullRequestPayload({
        repo,
        number: 9,
        action,
        state: action === 'closed' ? 'closed' : 'open',
      })
      const headers = { 'x-github-delivery': `delivery-${index}` }
      const { body } = await scene.app.deliver(payload, { secret, headers })
      ids.unshift(body.event_id as number)
      await waitUntilSettled(scene.app)
    }
    const pages: { id: number; event_type: string; outcome: string; delivery_id: string }[][] = []
    let next: number | null = null
    do {
      const before: string = next === null ? '' : `&before=${next}`
      const { body } = await scene.request(
        'alice',
        `/api/v1/deliveries?repo=${repo.toUpperCase()}&limit=2${before}`,
      )
      pages.push(body.deliveries)
      next = body.next
    } while (next !== null)
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(2)
    // The ping of a new webhook can arrive before its secret is stored.
    const all = pages.flat().filter(({ event_type }) => event_type !== 'ping')
    expect(all.map(({ id }) => id)).toEqual(ids)
    expect(all.map(({ outcome }) => outcome)).toEqual([...Array(4).fill('recorded'), 'failed'])
    expect(all.map(({ delivery_id }) => delivery_id)).toEqual(
      [4, 3, 2, 1, 0].map((n) => `delivery-${n}`),
    )
    const failed = await scene.request('alice', `/api/v1/deliveries?repo=${repo}&status=failed`)
    expect(failed.body).toMatchObject({
      deliveries: [{ id: ids.at(-1), error: expect.any(String) }],
      next: null,
    })
    expect(
      (await scene.request('alice', `/api/v1/deliveries?repo=${repo}&status=completed`)).body
        .deliveries,
    ).toEqual([])
  })

  it('count skipped duplicates', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const { secret } = scene.forge.webhooks(repo)[0]!
    const payload = pullRequestPayload({ repo, number: 4 })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => scene.app.deliver(payload, { secret })),
    )
    const received = answers.filter(({ body }) => body.status === 'received').length
    await waitUntilSettled(scene.app)
    const { body } = await scene.request('alice', `/api/v1/deliveries?repo=${repo}`)
    const stored = body.deliveries.filter(
      ({ outcome }: { outcome: string }) => outcome !== 'recorded',
    )
    expect(stored).toHaveLength(received)
    const skipped = stored.reduce(
      (sum: number, { duplicates }: { duplicates: number }) => sum + duplicates,
      0,
    )
    expect(skipped).toBe(5 - received)
  })

  it('without a repository are visible to administrators only', async () => {
    const { body } = await scene.app.deliver({ zen: 'Keep it' }, { event: 'ping' })
    const id = body.event_id as number
    const shows = ({ body: page }: ApiResponse) =>
      page.deliveries.some((delivery: { id: number }) => delivery.id === id)
    expect(shows(await requestAsRoot('/api/v1/deliveries?limit=100'))).toBe(true)
    expect(shows(await requestAsRoot('/api/v1/deliveries?limit=100&status=pending'))).toBe(true)
    expect(shows(await requestAsRoot('/api/v1/deliveries?limit=100&status=failed'))).toBe(false)
    expect(shows(await scene.request('alice', '/api/v1/deliveries?limit=100'))).toBe(false)
  })

  it.each([
    ['limit=0', /^limit /],
    ['limit=101', /^limit /],
    ['before=0', /^before /],
    ['before=x', /^before /],
    ['status=open', /^status must be one of pending, processing, completed, failed, unused$/],
    ['repo=a&repo=b', /^repo /],
  ])('case 27: rejects %s with a 422 that names the parameter', async (query, detail) => {
    const { status, body } = await scene.request('alice', `/api/v1/deliveries?${query}`)
    expect({ status, body }).toEqual({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    })
  })

  it.each(['a', 'a/b/c', '../x', '.git/x', 'x'.repeat(300), '\u202eabc/def', 'acme/%00'])(
    'of the malformed repository %s are visible to nobody',
    async (repo) => {
      expect(
        await scene.request('alice', `/api/v1/deliveries?repo=${encodeURIComponent(repo)}`),
      ).toEqual(denied)
      expect(
        (await requestAsRoot(`/api/v1/deliveries?repo=${encodeURIComponent(repo)}`)).body
          .deliveries,
      ).toEqual([])
    },
  )
})
