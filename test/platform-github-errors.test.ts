// Tests of the GitHub adapter against errors and odd answers from a scripted HTTP server.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import type { Platform, ReviewToPublish } from '../src/platforms/platform.ts'

interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Respond = (request: Received, response: ServerResponse) => void

const token = 'canary-0123456789'
const access = { repo: 'octo/hello', token }
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Starts a server and an adapter for it: GitHub in the cloud or, with `/api/v3`, Enterprise. */
async function start(respond: Respond, options: { timeoutMs?: number; apiPath?: string } = {}) {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
    requests.push(received)
    respond(received, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const platform = createPlatform({
    id: 'github',
    url,
    apiUrl: url + (options.apiPath ?? ''),
    oauth: { clientId: 'client', clientSecret: 'client-secret-canary' },
    userAgent: 'umpire-test',
    timeoutMs: options.timeoutMs ?? 5000,
  })
  return { url, requests, platform, server }
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Respond {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }
}

async function catchError(promise: Promise<unknown>): Promise<Record<string, unknown> & Error> {
  return promise.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )
}

/** Returns the error of the first call to such a platform. */
async function failWith(
  respond: Respond,
  call: (platform: Platform) => Promise<unknown> = (platform) => platform.getPullRequest(access, 7),
) {
  const { platform } = await start(respond, { timeoutMs: 5000 })
  return catchError(call(platform))
}

const pullRequest = {
  number: 7,
  title: 'Title',
  body: null,
  user: null,
  state: 'closed',
  merged_at: '2026-03-01T10:00:00Z',
  html_url: 'https://github.com/octo/hello/pull/7',
  head: { ref: 'topic', sha: 'a'.repeat(40), repo: null },
  base: { ref: 'main', sha: 'b'.repeat(40) },
  additions: 1,
  deletions: 2,
  changed_files: 3,
  created_at: '2026-02-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00Z',
}

describe('parallel calls', () => {
  it("queues calls above GitHub's concurrency limit", async () => {
    const held: ServerResponse[] = []
    const full = Promise.withResolvers<void>()
    let isOpen = false
    const { url, platform } = await start((request, response) => {
      if (isOpen || request.path === '/beside') return answer(200, {})(request, response)
      // A few of the 32 permits are reserved for callers that have none yet.
      if (held.push(response) === 28) full.resolve()
    })
    const callers = Array.from({ length: 10 }, (_, index) => ({
      ...access,
      token: `${token}-${index}`,
    }))
    const calls = Array.from({ length: 40 }, (_, index) =>
      platform.getLanguages(callers[index % 10]!),
    )
    await full.promise
    // Requests sent along with the others would have arrived by now.
    await fetch(`${url}/beside`)
    expect(held).toHaveLength(28)
    isOpen = true
    for (const response of held)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    expect(await Promise.all(calls)).toHaveLength(40)
  })
})

