// Tests of the GitLab adapter against errors, odd answers and hostile payloads, over real HTTP.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import type { Platform, ReviewToPublish } from '../src/platforms/platform.ts'

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Answer {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const token = 'glpat-canary0123456789abcd'
const access = { repo: 'acme:web/shop', token }
const project = '/api/v4/projects/acme%2Fweb%2Fshop'
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Starts a server that answers by method and path, and an adapter for it. */
async function start(respond: (request: Received) => Answer) {
  const requests: Received[] = []
  const answer = (response: ServerResponse, { status = 200, body = {}, headers }: Answer) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
    requests.push(received)
    answer(response, respond(received))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const platform = createPlatform({
    id: 'gitlab',
    url,
    apiUrl: `${url}/api/v4`,
    oauth: null,
    userAgent: 'umpire-test',
    timeoutMs: 5000,
  })
  return { platform, requests, url }
}

async function catchError(promise: Promise<unknown>): Promise<Record<string, unknown> & Error> {
  return promise.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )
}

/** Answers by the first key that is a part of method and path; 404 for everything else. */
const route = (answers: Readonly<Record<string, Answer>>) => (request: Received) => {
  const line = `${request.method} ${request.path}`
  const key = Object.keys(answers).find((one) => line.includes(one))
  return key === undefined
    ? { status: 404, body: { message: '404 Not found' } }
    : (answers[key] as Answer)
}

const mergeRequest = {
  iid: 7,
  title: 'Round prices',
  description: null,
  author: { id: 2, username: 'alice' },
  labels: ['bug'],
  state: 'opened',
  merged_at: null,
  draft: false,
  web_url: 'https://gitlab.example/acme/web/shop/-/merge_requests/7',
  source_branch: 'topic',
  target_branch: 'main',
  source_project_id: 1,
  target_project_id: 1,
  sha: 'a'.repeat(40),
  diff_refs: {
    base_sha: 'b'.repeat(40),
    start_sha: 'c'.repeat(40),
    head_sha: 'a'.repeat(40),
  },
  changes_count: '1',
  created_at: '2026-02-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
}

const diff = {
  old_path: 'a.ts',
  new_path: 'a.ts',
  a_mode: '100644',
  b_mode: '100644',
  diff: '@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n',
  new_file: false,
  renamed_file: false,
  deleted_file: false,
  collapsed: false,
  too_large: false,
}

