// One deployment that serves two code hosts, on which the same names and numbers are in use.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownerOf } from '../../src/domain/pull-request.ts'
import { secretKey } from '../account-scenario.ts'
import { createAppAtForge, requestWithCookie } from '../app-scenario.ts'
import { createBrowser, followToCallback, locationOf } from '../browser.ts'
import { type ApiResponse, startReverseProxy } from '../connect-scenario.ts'
import { type Forge, replyWith, startForge } from '../fakes/forge/forge.ts'
import { createTestDatabase, type TestDatabase } from '../fakes/test-database.ts'
import { callTool } from '../mcp-client.ts'
import { forgeEnvironment, reviewerLogin, waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import {
  pullRequestPayload,
  sign,
  startTestApp,
  type TestApp,
  webhookSecret,
} from '../start-app.ts'

const repo = 'acme/shop'
const hosts = ['first', 'work'] as const
type Host = (typeof hosts)[number]

/** The name of the repository of a host in the API. */
const nameAt = { first: repo, work: `${repo}@work` } as const
const callbackAt = { first: '/auth/callback', work: '/auth/work/callback' } as const
const loginAt = { first: '/auth/login', work: '/auth/login?host=work' } as const
const tokenAt = (host: Host, login: string) => `ghp_of_${login}_at_${host}`
const workSecret = 'a secret of the second forge'
/** A line that the static reviewer reports. */
const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sa'\n`

let stack: AsyncDisposableStack
let forges: Record<Host, Forge>
let app: TestApp
let env: Record<string, string>
let database: TestDatabase
let people: Record<Host, SignedInUser>
/** What only one of the forges may ever see. */
const secretsOf: Record<Host, string[]> = { first: [], work: [] }

beforeAll(async () => {
  stack = new AsyncDisposableStack()
  const front = stack.use(await startReverseProxy())
  forges = { first: stack.use(await startShop('first')), work: stack.use(await startShop('work')) }
  const [first, work] = hosts.map((host) =>
    forges[host].createOAuthApp({ callbackUrl: front.url + callbackAt[host] }),
  )
  secretsOf.first.push(first!.clientSecret, webhookSecret)
  secretsOf.work.push(work!.clientSecret, workSecret)
  database = stack.adopt(await createTestDatabase(), (held) => held.dispose())
  env = {
    SECRET_KEY: secretKey,
    ACCESS_CHECK_MINUTES: '60',
    ...forgeEnvironment(forges.first),
    PLATFORMS: 'github, work=github',
    PLATFORM_TOKEN: tokenAt('first', reviewerLogin),
    OAUTH_CLIENT_ID: first!.clientId,
    OAUTH_CLIENT_SECRET: first!.clientSecret,
    PLATFORM_URL_WORK: forges.work.url,
    PLATFORM_API_URL_WORK: forges.work.apiUrl,
    PLATFORM_TOKEN_WORK: tokenAt('work', reviewerLogin),
    WEBHOOK_SECRET_WORK: workSecret,
    OAUTH_CLIENT_ID_WORK: work!.clientId,
    OAUTH_CLIENT_SECRET_WORK: work!.clientSecret,
    MCP_ACCESS: 'token',
    MCP_AGENT_TOOLS: 'on',
    PUBLIC_URL: front.url,
  }
  app = stack.use(await startTestApp({ env, database }))
  front.forwardTo(app.url)
  people = {
    first: await signInWithToken(app, tokenAt('first', 'alice')),
    work: await signInWithToken(app, tokenAt('work', 'alice'), 'work'),
  }
})
afterAll(() => stack.disposeAsync())

async function startShop(host: Host): Promise<Forge> {
  const forge = await startForge()
  for (const login of ['alice', reviewerLogin]) {
    forge.createUser(login, { token: tokenAt(host, login) })
    secretsOf[host].push(tokenAt(host, login))
  }
  await forge.createRepository(repo, { admins: ['alice'], writers: [reviewerLogin] })
  await forge.push(repo, 'main', { 'README.md': `# Shop\n` }, { author: 'alice', message: 'Start' })
  return forge
}

async function ask(host: Host, path: string, method = 'GET', body?: object): Promise<ApiResponse> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: { ...people[host].bearer, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const installPath = (name: string) =>
  `/api/v1/repos/${name.split('/').map(encodeURIComponent).join('/')}/install`

/** Opens a pull request, and waits for the answer to its delivery. */
async function openPullRequest(host: Host, branch: string, at = repo): Promise<number> {
  const forge = forges[host]
  const change = { [`src/${host}.ts`]: leak }
  const before = forge.deliveries.length
  await forge.push(at, branch, change, { author: 'alice', message: `Change ${branch}` })
  const number = await forge.openPullRequest({
    repo: at,
    head: branch,
    author: 'alice',
    title: host,
  })
  await forge.waitFor(() =>
    forge.deliveries
      .slice(before)
      .some((one) => one.repo === at && one.action === 'opened' && one.status === 200),
  )
  await waitUntilSettled(app)
  return number
}

/** Posts a delivery to a path, signed with a secret. */
async function deliver(
  path: string,
  payload: object,
  secret: string,
  more: Record<string, string> = {},
): Promise<number> {
  const body = JSON.stringify(payload)
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-hub-signature-256': sign(body, secret),
    ...more,
  }
  return (await fetch(`${app.url}${path}`, { method: 'POST', body, headers })).status
}

describe('people', () => {
  it('with the same username at two hosts are two accounts', async () => {
    const [first, work] = await Promise.all(hosts.map((host) => ask(host, '/auth/me')))
    expect(first!.body).toMatchObject({ login: 'alice', platform: 'github', is_admin: true })
    expect(work!.body).toMatchObject({ login: 'alice', platform: 'work', is_admin: false })
    expect(work!.body.platform_url).toBe(forges.work.url)
    expect(first!.body.id).not.toBe(work!.body.id)
    expect(first!.body.hosts).toMatchObject([
      { id: 'github', name: 'GitHub', url: forges.first.url, suffix: '' },
      { id: 'work', name: 'GitHub', url: forges.work.url, suffix: '@work' },
    ])
  })

  it('have a token that is opened for their own host alone', async () => {
    const { hosts: contexts } = app.app.context
    const { body } = await ask('first', '/auth/me')
    expect(await contexts.find('github')!.userTokens.read(body.id)).toBe(tokenAt('first', 'alice'))
    expect(await contexts.find('work')!.userTokens.read(body.id)).toBeUndefined()
  })

  it('see where they can sign in, and are refused elsewhere', async () => {
    const options = await (await fetch(`${app.url}/auth/options`)).json()
    expect(options).toMatchObject({
      platform: 'github',
      hosts: [
        { id: 'github', oauth: true },
        { id: 'work', oauth: true },
      ],
    })
    const unknown = await fetch(`${app.url}/auth/login?host=gitlab`, { redirect: 'manual' })
    expect(unknown.status).toBe(404)
    // The token of one host would have to be sent to the other one to find out whose it is.
    await expect(signInWithToken(app, 'ghp_of_nobody', 'work')).rejects.toThrow('401')
  })

  it.each(hosts)('sign in by OAuth at the host that they chose: %s', async (host) => {
    forges[host].signInAs('alice')
    const { publicUrl } = app.app.context.config.http
    const browser = createBrowser({ url: app.url, publicUrl })
    const login = loginAt[host]
    const callback = await followToCallback(browser, login)
    expect(callback.pathname).toBe(callbackAt[host])
    expect((await browser.open(callback.href)).status).toBe(303)
    const me = (await (await browser.open('/auth/me')).json()) as { platform: string }
    expect(me.platform).toBe(host === 'work' ? 'work' : 'github')
    const start = locationOf(await browser.open(login))
    expect(new URL(start).origin).toBe(forges[host].url)
  })
})

describe('the code of a sign-in', () => {
  // A malicious host redirects the browser to another one, instead of identifying the person.
  it.each([
    ['first', 'work'],
    ['work', 'first'],
  ] as const)('that began at the host %s is not accepted from the host %s', async (own, other) => {
    forges[other].signInAs('alice')
    const { publicUrl } = app.app.context.config.http
    const browser = createBrowser({ url: app.url, publicUrl })
    const begun = new URL(locationOf(await browser.open(loginAt[own])))
    const ofOther = new URL(locationOf(await createVisitor().open(loginAt[other])))
    ofOther.searchParams.set('state', begun.searchParams.get('state')!)
    ofOther.searchParams.set('code_challenge', begun.searchParams.get('code_challenge')!)
    const callback = new URL(locationOf(await browser.open(ofOther.href)))
    expect(callback.searchParams.get('code')).toMatch(/./)
    const before = hosts.map((host) => forges[host].requests.length)
    const refused = await browser.open(callback.href)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({
      detail: 'This sign-in began at another code host: start again at /auth/login',
    })
    expect((await browser.open('/auth/me')).status).toBe(401)
    expect(hosts.map((host) => forges[host].requests.length)).toEqual(before)
    // The other host doesn't send its code to the callback URL of this one.
    ofOther.searchParams.set('redirect_uri', publicUrl + callbackAt[own])
    expect((await browser.open(ofOther.href)).status).toBe(400)
  })

  /** Another browser, because a sign-in replaces one that the browser began before. */
  function createVisitor() {
    const { publicUrl } = app.app.context.config.http
    return createBrowser({ url: app.url, publicUrl })
  }
})

describe('the setup', () => {
  it('is shown and checked for each host', async () => {
    const settings = await ask('first', '/api/v1/settings')
    expect(settings.body).toMatchObject({
      platform: { id: 'github', url: forges.first.url, oauth: true, token: true },
      further_platforms: [{ id: 'work', url: forges.work.url, oauth: true, token: true }],
    })
    const response = await fetch(`${app.url}/api/v1/settings/checks`, {
      headers: people.first.cookie,
    })
    const { checks } = (await response.json()) as {
      checks: Record<'name' | 'state' | 'message', string>[]
    }
    const { publicUrl } = app.app.context.config.http
    for (const [host, name] of [
      ['first', 'sign-in application'],
      ['work', 'sign-in application (work)'],
    ] as const) {
      const check = checks.find((one) => one.name === name)
      expect(check!.message).toContain(
        `callback URL there has to be ${publicUrl}${callbackAt[host]}.`,
      )
    }
    const ofHosts = checks.filter(({ name }) => /^(platform|sign-in app|service|webh)/.test(name))
    expect(ofHosts.map(({ name, state }) => `${state}: ${name}`)).toEqual([
      'ok: platform',
      'ok: platform token',
      'ok: sign-in application',
      'ok: service',
      'ok: webhook secret',
      'ok: platform (work)',
      'ok: platform token (work)',
      'ok: sign-in application (work)',
      'ok: service (work)',
      'ok: webhook secret (work)',
    ])
  })
})

describe('a repository', () => {
  it.each(['Acme/shop', 'acme:Web:eu/shop', 'acme:web/shop@Work', 'acme/shop@work', 'acme/shop@7'])(
    'has the same owner in the database as elsewhere: %s',
    async (name) => {
      const { rows } = await sql<{ owner: string }>`select owner_of(${name}) as owner`.execute(
        app.db,
      )
      expect(rows).toEqual([{ owner: ownerOf(name) }])
    },
  )

  it('is listed and connected at its own host', async () => {
    for (const host of hosts) {
      const { body } = await ask(host, '/api/v1/repos')
      expect(body.repositories.map((one: { repo: string }) => one.repo)).toEqual([nameAt[host]])
    }
    const other = await ask('first', installPath(nameAt.work), 'POST')
    expect(other).toMatchObject({ status: 502 })
    for (const host of hosts) {
      const connected = await ask(host, installPath(nameAt[host]), 'POST')
      expect(connected).toMatchObject({ status: 200, body: { repo: nameAt[host] } })
    }
    const { publicUrl } = app.app.context.config.http
    expect(forges.first.webhooks(repo)[0]!.url).toBe(`${publicUrl}/api/v1/webhooks/host`)
    expect(forges.work.webhooks(repo)[0]!.url).toBe(`${publicUrl}/api/v1/webhooks/work`)
    // Both hosts count their repositories and webhooks from the same number.
    const ids = await app.db.selectFrom('installations').select(['webhookId', 'isActive']).execute()
    expect(ids.map((one) => one.isActive)).toEqual([true, true])
    expect(new Set(ids.map((one) => one.webhookId)).size).toBe(1)
    for (const host of hosts) secretsOf[host].push(forges[host].webhooks(repo)[0]!.secret)
  })

  it('is reviewed at its own host, under the same number', async () => {
    expect(await openPullRequest('first', 'topic')).toBe(1)
    expect(await openPullRequest('work', 'topic')).toBe(1)
    const runs = await app.db
      .selectFrom('workflowRuns')
      .select(['repo', 'prNumber', 'status'])
      .orderBy('repo')
      .execute()
    expect(runs).toEqual(
      hosts.map((host) => ({ repo: nameAt[host], prNumber: 1, status: 'completed' })),
    )
    for (const host of hosts) {
      const { comments, inlineComments } = forges[host].pullRequest(repo, 1)
      expect(comments).toHaveLength(1)
      expect(inlineComments.map(({ path }) => path)).toEqual([`src/${host}.ts`])
      // Its own host spells the name without the other one.
      expect(comments[0]!.body).not.toContain('@work')
    }
    const events = await app.db.selectFrom('events').select(['source', 'repo']).execute()
    expect(new Set(events.map(({ source, repo }) => `${source} ${repo}`))).toEqual(
      new Set([`github ${nameAt.first}`, `work ${nameAt.work}`]),
    )
  })

  it('is listed by the API and MCP to the people of its host', async () => {
    for (const host of hosts) {
      const { records } = await listWithMcp(host)
      expect(records.map((one: { pr_number: number }) => one.pr_number)).toEqual([1])
    }
    const work = await ask('work', '/api/v1/reviews')
    expect(work.body.map((one: { repo_name: string }) => one.repo_name)).toEqual([nameAt.work])
    // The administrator sees those of all hosts.
    const all = await ask('first', '/api/v1/reviews')
    expect(all.body.map((one: { repo_name: string }) => one.repo_name).toSorted()).toEqual([
      nameAt.first,
      nameAt.work,
    ])
    // The same username at two hosts is two people.
    const insights = await requestWithCookie(app, people.first, '/api/v1/analytics/insights')
    const { authors } = insights.body
    expect(authors.map(({ author, prs }: Record<string, unknown>) => [author, prs])).toEqual([
      ['alice', 1],
      ['alice@work', 1],
    ])
    const query = '/api/v1/analytics/contributors?repo='
    expect((await ask('work', `${query}${nameAt.work}`)).status).toBe(200)
    expect((await ask('work', `${query}${nameAt.first}`)).status).toBe(403)
  })

  it('of the first host may be named with the id of its host', async () => {
    const long = `${nameAt.first}@GitHub`
    const { body } = await ask('first', `/api/v1/reviews?repo=${encodeURIComponent(long)}`)
    expect(body.map((one: { repo_name: string }) => one.repo_name)).toEqual([nameAt.first])
    const query = `/api/v1/analytics/contributors?repo=${encodeURIComponent(long)}`
    expect((await ask('first', query)).status).toBe(200)
    expect(await ask('first', installPath(long), 'POST')).toMatchObject({
      status: 400,
      body: { detail: 'Repo already connected' },
    })
    const reviews = (name: string) =>
      callTool(app.url, 'get_recent_reviews', { repo: name }, people.first.bearer)
    expect(await reviews(long)).toEqual(await reviews(nameAt.first))
    expect(await reviews(nameAt.first)).toHaveLength(1)
    // Only one id follows a name.
    expect((await ask('first', `${query}@github`)).status).toBe(403)
  })

  it('keeps its webhook secret when the other host replaces one with the same id', async () => {
    const path = installPath(nameAt.work).replace('/install', '/webhook-secret')
    const former = forges.work.webhooks(repo)[0]!.secret
    expect(await ask('work', path, 'POST', {})).toMatchObject({ body: { repo: nameAt.work } })
    const current = forges.work.webhooks(repo)[0]!.secret
    secretsOf.work.push(current)
    const payload = pullRequestPayload({ repo, number: 7, action: 'labeled' })
    const own = forges.first.webhooks(repo)[0]!.secret
    const [toFirst, toWork] = ['/api/v1/webhooks/host', '/api/v1/webhooks/work']
    expect(await deliver(toFirst, payload, own)).toBe(200)
    for (const secret of [former, current, workSecret])
      expect(await deliver(toFirst, payload, secret)).toBe(403)
    for (const secret of [former, current]) expect(await deliver(toWork, payload, secret)).toBe(200)
    for (const secret of [own, webhookSecret])
      expect(await deliver(toWork, payload, secret)).toBe(403)
  })

  it('of one host is never one of the other, whatever a delivery calls it', async () => {
    const own = forges.first.webhooks(repo)[0]!.secret
    const payload = pullRequestPayload({ repo: nameAt.work, number: 9 })
    expect(await deliver('/api/v1/webhooks/host', payload, own)).toBe(403)
    // A secret for all repositories of a host names none of another one either.
    expect(await deliver('/api/v1/webhooks/host', payload, webhookSecret)).toBe(200)
    const other = pullRequestPayload({ repo: 'acme/other', number: 9 })
    expect(await deliver('/api/v1/webhooks/work', other, workSecret)).toBe(200)
    const numbered = await app.db
      .selectFrom('events')
      .select(['repo', 'source'])
      .where('prNumber', '=', 9)
      .orderBy('id')
      .execute()
    expect(numbered).toEqual([
      { repo: null, source: 'github' },
      { repo: 'acme/other@work', source: 'work' },
    ])
    expect(await deliver('/api/v1/webhooks/gitlab', other, workSecret)).toBe(404)
    await waitUntilSettled(app)
  })

  it('is connected and reviewed by the App of its host', async () => {
    const root = people.first
    const options = { organization: 'acme', as: 'alice', host: 'work', name: 'umpire-work' }
    const { publicUrl } = app.app.context.config.http
    const form = await requestWithCookie(app, root, '/api/v1/app?host=work', {
      method: 'POST',
      body: { organization: 'acme' },
    })
    expect(JSON.parse(form.body.manifest).callback_urls).toEqual([publicUrl + callbackAt.work])
    const back = await createAppAtForge(forges.work, app, root, options)
    await fetch(app.url + back, { headers: root.cookie, redirect: 'manual' })
    const created = await requestWithCookie(app, root, '/api/v1/app?host=work')
    expect(created.body.app).toMatchObject({ name: 'umpire-work' })
    expect((await requestWithCookie(app, root, '/api/v1/app')).body.app).toBeNull()
    const installed = 'acme/installed'
    await forges.work.createRepository(installed, { admins: ['alice'] })
    const start = { author: 'alice', message: 'Start' }
    await forges.work.push(installed, 'main', { 'README.md': '# Shop' }, start)
    forges.work.installApp('umpire-work', 'acme', { repositories: [installed], by: 'alice' })
    await openPullRequest('work', 'topic', installed)
    const { comments } = forges.work.pullRequest(installed, 1)
    expect(comments.map(({ author }) => author)).toEqual(['umpire-work[bot]'])
    const rows = await app.db
      .selectFrom('installations')
      .select(['repoFullName as repo', 'webhookId', 'platformRepoId'])
      .where('isActive', '=', true)
      .where('webhookId', '=', 0)
      .execute()
    expect(rows).toEqual([
      { repo: `${installed}@work`, webhookId: 0, platformRepoId: expect.stringMatching(/@work$/) },
    ])
    // The header alone doesn't make a delivery one to the App.
    const payload = pullRequestPayload({ repo: installed, number: 1 })
    const forged = { 'x-github-hook-installation-target-type': 'integration' }
    expect(await deliver('/api/v1/webhooks/work', payload, workSecret, forged)).toBe(403)
  })

  it('follows no redirect to the other host', async () => {
    const path = `/api/v3/repos/${repo}`
    const location = `${forges.first.apiUrl}/repos/${repo}`
    const remove = forges.work.faults.add({
      match: (request) => request.path.startsWith(path),
      action: replyWith(307, {}, { location }),
    })
    const before = forges.first.requests.length
    const settings = `/api/v1/settings/repository?repo=${encodeURIComponent(nameAt.work)}`
    expect((await ask('work', settings)).status).toBe(502)
    remove()
    const seen = forges.first.requests.slice(before).map(readRequest)
    expect(seen.filter((text) => text.includes(tokenAt('work', 'alice')))).toEqual([])
  })

  it('sends no token and no secret to the other host', () => {
    for (const [host, other] of [hosts, hosts.toReversed()] as [Host, Host][]) {
      const seen = forges[host].requests.map(readRequest)
      // The test would pass if requests were not read as they were sent.
      expect(seen.some((text) => text.includes(tokenAt(host, 'alice')))).toBe(true)
      for (const secret of secretsOf[other])
        expect(seen.filter((text) => text.includes(secret))).toEqual([])
    }
  })

  it('is disconnected alone', async () => {
    const { publicUrl } = app.app.context.config.http
    expect(await ask('work', installPath(nameAt.work), 'DELETE')).toMatchObject({ status: 200 })
    expect(forges.work.webhooks(repo)).toEqual([])
    expect(forges.first.webhooks(repo).map(({ url }) => url)).toEqual([
      `${publicUrl}/api/v1/webhooks/host`,
    ])
    await openPullRequest('first', 'second')
    expect(forges.first.pullRequest(repo, 2).comments).toHaveLength(1)
  })
})

describe('a host that is not served any more', () => {
  it('leaves its reviews readable, and lets nobody in', async () => {
    await app[Symbol.asyncDispose]()
    const seen = forges.work.requests.length
    const ofWork = /_WORK$|^PLATFORMS$/
    const left = Object.entries(env).filter(([name]) => !ofWork.test(name))
    app = stack.use(await startTestApp({ env: Object.fromEntries(left), database }))
    const list = await ask('first', '/api/v1/reviews')
    expect(list.status).toBe(200)
    const review = list.body.find(
      (one: { repo_name: string; pr_number: number }) =>
        one.repo_name === nameAt.work && one.pr_number === 1,
    )
    expect((await ask('first', `/api/v1/reviews/${review.id}`)).body.findings).toHaveLength(1)
    expect((await ask('first', `/api/v1/reviews/${review.id}/retry`, 'POST')).status).toBe(403)
    expect((await ask('first', `/api/v1/reviews/${review.id}/diff`)).status).toBe(403)
    expect((await ask('work', '/api/v1/reviews')).status).toBe(401)
    expect(forges.work.requests.length).toBe(seen)
    const payload = pullRequestPayload({ repo })
    expect(await deliver('/api/v1/webhooks/work', payload, workSecret)).toBe(404)
  })
})

async function listWithMcp(host: Host) {
  const given = { repo: nameAt[host] }
  return { records: await callTool(app.url, 'get_recent_reviews', given, people[host].bearer) }
}

/** The request as text, with what is encoded in its headers. */
function readRequest({ path, query, headers, body }: Forge['requests'][number]): string {
  const { authorization = '' } = headers
  const [, basic = ''] = /^Basic (.*)$/i.exec(String(authorization)) ?? []
  const decoded = Buffer.from(basic, 'base64').toString()
  return [path, query, JSON.stringify(headers), decoded, body].join('\n')
}