describe('case 51: refusals are classified', () => {
  it.each([
    [401, 'platform_unauthorized', false],
    [403, 'platform_forbidden', false],
    [404, 'platform_not_found', false],
    [410, 'platform_not_found', false],
    [406, 'platform_too_large', false],
    [422, 'platform_refused', false],
    [500, 'platform_unavailable', true],
    [502, 'platform_unavailable', true],
    [503, 'platform_unavailable', true],
  ])('case 51: classifies status %i as %s', async (status, code, retryable) => {
    const error = await failWith(answer(status, { message: 'The reason' }))
    expect(error).toMatchObject({
      name: 'PlatformError',
      code,
      status,
      retryable,
      message: 'The reason',
    })
    expect(error.retryAfterMs).toBeUndefined()
  })

  it("case 51: reads the end of the primary rate limit by the platform's clock", async () => {
    const platformNow = Date.now() - 3_600_000
    const headers = {
      date: new Date(platformNow).toUTCString(),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.floor(platformNow / 1000) + 300),
    }
    const error = await failWith(
      answer(403, { message: 'API rate limit exceeded for user ID 1.' }, headers),
    )
    expect(error).toMatchObject({
      code: 'platform_rate_limited',
      status: 403,
      retryable: true,
      retryAfterMs: 300_000,
    })
  })

  it.each([
    ['retry-after in seconds', 403, { 'retry-after': '30' }, 'Slow down', 30_000],
    ['status 429', 429, { 'retry-after': '7' }, 'Slow down', 7000],
    ['its message alone', 403, {}, 'You have exceeded a secondary rate limit.', 60_000],
    ['the older message', 403, {}, 'You have triggered an abuse detection mechanism.', 60_000],
    ['a wait of years', 429, { 'retry-after': '999999999' }, 'Slow down', 7_200_000],
  ])(
    'case 51: recognizes the secondary rate limit by %s',
    async (_, status, headers, message, retryAfterMs) => {
      const error = await failWith(answer(status, { message }, headers as Record<string, string>))
      expect(error).toMatchObject({ code: 'platform_rate_limited', retryable: true, retryAfterMs })
    },
  )

  it('case 51: does not treat a missing permission as a rate limit', async () => {
    const headers = { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '1' }
    const error = await failWith(
      answer(403, { message: 'Resource not accessible by integration' }, headers),
    )
    expect(error).toMatchObject({ code: 'platform_forbidden', retryable: false })
  })

  it('case 51: recognizes a too large file by its error code', async () => {
    const body = {
      message: 'This API returns blobs up to 100 MB in size.',
      errors: [{ code: 'too_large' }],
    }
    const error = await failWith(answer(403, body), (platform) =>
      platform.getFile(access, 'big', 'main'),
    )
    expect(error.code).toBe('platform_too_large')
  })

  it('case 51: messages keep the reasons and redact tokens and addresses', async () => {
    const errors = [
      { resource: 'Hook', code: 'custom', message: 'Hook already exists on this repository' },
      `bad ${token} and ghp_another0123456789 at https://internal.example/x?y`,
      { field: 'base', code: 'invalid' },
    ]
    const error = await failWith(answer(422, { message: 'Validation Failed', errors }))
    expect(error.message).toBe(
      'Validation Failed: Hook already exists on this repository: bad … and … at : base invalid',
    )
  })
})

const summaryMarker = '<!-- umpire:review '

/** Makes a review with comments on lines 1, 2, 3 and so on. */
function makeReview(comments: number): ReviewToPublish {
  const lines = Array.from({ length: comments }, (_, index) => index + 1)
  return {
    number: 7,
    headSha: 'a'.repeat(40),
    summary: { marker: summaryMarker, body: `${summaryMarker}v=1 -->\n\nText`, url: null },
    comments: lines.map((line) => {
      const marker = `<!-- umpire:finding ${line} -->`
      const body = `Claim\n\n${marker}`
      const at = { old: null, new: line }
      const place = { path: 'a.ts', oldPath: 'a.ts', side: 'RIGHT', start: at, end: at } as const
      return { marker, place, body }
    }),
    updateOnly: [],
    formerMarkers: [],
    postedUrls: [],
    decision: null,
    beforeWrite: async () => {},
  }
}

/** Answers reads with these lists (by address suffix), and accepts all writes but `refuse`. */
function github(
  lists: Record<string, unknown[]>,
  refuse?: (request: Received) => Respond | undefined,
): Respond {
  return (request, response) => {
    const path = new URL(request.path, 'http://localhost').pathname
    const list = Object.entries(lists).find(([end]) => path.endsWith(end))?.[1] ?? []
    const refusal = request.method === 'GET' ? undefined : refuse?.(request)
    if (refusal !== undefined) refusal(request, response)
    else if (path === '/user') answer(200, { id: 7, login: 'ann' })(request, response)
    else if (request.method === 'GET') answer(200, list)(request, response)
    else if (request.method === 'DELETE') response.writeHead(204).end()
    else answer(200, { id: 70, user: { id: 7 } })(request, response)
  }
}