describe('case 51: refusals are classified', () => {
  it.each([
    [401, 'platform_unauthorized', false],
    [403, 'platform_forbidden', false],
    [404, 'platform_not_found', false],
    [409, 'platform_refused', false],
    [422, 'platform_refused', false],
    [429, 'platform_rate_limited', true],
    [502, 'platform_unavailable', true],
  ])('case 51: classifies status %i as %s', async (status, code, retryable) => {
    const { platform } = await start(() => ({ status, body: { message: 'The reason' } }))
    expect(await catchError(platform.getPullRequest(access, 7))).toMatchObject({
      ...{ name: 'PlatformError', code, status, retryable, message: 'The reason' },
    })
  })

  it.each([
    [{ message: ['One', 'Two'] }, 'One, Two'],
    [
      { message: { base: ['is gone'], title: ["can't be blank"] } },
      "base is gone, title can't be blank",
    ],
    [
      { error: 'invalid_token', error_description: 'Token was revoked.' },
      'invalid_token: Token was revoked.',
    ],
    [{ message: { a: { b: { c: { d: 'deep' } } } } }, 'The platform answered with status 400.'],
    ['Retry later\n', 'The platform answered with status 400.'],
    [null, 'The platform answered with status 400.'],
    [
      { message: `token ${token} and glrt-abcdefghijklmnop at https://x.example/y` },
      'token … and … at',
    ],
  ])('reads a message of any form: %j', async (body, message) => {
    const answer = typeof body === 'string' ? body : JSON.stringify(body)
    const { platform } = await start(() => ({ status: 400, body: answer }))
    const error = await catchError(platform.getPullRequest(access, 7))
    expect(error.message).toBe(message)
  })

  it('waits as long as GitLab asks for', async () => {
    const { platform } = await start(() => ({
      ...{ status: 429, body: 'Retry later\n', headers: { 'retry-after': '33' } },
    }))
    const error = await catchError(platform.getViewer(token))
    expect(error).toMatchObject({ code: 'platform_rate_limited', retryAfterMs: 33_000 })
  })

  it('refuses pages of HTML, as a proxy in front of GitLab sends them', async () => {
    const { platform } = await start(() => ({
      ...{ body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
    }))
    expect((await catchError(platform.getViewer(token))).code).toBe('platform_invalid_response')
  })

  it('sends no token to another host, and names none that can not exist', async () => {
    const { platform, requests } = await start(() => ({
      ...{ status: 301, headers: { location: 'https://other.example/api/v4/user' } },
    }))
    expect((await catchError(platform.getViewer(token))).code).toBe('platform_invalid_response')
    for (const repo of ['acme/web/shop', 'acme:../shop', 'acme', '../..']) {
      const error = await catchError(platform.getRepository({ repo, token }))
      expect(error.code).toBe('platform_not_found')
    }
    expect(requests).toHaveLength(1)
  })
})

describe('groups of any depth', () => {
  it('are one encoded segment of a path, and are translated back', async () => {
    const { platform, requests, url } = await start(() => ({
      body: { id: 4, path_with_namespace: 'acme/web/eu/shop', visibility: 'internal' },
    }))
    const deep = { repo: 'acme:web:eu/shop', token }
    expect(await platform.getRepository(deep)).toMatchObject({
      ...{ id: '4', repo: 'acme:web:eu/shop', private: true },
    })
    expect(requests[0]).toMatchObject({
      path: '/api/v4/projects/acme%2Fweb%2Feu%2Fshop',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(platform.cloneRemote(deep).url).toBe(`${url}/acme/web/eu/shop.git`)
    const place = { commit: 'abc', path: 'a b.ts', line: 2 }
    expect(platform.fileUrl(deep.repo, place)).toBe(
      `${url}/acme/web/eu/shop/-/blob/abc/a%20b.ts#L2`,
    )
  })

  it('shows a public project whose files are for members as not public', async () => {
    const { platform } = await start(() => ({
      body: {
        ...{ id: 4, path_with_namespace: 'acme/web/shop', visibility: 'public' },
        repository_access_level: 'private',
      },
    }))
    expect(await platform.isPublic(access)).toBe(false)
  })
})

describe('merge requests', () => {
  const answers = {
    [`GET ${project}/merge_requests/7/diffs`]: { body: [diff] },
    [`GET ${project}/merge_requests/7`]: { body: mergeRequest },
  }

  it('count lines by the diff, and know the accounts of tokens by their names', async () => {
    const bot = { ...mergeRequest, author: { id: 3, username: 'project_12_bot_4ffca233' } }
    const { platform } = await start(
      route({ ...answers, [`GET ${project}/merge_requests/7`]: { body: bot } }),
    )
    expect(await platform.getPullRequest(access, 7)).toMatchObject({
      ...{ isByBot: true, state: 'open', additions: 2, deletions: 1, changedFiles: 1 },
      ...{ base: { sha: 'c'.repeat(40) }, head: { repo: access.repo } },
    })
  })

  it('that are being merged are open, and those that GitLab prepares are asked for again', async () => {
    const locked = { body: { ...mergeRequest, state: 'locked' } }
    const { platform } = await start(
      route({ ...answers, [`GET ${project}/merge_requests/7`]: locked }),
    )
    expect((await platform.getPullRequest(access, 7)).state).toBe('open')
    const { platform: early } = await start(() => ({
      body: { ...mergeRequest, sha: null, diff_refs: null },
    }))
    const error = await catchError(early.getPullRequest(access, 7))
    expect(error).toMatchObject({ code: 'platform_unavailable', retryable: true })
  })

  it('of forks that nobody may see have no source', async () => {
    const fork = { body: { ...mergeRequest, source_project_id: 9 } }
    const { platform } = await start(
      route({ ...answers, [`GET ${project}/merge_requests/7`]: fork }),
    )
    expect((await platform.getPullRequest(access, 7)).head.repo).toBeNull()
  })

  it.each([
    ['a file is too large', [{ ...diff, diff: '', too_large: true }], '1'],
    ['a file is collapsed', [{ ...diff, diff: '', collapsed: true }], '1'],
    ['files are missing', [diff], '1000+'],
  ])('case 56: are read by git when %s', async (_, diffs, count) => {
    const { platform } = await start(
      route({
        [`GET ${project}/merge_requests/7/diffs`]: { body: diffs },
        [`GET ${project}/merge_requests/7`]: { body: { ...mergeRequest, changes_count: count } },
      }),
    )
    const error = await catchError(platform.getDiff(access, 7))
    expect(error).toMatchObject({ code: 'platform_too_large', retryable: false })
  })

  it('have a diff as git writes it, with odd names', async () => {
    const odd = { ...diff, old_path: 'a\n"b".ts', new_path: 'c d.ts', renamed_file: true }
    const gone = { ...diff, new_path: 'a.ts', deleted_file: true, diff: '@@ -1 +0,0 @@\n-x\n' }
    const { platform } = await start(
      route({ ...answers, [`GET ${project}/merge_requests/7/diffs`]: { body: [odd, gone] } }),
    )
    const text = await platform.getDiff(access, 7)
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        String.raw`diff --git "a/a\012\"b\".ts" b/c d.ts`,
        String.raw`rename from "a\012\"b\".ts"`,
        'rename to c d.ts',
        'deleted file mode 100644',
        '+++ /dev/null',
      ]),
    )
  })

  it('do not show confidential issues', async () => {
    const issue = { iid: 3, title: 'Secret', state: 'opened', web_url: '', confidential: true }
    const { platform } = await start(() => ({ body: issue }))
    expect((await catchError(platform.getIssue(access, 3))).code).toBe('platform_not_found')
  })
})

