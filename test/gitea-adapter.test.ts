// What the adapter for Gitea and Forgejo does with answers that servers rarely give.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import type { Platform } from '../src/platforms/platform.ts'

const token = '0123456789abcdef0123456789abcdef01234567'
const access = { repo: 'acme/shop', token }
const below = '/api/v1/repos/acme/shop'

/** A server with these answers; a number is a status, and other paths don't exist. */
type Answers = Readonly<Record<string, object | number>>

const servers: AsyncDisposable[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

async function start(
  id: 'gitea' | 'forgejo',
  answers: Answers,
): Promise<{ platform: Platform; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!
    requests.push(`${request.method} ${path}`)
    const answer = answers[path] ?? 404
    response.writeHead(typeof answer === 'number' ? answer : 200)
    response.end(JSON.stringify(typeof answer === 'number' ? { message: '' } : answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = { id, url, apiUrl: `${url}/api/v1`, oauth: null, userAgent: 'umpire-test' }
  return { platform: createPlatform(config), requests }
}

const pullRequest = {
  ...{ number: 1, title: 'Change', state: 'open', html_url: 'http://x.example/acme/shop/pulls/1' },
  head: { ref: 'topic', sha: 'a'.repeat(40), repo: null },
  base: { ref: 'main', sha: 'b'.repeat(40) },
  ...{ created_at: '2026-11-23T17:00:00Z', updated_at: '2026-11-23T17:00:00Z' },
}

it.each([
  ['gitea', '1.25.4', false],
  ['gitea', '1.26.0+rc0', true],
  ['gitea', '2.0.0', true],
  ['gitea', 'main-nightly', true],
  ['forgejo', '11.0.15+gitea-1.22.0', false],
] as const)('threads of %s %s can be resolved: %s', async (id, version, expected) => {
  const { platform } = await start(id, {
    '/api/v1/version': { version },
    [`${below}/pulls/1`]: pullRequest,
  })
  await platform.getPullRequest(access, 1)
  const { resolvableThreads } = platform.limits
  if (expected) expect(resolvableThreads).toBe(true)
  else expect(resolvableThreads).toEqual({ reason: expect.stringMatching(/^(Gitea|Forgejo) /) })
})

it('reads pull requests of a server that hides its version', async () => {
  const { platform } = await start('gitea', {
    '/api/v1/version': 403,
    [`${below}/pulls/1`]: pullRequest,
  })
  expect(await platform.getPullRequest(access, 1)).toMatchObject({ number: 1 })
})

it('takes only tokens that people create for their own', async () => {
  const { platform } = await start('gitea', {})
  expect(platform.isPersonalToken(token)).toBe(true)
  for (const other of ['eyJhbGciOiJSUzI1NiJ9.eyJnbnQiOjF9.c2ln', `${token}0`, ''])
    expect(platform.isPersonalToken(other)).toBe(false)
})

it('does not take the account of workflows for a person', async () => {
  const { platform } = await start('gitea', {
    '/api/v1/user': { id: -2, login: 'gitea-actions', full_name: '', avatar_url: '' },
  })
  await expect(platform.getViewer(token)).rejects.toMatchObject({
    code: 'platform_invalid_response',
  })
})

it('finds pull requests that texts mention as !1', async () => {
  const { platform } = await start('gitea', {})
  const found = platform.findIssues('acme/shop', {
    texts: ['Follows !3 and acme/web!4, fixes #5. Hello!6 ![7](x)'],
    branch: 'topic',
  })
  expect(found.map(({ repo, number }) => `${repo}#${number}`)).toEqual([
    ...['acme/shop#5', 'acme/shop#3', 'acme/web#4'],
  ])
})

it.each([
  ['in a team that writes code', { 'repo.code': 'write' }, {}, 'write'],
  [
    'in a team that writes issues only',
    { 'repo.code': 'read', 'repo.issues': 'write' },
    {},
    'none',
  ],
  ['in no team', { 'repo.code': 'write' }, 404, 'none'],
  ['whose teams the token may not read', { 'repo.code': 'write' }, 403, 'none'],
] as const)('a person %s has the permission', async (_, units, member, expected) => {
  const { platform } = await start('gitea', {
    [`${below}/collaborators/bob/permission`]: { permission: 'none' },
    [`${below}/teams`]: [{ id: 7, permission: 'none', units_map: units }],
    '/api/v1/teams/7/members/bob': member,
  })
  expect(await platform.getPermission(access, 'bob')).toBe(expected)
})

it('posts nothing while the person has a draft of a review', async () => {
  const user = { id: 4, login: 'alice', full_name: '', avatar_url: '' }
  const { platform, requests } = await start('gitea', {
    '/api/v1/user': user,
    [`${below}/issues/1/comments`]: [
      { id: 1, body: '<!-- summary -->\nText', html_url: 'http://x.example/1', user },
    ],
    [`${below}/pulls/1/reviews`]: [{ id: 9, state: 'PENDING', comments_count: 1, user }],
    [`${below}/pulls/1/reviews/9/comments`]: [
      { id: 2, body: 'I think that', path: 'a.ts', position: 1, original_position: 0, user },
    ],
  })
  const marker = '<!-- umpire:finding 1 -->'
  const at = { old: null, new: 1 }
  const place = { path: 'a.ts', oldPath: 'a.ts', side: 'RIGHT', start: at, end: at } as const
  const posting = platform.ensureReview(access, {
    ...{ number: 1, headSha: 'a'.repeat(40), postedUrls: [], decision: null },
    summary: { marker: '<!-- summary -->', body: '<!-- summary -->\nText', url: null },
    comments: [{ marker, place, body: `Claim\n\n${marker}` }],
    ...{ updateOnly: [], formerMarkers: [], beforeWrite: async () => {} },
  })
  await expect(posting).rejects.toMatchObject({
    code: 'platform_refused',
    message: expect.stringContaining('draft'),
  })
  expect(requests.filter((one) => !one.startsWith('GET'))).toEqual([])
})