describe('refused reviews', () => {
  it.each([
    [
      'the code',
      [{ resource: 'PullRequestReview', code: 'abuse', field: 'data', message: 'was refused' }],
    ],
    [
      'the reason',
      [
        {
          resource: 'PullRequestReview',
          code: 'custom',
          field: 'data',
          message: 'was submitted too quickly',
        },
      ],
    ],
    ['its sentence', ['Review comments is invalid and Review threads is invalid']],
  ])(
    'case 51: recognizes too many comments by %s and ends after one attempt',
    async (_, errors) => {
      const refusal = answer(422, { message: 'Unprocessable Entity', errors })
      const { platform, requests } = await start(
        github({}, ({ path }) => (path.endsWith('/reviews') ? refusal : undefined)),
      )
      const error = await catchError(platform.ensureReview(access, makeReview(8)))
      expect(error).toMatchObject({
        code: 'platform_rate_limited',
        status: 422,
        retryable: true,
        retryAfterMs: 60_000,
      })
      expect(requests.filter(({ path }) => path.endsWith('/reviews'))).toHaveLength(1)
    },
  )

  it('case 51: does not mistake other errors for a refused line', async () => {
    const refusal = answer(422, { message: 'Validation Failed', errors: ['The reason is new'] })
    const { platform, requests } = await start(
      github({}, ({ path }) => (path.endsWith('/reviews') ? refusal : undefined)),
    )
    expect(await catchError(platform.ensureReview(access, makeReview(8)))).toMatchObject({
      code: 'platform_refused',
    })
    expect(requests.filter(({ path }) => path.endsWith('/reviews'))).toHaveLength(1)
  })

  it.each([
    'Line could not be resolved',
    'Path could not be resolved',
    'pull_request_review_thread.diff_hunk is blank',
  ])('case 51: "%s" drops only the comment that it is about', async (reason) => {
    const refusal = answer(422, { message: 'Unprocessable Entity', errors: [reason] })
    const { platform } = await start(
      github({}, ({ path, body }) =>
        path.endsWith('/reviews') && body.includes('"line":3') ? refusal : undefined,
      ),
    )
    const { refusedMarkers: refused } = await platform.ensureReview(access, makeReview(4))
    expect(refused).toEqual(['<!-- umpire:finding 3 -->'])
  })

  it("leaves comments of the token's owner that quote a marker alone", async () => {
    const user = { id: 7 }
    const { platform, requests } = await start(
      github({
        '/issues/7/comments': [
          { id: 4, body: `Wrong:\n\`\`\`\n${summaryMarker}v=1 -->\n\`\`\``, user },
          { id: 5, body: `${summaryMarker}v=1 -->\n\nOld`, user },
          { id: 6, body: `> ${summaryMarker}v=1 -->\n\nI disagree`, user },
          { id: 8, body: `${summaryMarker}v=1 -->\n\nTwice`, user },
        ],
        '/pulls/7/comments': [{ id: 9, body: `> <!-- umpire:finding 1 -->\n\nNot so`, user }],
      }),
    )
    await platform.ensureReview(access, makeReview(1))
    const writes = requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`)
    expect(writes).toEqual([
      'DELETE /repos/octo/hello/issues/comments/8',
      'PATCH /repos/octo/hello/issues/comments/5',
      'POST /repos/octo/hello/pulls/7/reviews',
    ])
  })
})

describe('diffs that GitHub does not generate', () => {
  const refusal = (status: number, message: string) =>
    answer(status, {
      message,
      errors: [{ resource: 'PullRequest', field: 'diff', code: 'not_available' }],
    })
  const tooLong = 'Sorry, this diff is taking too long to generate.'
  const busy = 'Sorry, this diff is temporarily unavailable due to heavy server load.'

  it.each([
    [422, tooLong, 'platform_too_large', false],
    [500, tooLong, 'platform_too_large', false],
    [500, busy, 'platform_unavailable', true],
    [422, busy, 'platform_unavailable', true],
  ])('case 51: classifies status %i, "%s" as %s', async (status, message, code, retryable) => {
    const error = await failWith(refusal(status, message), (platform) =>
      platform.getDiff(access, 7),
    )
    expect(error).toMatchObject({ code, status, retryable })
  })

  it('case 51: requests the merge base without a diff, and retries if that fails', async () => {
    const sha = 'c'.repeat(40)
    const { platform, requests } = await start(answer(200, { merge_base_commit: { sha } }))
    expect(await platform.getMergeBase(access, 'main', 'topic')).toBe(sha)
    expect(requests.map(({ path }) => path)).toEqual([
      '/repos/octo/hello/compare/main...topic?per_page=1&page=2',
    ])
    for (const status of [406, 422, 500]) {
      const error = await failWith(refusal(status, tooLong), (other) =>
        other.getMergeBase(access, 'main', 'topic'),
      )
      expect(error).toMatchObject({
        code: 'platform_unavailable',
        status,
        retryable: true,
        message: expect.stringContaining(tooLong),
      })
    }
  })
})

describe('case 51: redirects', () => {
  it('case 51: reads a renamed repository at its new address', async () => {
    const { platform, requests } = await start((request, response) =>
      request.path === '/repositories/1/pulls/7'
        ? answer(200, pullRequest)(request, response)
        : answer(
            301,
            { message: 'Moved' },
            { location: '/repositories/1/pulls/7' },
          )(request, response),
    )
    expect(await platform.getPullRequest(access, 7)).toMatchObject({
      number: 7,
      state: 'merged',
      author: 'ghost',
    })
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
    ])
  })

  it('case 51: follows one redirect of a write with its method and body', async () => {
    const { platform, requests } = await start((request, response) =>
      request.path.startsWith('/repositories')
        ? answer(201, { id: 12 })(request, response)
        : answer(307, {}, { location: '/repositories/1/hooks' })(request, response),
    )
    expect(
      await platform.createWebhook(access, { url: 'https://umpire.example/hook', secret: 's' }),
    ).toBe(12)
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST'])
    expect(requests[1]!.body).toBe(requests[0]!.body)
  })

  it('searches at most 1,000 repositories and stops early', async () => {
    let admin = false
    const { platform, requests, url } = await start((request, response) => {
      const page = Number(new URL(request.path, 'http://localhost').searchParams.get('page') ?? 1)
      const repositories = Array.from({ length: 100 }, (_, index) => ({
        id: page * 1000 + index,
        full_name: `octo/r${page}-${index}`,
        private: false,
        permissions: { admin },
      }))
      answer(200, repositories, { link: `<${url}/user/repos?page=${page + 1}>; rel="next"` })(
        request,
        response,
      )
    })
    const list = () =>
      platform.listRepositories(token, { administered: true, page: 1, perPage: 30 })
    expect(await list()).toEqual({ repositories: [], hasMore: false })
    expect(requests).toHaveLength(10)
    admin = true
    const { repositories, hasMore } = await list()
    expect([repositories.length, hasMore]).toEqual([30, true])
    expect(requests).toHaveLength(11)
  })

  it('removes no webhook when the error is not about a webhook', async () => {
    const { platform, requests } = await start(
      answer(422, { message: 'Validation Failed', errors: ['url is local'] }),
    )
    const error = await catchError(
      platform.createWebhook(access, { url: 'http://localhost/hook', secret: 's' }),
    )
    expect(error.message).toContain('url is local')
    expect(requests).toHaveLength(1)
  })

  it('case 51: sends the token to no other host', async () => {
    const other = await start(answer(200, pullRequest))
    const error = await failWith(
      answer(301, {}, { location: `${other.url}/repos/octo/hello/pulls/7` }),
    )
    expect(error).toMatchObject({ code: 'platform_invalid_response' })
    expect(other.requests).toEqual([])
  })

  it('case 51: gives up on endless redirects', async () => {
    const { platform, requests } = await start(answer(302, {}, { location: '/again' }))
    expect(await catchError(platform.getPullRequest(access, 7))).toMatchObject({
      code: 'platform_invalid_response',
    })
    expect(requests).toHaveLength(4)
    expect(await catchError(platform.deleteWebhook(access, 1))).toMatchObject({
      code: 'platform_invalid_response',
    })
    expect(requests).toHaveLength(6)
  })
})

describe('case 51: missing or partial answers', () => {
  it('case 51: ends a silent connection at the deadline', async () => {
    const { platform } = await start(() => {}, { timeoutMs: 50 })
    const error = await catchError(platform.getPullRequest(access, 7))
    expect(error).toMatchObject({ code: 'platform_unavailable', status: 0, retryable: true })
    expect(error.message).toMatch(/in time/)
  })

  it('case 51: ends a stalled answer at the deadline', async () => {
    const { platform } = await start(
      (_, response) => void response.writeHead(200).write('{"number":'),
      {
        timeoutMs: 50,
      },
    )
    expect(await catchError(platform.getPullRequest(access, 7))).toMatchObject({
      code: 'platform_unavailable',
    })
  })

  it("case 51: the caller's signal aborts the call with its reason", async () => {
    const controller = new AbortController()
    const reason = new Error('shutting down')
    const { platform } = await start(() => controller.abort(reason))
    expect(await catchError(platform.getPullRequest(access, 7, controller.signal))).toBe(reason)
  })

  it('case 51: reports a closed connection', async () => {
    const error = await failWith((_, response) => void response.destroy())
    expect(error).toMatchObject({ code: 'platform_unavailable', status: 0 })
  })

  it('case 51: reports a refused connection', async () => {
    const { platform, server } = await start(() => {})
    await new Promise((resolve) => server.close(resolve))
    const error = await catchError(platform.getPullRequest(access, 7))
    expect(error.message).toBe('The connection to the platform failed (ECONNREFUSED).')
  })

  it('case 51: reports HTML instead of JSON', async () => {
    const error = await failWith(
      answer(200, '<html>Maintenance</html>', { 'content-type': 'text/html' }),
    )
    expect(error).toMatchObject({ code: 'platform_invalid_response', retryable: true })
    expect(error.message).toMatch(/page/)
    expect(await failWith(answer(502, '<html>', { 'content-type': 'text/html' }))).toMatchObject({
      code: 'platform_unavailable',
      message: 'The platform answered with status 502.',
    })
  })

  it('case 51: reports truncated JSON', async () => {
    const cut = JSON.stringify(pullRequest).slice(0, 100)
    expect(await failWith(answer(200, cut))).toMatchObject({
      code: 'platform_invalid_response',
      retryable: true,
    })
    expect(
      await failWith((_, response) => {
        response.writeHead(200, { 'content-length': '5000' })
        response.write(cut, () => response.destroy())
      }),
    ).toMatchObject({ code: 'platform_unavailable', retryable: true })
  })

  it('case 51: reports JSON of the wrong shape', async () => {
    const error = await failWith(answer(200, { ...pullRequest, head: { ref: 'x' } }))
    expect(error).toMatchObject({ code: 'platform_invalid_response' })
    expect(error.message).toContain('head.sha')
  })

  it('case 51: stops reading an answer at its size limit', async () => {
    const long = Buffer.alloc(10 * 2 ** 20 + 1, 'x')
    const error = await failWith(
      answer(200, long, { 'content-type': 'application/vnd.github.raw' }),
      (platform) => platform.getFile(access, 'big', 'main'),
    )
    expect(error).toMatchObject({ code: 'platform_too_large', retryable: false })
  })
})

describe('case 51: pages', () => {
  const file = { filename: 'a', status: 'added', additions: 1, deletions: 0 }

  it('case 51: fails when a page links to itself as the next one', async () => {
    const { platform, requests } = await start(
      answer(200, [file], { link: '</x?page=2>; rel="next"' }),
    )
    const error = await catchError(platform.listFiles(access, 7))
    expect(error).toMatchObject({
      code: 'platform_invalid_response',
      message: 'The pages of a list did not end.',
    })
    expect(requests).toHaveLength(2)
  })

  it('case 51: fails on an endless list of pages', async () => {
    let page = 1
    const { platform, requests } = await start((request, response) =>
      answer(200, [file], { link: `</x?page=${++page}>; rel="next"` })(request, response),
    )
    expect(await catchError(platform.listFiles(access, 7))).toMatchObject({
      code: 'platform_invalid_response',
    })
    expect(requests).toHaveLength(Math.ceil(10_000 / 30))
  })

  it('case 51: reads a page of comments of maximum length', async () => {
    const body = '😀'.repeat(65_536)
    const others = Array.from({ length: 60 }, (_, id) => ({ id, body, user: { id: 9 } }))
    const { platform, requests } = await start(github({ '/issues/7/comments': others }))
    expect(await platform.ensureReview(access, makeReview(1))).toMatchObject({
      summary: { id: '70' },
      refusedMarkers: [],
    })
    expect(
      requests
        .filter(({ path }) => path.includes('s?'))
        .map(({ path }) => new URL(path, 'http://x').search),
    ).toEqual(Array.from({ length: 3 }, () => '?per_page=30'))
  })

  it('case 56: lists up to 3,000 files', async () => {
    let page = 1
    const hundred = Array.from({ length: 100 }, () => file)
    const { platform, requests } = await start((request, response) => {
      const link = `<https://elsewhere.example/x?page=1>; rel="prev", <https://elsewhere.example/x?page=${++page}>; rel="next"`
      answer(200, hundred, { link })(request, response)
    })
    expect(await platform.listFiles(access, 7)).toHaveLength(3000)
    expect(requests).toHaveLength(30)
    expect(requests[1]!.path).toBe('/repos/octo/hello/pulls/7/files?page=2')
  })
})