describe('comments on lines', () => {
  const review: ReviewToPublish = {
    number: 7,
    headSha: 'a'.repeat(40),
    summary: { marker: '<!-- s -->', body: '<!-- s -->\nText', url: null },
    comments: [],
    updateOnly: [],
    formerMarkers: [],
    postedUrls: [],
    decision: null,
    beforeWrite: async () => {},
  }
  const at = (old: number | null, current: number | null) => ({ old, new: current })
  const note = {
    ...{ id: 5, body: '', author: { id: 1, username: 'umpire' }, system: false },
    ...{ created_at: '2026-02-01T10:00:00.000Z', updated_at: '2026-02-01T10:00:00.000Z' },
  }
  const base = {
    'GET /api/v4/user': { body: { id: 1, username: 'umpire' } },
    'POST /api/v4/projects/acme%2Fweb%2Fshop/merge_requests/7/notes': {
      body: { ...note, body: review.summary.body },
    },
    'POST /api/v4/projects/acme%2Fweb%2Fshop/merge_requests/7/discussions': { body: {} },
    '/merge_requests/7/versions/1': { body: { diffs: [diff] } },
    '/merge_requests/7/versions': {
      body: [
        {
          id: 1,
          head_commit_sha: 'a'.repeat(40),
          base_commit_sha: 'b'.repeat(40),
          start_commit_sha: 'c'.repeat(40),
        },
      ],
    },
    '/merge_requests/7/discussions': { body: [] },
    '/merge_requests/7/notes': { body: [] },
  }

  it('name three commits, both paths, and both numbers of a line that did not change', async () => {
    const { platform, requests } = await start(route(base))
    const place = { path: 'a.ts', oldPath: 'a.ts', side: 'RIGHT' as const }
    const comments = [
      { ...place, start: at(null, 4), end: at(null, 4) },
      { ...place, start: at(null, 2), end: at(null, 4) },
      { ...place, side: 'LEFT' as const, start: at(2, null), end: at(2, null) },
    ].map((one, index) => ({ marker: `<!-- ${index} -->`, body: `<!-- ${index} -->`, place: one }))
    await platform.ensureReview(access, { ...review, comments })
    const sent = requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/discussions'))
      .map(({ body }) => JSON.parse(body).position)
    const code = (end: string) => `${createHash('sha1').update('a.ts').digest('hex')}_${end}`
    const shared = {
      ...{ base_sha: 'b'.repeat(40), start_sha: 'c'.repeat(40), head_sha: 'a'.repeat(40) },
      ...{ position_type: 'text', old_path: 'a.ts', new_path: 'a.ts' },
    }
    expect(sent).toEqual([
      { ...shared, old_line: 3, new_line: 4 },
      {
        ...shared,
        ...{ old_line: 3, new_line: 4 },
        line_range: {
          start: { line_code: code('3_2'), type: 'new', new_line: 2 },
          end: { line_code: code('3_4'), type: 'old', old_line: 3, new_line: 4 },
        },
      },
      { ...shared, old_line: 2 },
    ])
  })

  it('that GitLab refuses do not prevent the others from being posted, each once', async () => {
    let isRefused = false
    const { platform, requests } = await start((request) => {
      const isBad = request.method === 'POST' && request.body.includes('<!-- 1 -->')
      if (!isBad) return route(base)(request)
      isRefused = true
      const message = '400 Bad request - Note {:line_code=>["must be a valid line code"]}'
      return { status: 400, body: { message } }
    })
    const place = {
      ...{ path: 'a.ts', oldPath: 'a.ts', side: 'RIGHT' as const },
      ...{ start: at(null, 2), end: at(null, 2) },
    }
    const comments = [0, 1, 2].map((index) => ({
      ...{ marker: `<!-- ${index} -->`, body: `<!-- ${index} -->`, place },
    }))
    const published = await platform.ensureReview(access, { ...review, comments })
    expect(isRefused).toBe(true)
    expect(published.refusedMarkers).toEqual(['<!-- 1 -->'])
    const bodies = requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/discussions'))
      .map(({ body }) => JSON.parse(body).body as string)
    expect(bodies.filter((body) => body !== '<!-- 1 -->').sort()).toEqual([
      ...['<!-- 0 -->', '<!-- 2 -->'],
    ])
  })

  it.each([401, 409])('make no decision that GitLab refuses with %i', async (status) => {
    const { platform, requests } = await start(
      route({
        'POST /api/v4/projects/acme%2Fweb%2Fshop/merge_requests/7/approve': {
          ...{ status, body: { message: 'SHA does not match HEAD of source branch' } },
        },
        '/merge_requests/7/approvals': { body: { approved_by: [] } },
        '/merge_requests/7/reviewers': { body: [] },
        'DELETE ': { status: 204, body: '' },
        ...base,
        'GET /api/v4/projects/acme%2Fweb%2Fshop/merge_requests/7': { body: mergeRequest },
      }),
    )
    const published = await platform.ensureReview(access, { ...review, decision: 'approve' })
    expect(published.decision).toBeNull()
    expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })
})