describe('commits', () => {
  const commitOf = (number: number) => ({
    sha: String(number),
    author: number % 2 === 0 ? null : { login: 'alice' },
    commit: { message: 'm'.repeat(20_000), author: { name: 'Alice', date: null }, committer: null },
  })

  it('reads the newest hundred commits and truncates their messages', async () => {
    const all = Array.from({ length: 130 }, (_, index) => commitOf(index))
    const { platform, requests } = await start(({ path }, response) =>
      path.includes('&page=2')
        ? answer(200, all.slice(100))(undefined as never, response)
        : answer(200, all.slice(0, 100), { link: '</x?per_page=100&page=2>; rel="next"' })(
            undefined as never,
            response,
          ),
    )
    const commits = await platform.listPullRequestCommits(access, 7)
    expect(commits.map(({ sha }) => Number(sha))).toEqual(
      all.slice(30).map(({ sha }) => Number(sha)),
    )
    expect(commits.slice(0, 2).map(({ author }) => author)).toEqual(['Alice', 'alice'])
    expect(commits[0]?.message).toHaveLength(10_000)
    expect(requests).toHaveLength(2)
  })

  it('reads issues without a body and truncates long ones', async () => {
    const issue = { number: 3, title: 'T', state: 'closed', html_url: 'http://x/3' }
    const { platform } = await start(answer(200, { ...issue, body: null }))
    expect(await platform.getIssue(access, 3)).toMatchObject({ body: '', state: 'closed' })
    const long = await start(answer(200, { ...issue, body: 'x'.repeat(100_000) }))
    expect((await long.platform.getIssue(access, 3)).body).toHaveLength(20_000)
  })
})