describe('statuses and reactions', () => {
  const check = {
    ...{ sha: 'a'.repeat(40), name: 'umpire/review', title: 'Passed', summary: '' },
    ...{ annotations: [], buttons: [], url: 'https://umpire.example/1' },
    beforeWrite: async () => {},
  }

  it.each([
    ['running', 'pending'],
    ['success', { end: 'passed', blocks: false }],
    ['success', { end: 'incomplete', blocks: false }],
    ['failed', { end: 'incomplete', blocks: true }],
    ['failed', { end: 'changes_requested', blocks: true }],
  ] as const)('sets the state %s for %j', async (state, progress) => {
    const { platform, requests } = await start(() => ({ status: 201 }))
    await platform.ensureCheck(access, { ...check, state: progress })
    expect(JSON.parse(requests[0]!.body)).toMatchObject({ state, name: 'umpire/review' })
  })

  it('takes a state that is repeated for done, and no other refusal', async () => {
    const refuse = (message: string) => start(() => ({ status: 400, body: { message } }))
    const repeated = await refuse('Cannot transition status via :run from :running')
    await repeated.platform.ensureCheck(access, { ...check, state: 'pending' })
    const { platform } = await refuse('state does not have a valid value')
    const error = await catchError(platform.ensureCheck(access, { ...check, state: 'pending' }))
    expect(error.code).toBe('platform_refused')
  })

  it('takes a reaction that is repeated for done, and reports a comment that is gone', async () => {
    const react = async (message: string) => {
      const { platform } = await start(() => ({ status: 404, body: { message } }))
      const comment = { id: '5', isInline: true, threadId: null, number: 7 }
      return platform.addReaction(access, comment, '+1')
    }
    await react('404 Award Emoji Name has already been taken Not Found')
    expect((await catchError(react('404 Not found'))).code).toBe('platform_not_found')
  })
})

describe('webhooks', () => {
  it('have a secret and a signing token, and only two kinds of events', async () => {
    const { platform, requests } = await start(({ method }) =>
      method === 'GET' ? { body: [] } : { status: 201, body: { id: 3 } },
    )
    await platform.createWebhook(access, { url: 'https://umpire.example/hook', secret: 'abc' })
    const key = createHash('sha256').update('abc').digest('base64')
    expect(JSON.parse(requests.at(-1)!.body)).toEqual({
      ...{ url: 'https://umpire.example/hook', token: 'abc', signing_token: `whsec_${key}` },
      ...{ merge_requests_events: true, issues_events: true, push_events: false },
      enable_ssl_verification: true,
    })
  })

  it('that GitLab switched off are not there', async () => {
    const hook = { id: 3, url: 'https://u.example', merge_requests_events: true }
    const { platform } = await start(() => ({ body: { ...hook, alert_status: 'disabled' } }))
    expect(await platform.hasWebhook(access, { id: 3, url: hook.url })).toBe(false)
  })

  it('list attempts by the time of their signature, and redeliveries as such', async () => {
    const attempt = (id: number, key: string, status: string, time: string) => ({
      ...{ id, response_status: status, request_data: null },
      request_headers: { 'Idempotency-Key': key, 'webhook-timestamp': time },
    })
    const { platform } = await start(() => ({
      body: [
        attempt(4, 'one', 'internal error', '1800000300'),
        attempt(3, 'two', '200', '1800000200'),
        attempt(2, 'one', '503', '1800000100'),
        attempt(1, 'old', '500', '1700000000'),
      ],
    }))
    const since = new Date(1_800_000_000_000)
    expect(await platform.listFailedDeliveries(access, { webhookId: 3, since })).toEqual([
      {
        ...{ attemptId: '4', deliveryId: 'one', isRedelivery: true, status: 0 },
        attemptedAt: new Date(1_800_000_300_000),
      },
      {
        ...{ attemptId: '2', deliveryId: 'one', isRedelivery: false, status: 503 },
        attemptedAt: new Date(1_800_000_100_000),
      },
    ])
  })
})