describe('names in addresses', () => {
  it.each(['../..', 'octo/..', './x', 'a', 'a/b/c', 'a%2f../b', 'octo/hel lo', 'octo/x?y=1', ''])(
    'rejects the repository name %j without a request',
    async (repo) => {
      const { platform, requests } = await start(answer(200, {}))
      expect(await catchError(platform.getPullRequest({ repo, token }, 1))).toMatchObject({
        code: 'platform_not_found',
      })
      expect(await catchError(platform.getLanguages({ repo, token }))).toMatchObject({
        code: 'platform_not_found',
      })
      expect(() => platform.cloneRemote({ repo, token })).toThrow('no repository')
      expect(requests).toEqual([])
    },
  )

  it('encodes paths and references that try to leave their directory', async () => {
    const { platform, requests } = await start(answer(200, {}))
    for (const path of ['../../../user', 'a/../b', './x', 'a//b', '']) {
      expect(await platform.getFile(access, path, 'main')).toBeUndefined()
    }
    expect(await catchError(platform.getTree(access, '..'))).toMatchObject({
      code: 'platform_not_found',
    })
    expect(requests).toEqual([])
  })

  it('case 40: requests any file name unchanged', async () => {
    const raw = { 'content-type': 'application/vnd.github.raw; charset=utf-8' }
    const { platform, requests } = await start(answer(200, Buffer.from([0, 0xff, 0x0a]), raw))
    const path = 'a b/#?%2e&+/"new\nline"\\/..x/ü😀'
    expect(await platform.getFile(access, path, 'feature/x&y')).toEqual(
      Buffer.from([0, 0xff, 0x0a]),
    )
    const url = new URL(requests[0]!.path, 'http://localhost')
    expect(decodeURIComponent(url.pathname)).toBe(`/repos/octo/hello/contents/${path}`)
    expect(url.searchParams.get('ref')).toBe('feature/x&y')
  })

  it('neither sends nor reveals a token with invalid characters', async () => {
    const { platform, requests } = await start(answer(200, {}))
    const error = await catchError(platform.getViewer('secret\nvalue'))
    expect(error.code).toBe('platform_unauthorized')
    expect(`${error.message}${error.stack}${error.cause}`).not.toContain('secret')
    expect(requests).toEqual([])
  })
})

describe('special answers', () => {
  it('returns no contributors while GitHub computes them or for an empty repository', async () => {
    const computing = await start(answer(202, {}))
    expect(await computing.platform.listContributors(access)).toEqual([])
    const empty = await start((_, response) => void response.writeHead(204).end())
    expect(await empty.platform.listContributors(access)).toEqual([])
  })

  it('sums contributors over the weeks', async () => {
    let asked = 0
    const statistics = [
      {
        author: { login: 'octo' },
        total: 3,
        weeks: [
          { w: 1, a: 10, d: 1, c: 1 },
          { w: 2, a: 5, d: 2, c: 2 },
        ],
      },
      { author: null, total: 1, weeks: [] },
    ]
    const { platform } = await start((request, response) =>
      answer(++asked === 1 ? 202 : 200, asked === 1 ? {} : statistics)(request, response),
    )
    expect(await platform.listContributors(access)).toEqual([
      { login: 'octo', commits: 3, additions: 15, deletions: 3 },
    ])
  })

  it('returns an empty tree for a repository without commits', async () => {
    const { platform } = await start(answer(409, { message: 'Git Repository is empty.' }))
    expect(await platform.getTree(access, 'main')).toEqual({ entries: [], truncated: false })
  })

  it('does not treat a directory or submodule as a file', async () => {
    const { platform } = await start(answer(200, [{ type: 'file' }]))
    expect(await platform.getFile(access, 'src', 'main')).toBeUndefined()
  })

  it('recognizes OAuth errors with status 200', async () => {
    const refusal = {
      error: 'bad_verification_code',
      error_description: 'The code passed is incorrect or expired.',
      error_uri: 'https://docs.github.com/x',
    }
    const { platform, requests } = await start(answer(200, refusal), { apiPath: '/api/v3' })
    const input = { code: 'c', redirectUri: 'https://umpire.example/cb', codeVerifier: 'v' }
    expect(
      await catchError(platform.exchangeCode({ clientId: 'id', clientSecret: 'secret' }, input)),
    ).toMatchObject({
      code: 'platform_unauthorized',
      message: 'The code passed is incorrect or expired.',
    })
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/login/oauth/access_token' })
    expect(requests[0]!.headers.authorization).toBeUndefined()
  })

  it.each([
    ['', '/graphql'],
    ['/api/v3', '/api/graphql'],
  ])('derives the GraphQL address for an API at "%s" as %s', async (apiPath, path) => {
    const { platform, requests } = await start(answer(200, { data: { resolveReviewThread: {} } }), {
      apiPath,
    })
    await platform.resolveThread(access, 7, 'PRRT_1')
    expect(requests.map((request) => request.path)).toEqual([path])
  })

  it.each([
    ['NOT_FOUND', 'platform_not_found'],
    ['FORBIDDEN', 'platform_forbidden'],
    ['RATE_LIMITED', 'platform_rate_limited'],
    ['UNPROCESSABLE', 'platform_refused'],
    [undefined, 'platform_unavailable'],
  ])('case 51: classifies a GraphQL error of type %s as %s', async (type, code) => {
    const error = await failWith(
      answer(200, { data: null, errors: [{ type, message: 'Why' }] }),
      (platform) => platform.resolveThread(access, 7, 'PRRT_1'),
    )
    expect(error).toMatchObject({ code, message: expect.stringMatching(/^Why/) })
  })

  it("names the missing permission when a token can't resolve threads", async () => {
    const message = 'Resource not accessible by personal access token'
    const error = await failWith(
      answer(200, { data: null, errors: [{ type: 'FORBIDDEN', message }] }),
      (platform) => platform.resolveThread(access, 7, 'PRRT_1'),
    )
    expect(error).toMatchObject({ code: 'platform_forbidden', retryable: false })
    expect(error.message).toBe(
      `${message} (To resolve threads, a fine-grained token needs Contents: write.)`,
    )
  })
})