describe('deliveries', () => {
  const platform: Platform = createPlatform({
    ...{ id: 'gitlab', url: 'https://gitlab.example', apiUrl: 'https://gitlab.example/api/v4' },
    ...{ oauth: null, userAgent: 'umpire-test' },
  })
  const attributes = {
    ...{ iid: 7, title: 'Round', author_id: 2, source_branch: 'topic', target_branch: 'main' },
    ...{ last_commit: { id: 'a'.repeat(40) }, url: 'https://gitlab.example/x', state: 'opened' },
    ...{ draft: false, created_at: '2026-02-01 10:00:00 UTC', updated_at: '2026-02-01T11:00:00Z' },
  }
  const payload = (change: object = {}, rest: object = {}) => ({
    ...{ object_kind: 'merge_request', user: { id: 2, username: 'alice' } },
    project: { path_with_namespace: 'acme/web/shop' },
    object_attributes: { ...attributes, action: 'update', ...change },
    ...rest,
  })
  const read = (body: unknown, headers: IncomingHttpHeaders = {}) =>
    platform.readUnverifiedDelivery(
      { 'x-gitlab-event': 'Merge Request Hook', ...headers },
      Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    )
  const changes = (fields: object) => ({ changes: fields })
  const change = { previous: 'a', current: 'b' }
  const label = { id: 1, title: 'bug' }

  it.each([
    ['opened', payload({ action: 'open' })],
    ['closed', payload({ action: 'close' })],
    ['closed', payload({ action: 'merge' })],
    ['reopened', payload({ action: 'reopen' })],
    ['synchronize', payload({ oldrev: 'b'.repeat(40) }, changes({ title: change }))],
    [
      'ready_for_review',
      payload({}, changes({ title: change, draft: { previous: true, current: false } })),
    ],
    ['converted_to_draft', payload({}, changes({ draft: { previous: false, current: true } }))],
    ['edited', payload({}, changes({ target_branch: change }))],
    ['labeled', payload({}, changes({ labels: { previous: [], current: [label] } }))],
    ['unlabeled', payload({}, changes({ labels: { previous: [label], current: [] } }))],
    ['updated', payload({}, changes({ description: change }))],
    ['approved', payload({ action: 'approved' })],
    [null, payload({ action: 5 })],
  ])('name what happened: %s', (action, body) => {
    const delivery = read(body).parse()
    expect(delivery).toMatchObject({ event: 'pull_request', action, repo: 'acme:web/shop' })
    expect(delivery.pullRequest).toMatchObject({
      ...{ number: 7, author: 'alice', branch: 'topic', baseBranch: 'main', state: 'open' },
      ...{ createdAt: '2026-02-01T10:00:00.000Z', updatedAt: '2026-02-01T11:00:00.000Z' },
    })
  })

  it('do not take who pushed for the author', () => {
    const delivery = read(payload({ author_id: 3 })).parse()
    expect(delivery.pullRequest?.author).toBe('')
  })

  it('start reviews when a merge request is ready, reopened, or has another title or base', () => {
    const starts = (body: object) => platform.hookReader!.startsReview(read(body).parse())
    expect(starts(payload({ action: 'reopen' }))).toBe(true)
    expect(starts(payload({}, changes({ draft: { previous: true, current: false } })))).toBe(true)
    expect(starts(payload({}, changes({ target_branch: change })))).toBe(true)
    expect(starts(payload({}, changes({ description: change })))).toBe(false)
  })

  it('request what a label or a reviewer asks for, and nothing for accounts of tokens', () => {
    const request = (rest: object) =>
      platform.hookReader!.readRequest(read(payload({}, rest)).parse())
    const labels = changes({ labels: { previous: [], current: [label] } })
    expect(request(labels)).toEqual({
      ...{ kind: 'labeled', subject: 'bug', number: 7, headSha: 'a'.repeat(40) },
      sender: { id: '2', login: 'alice' },
    })
    expect(request({ ...labels, user: { id: 9, username: 'group_3_bot_1a2b' } })).toBeNull()
    const again = { id: 4, username: 'umpire', re_requested: true }
    const reviewers = { previous: [{ id: 4, username: 'umpire' }], current: [again] }
    expect(request(changes({ reviewers }))).toMatchObject({
      ...{ kind: 'reviewer_requested', subject: 'umpire' },
    })
  })

  it('request answers to new comments in the conversation, and to nothing else', () => {
    const note = (change: object = {}) => {
      const attributes = {
        ...{ id: 5, note: '@umpire help', noteable_type: 'MergeRequest', type: null },
        ...{ system: false, action: 'create', ...change },
      }
      const body = {
        ...{ object_kind: 'note', user: { id: 2, username: 'alice' } },
        ...{ object_attributes: attributes, merge_request: { iid: 7 } },
      }
      const delivery = read(body, { 'x-gitlab-event': 'Note Hook' }).parse()
      return platform.hookReader!.readRequest(delivery)
    }
    expect(note()).toMatchObject({
      ...{ kind: 'comment', number: 7, body: '@umpire help' },
      comment: { id: '5', isInline: false, threadId: null },
    })
    for (const other of [
      ...[{ type: 'DiffNote' }, { action: 'update' }, { system: true }],
      ...[{ noteable_type: 'Issue' }],
    ])
      expect(note(other)).toBe('nothing')
  })

  it('case 79: are accepted with the secret, or a signature that must hold', () => {
    const body = JSON.stringify(payload())
    const sign = (key: Buffer, text = body) =>
      `v1,${createHmac('sha256', key).update(`id-1.1800000000.${text}`).digest('base64')}`
    const key = createHash('sha256').update('secret').digest()
    const signed = { 'webhook-id': 'id-1', 'webhook-timestamp': '1800000000' }
    const isAccepted = (headers: IncomingHttpHeaders, secrets = ['other', 'secret']) =>
      read(body, headers).isSentWith(secrets)
    expect(isAccepted({ 'x-gitlab-token': 'secret' })).toBe(true)
    expect(isAccepted({ 'x-gitlab-token': 'secre' })).toBe(false)
    expect(isAccepted({})).toBe(false)
    expect(isAccepted({}, [''])).toBe(false)
    expect(isAccepted({ ...signed, 'webhook-signature': sign(key) })).toBe(true)
    const two = `${sign(Buffer.from('former'))} ${sign(key)}`
    expect(isAccepted({ ...signed, 'webhook-signature': two })).toBe(true)
    const wrong = { ...signed, 'x-gitlab-token': 'secret' }
    expect(isAccepted({ ...wrong, 'webhook-signature': sign(key, 'other') })).toBe(false)
    expect(isAccepted({ ...wrong, 'webhook-signature': '' })).toBe(false)
    expect(isAccepted({ ...wrong, 'webhook-signature': sign(key), 'webhook-id': '2' })).toBe(false)
    const own = Buffer.alloc(32, 7)
    const token = `whsec_${own.toString('base64')}`
    expect(isAccepted({ ...signed, 'webhook-signature': sign(own) }, [token])).toBe(true)
  })

  it('keep their id when GitLab sends them again', () => {
    const headers = { 'idempotency-key': 'one', 'x-gitlab-event-uuid': 'two' }
    expect(read(payload(), headers).parse().deliveryId).toBe('one')
    expect(read(payload(), { 'x-gitlab-event-uuid': 'two' }).parse().deliveryId).toBe('two')
    expect(read(payload(), { 'idempotency-key': 'a b' }).parse().deliveryId).toBeNull()
  })

  it('case 80: are bounded, whatever they contain', () => {
    expect(() => read('[1]').parse()).toThrow('The body is not a JSON object.')
    expect(() => read('{').parse()).toThrow('The body is not JSON.')
    expect(() => read(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`).parse()).toThrow('deeper')
    const odd = read(
      '{"object_kind":"merge_request","project":{"path_with_namespace":"a\\u0000/b"}}',
    )
    expect(odd.parse()).toMatchObject({ repo: null, pullRequest: null, hasPullRequest: false })
    expect(odd.parse().payload).not.toContain('\\u0000')
    for (const iid of [0, -1, 1.5, '7', 2 ** 31, null])
      expect(read(payload({ iid })).parse()).toMatchObject({
        hasPullRequest: true,
        pullRequest: null,
      })
    for (const path of ['a', '../b', 'a/../b', 'a:b/c', 'a/b@c', `${'a/'.repeat(400)}b`, 7]) {
      const delivery = read({ ...payload(), project: { path_with_namespace: path } })
      expect([delivery.findRepository(), delivery.parse().repo]).toEqual([null, null])
    }
    expect(read(payload()).findRepository()).toBe('acme:web/shop')
    const hostile = { labels: { previous: 'x', current: [{ id: {} }] }, draft: 7, reviewers: [] }
    expect(read(payload({}, changes(hostile))).parse().action).toBe('updated')
  })
})