describe('downloads of artifacts', () => {
  const download = (platform: Platform) => platform.getArtifact(access, { id: '5', maxBytes: 1000 })

  it.each([
    'https://10.0.0.8/archive',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/archive',
    'http://storage.example/archive',
    'file:///etc/passwd',
  ])('do not follow a redirect to %s', async (location) => {
    const { platform, requests } = await start(answer(302, '', { location }))
    expect(await catchError(download(platform))).toMatchObject({
      code: 'platform_invalid_response',
    })
    expect(requests).toHaveLength(1)
  })

  it('follow one to another server of the platform, which does not get the token', async () => {
    const storage = await start(answer(200, 'archive', { 'content-type': 'application/zip' }))
    const { platform } = await start(answer(302, '', { location: `${storage.url}/a?sig=b` }))
    expect(Buffer.from(await download(platform)).toString()).toBe('archive')
    expect(storage.requests).toMatchObject([{ method: 'GET', path: '/a?sig=b' }])
    expect(JSON.stringify(storage.requests)).not.toContain(token)
  })

  it('end when the storage does not answer in time', async () => {
    const storage = await start(() => {})
    const location = `${storage.url}/a`
    const { platform } = await start(answer(302, '', { location }), { timeoutMs: 200 })
    expect(await catchError(download(platform))).toMatchObject({
      ...{ code: 'platform_unavailable', retryable: true },
    })
  })

  it('are the only calls that another server answers', async () => {
    const storage = await start(answer(200, '[]'))
    const { platform } = await start(answer(302, '', { location: `${storage.url}/a` }))
    const analysis = platform.getAnalysis(access, { id: '5', maxBytes: 1000 })
    expect(await catchError(analysis)).toMatchObject({ code: 'platform_invalid_response' })
    expect(storage.requests).toEqual([])
  })
})
