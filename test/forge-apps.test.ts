// The fake forge's GitHub Apps: registration, installations, tokens, sign-in and deliveries.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RegisteredApp } from './fakes/forge/apps/app-interface.ts'
import { type Forge, startForge } from './fakes/forge/forge.ts'
import {
  type CallOptions,
  callForge,
  requestToken,
  sign,
  signJwt,
  startReceiver,
} from './forge-calls.ts'
import { createDescriptionCheck, type DescriptionCheck } from './github/check-forge.ts'

const repo = 'acme/shop'
const other = 'acme/blog'
const hour = 60 * 60 * 1000
const permissions = { contents: 'read', pull_requests: 'write', checks: 'write' }
const manifest = {
  name: 'Judge',
  url: 'https://judge.example',
  default_permissions: permissions,
  default_events: ['pull_request', 'push'],
}

let forge: Forge
let check: DescriptionCheck

beforeEach(async () => {
  check = createDescriptionCheck()
  forge = await startForge({ observe: check.observe })
  for (const login of ['ann', 'ben', 'eve']) forge.createUser(login, { token: `${login}-token` })
  await forge.createRepository(repo, { private: true, admins: ['ann'], writers: ['ben'] })
  await forge.createRepository(other, { private: true, admins: ['ann'] })
  await forge.push(repo, 'main', { 'a.ts': 'one\n' }, { author: 'ann' })
})

afterEach(async () => {
  await forge.close()
  expect(check.answerProblems(forge)).toEqual([])
})

const call = (method: string, path: string, options?: CallOptions) =>
  callForge(forge, method, path, options)

const tokenFor = (app: RegisteredApp, installation: number, body?: unknown) =>
  requestToken(forge, app, installation, body)

describe('the manifest flow', () => {
  const redirectUrl = 'http://127.0.0.1:1/app/created'
  const hook = { url: 'http://127.0.0.1:1/hook' }
  const whole = { ...manifest, redirect_url: redirectUrl, hook_attributes: hook }

  /** Fills a form in and sends it. Returns the answer without following it. */
  const submit = (path: string, fields: Record<string, string>) =>
    fetch(forge.url + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })

  /** Reads the hidden fields of the page's form. */
  const hiddenFields = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name!,
        value!.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
      ]),
    )

  async function register(path: string, given: unknown = whole): Promise<URL> {
    const page = await submit(`${path}?state=s%26t`, { manifest: JSON.stringify(given) })
    const html = await page.text()
    expect(html).toContain('Create GitHub App')
    const created = await submit('/settings/apps/manifest', {
      ...hiddenFields(html),
      name: 'Judge',
    })
    return new URL(created.headers.get('location') ?? 'about:blank')
  }

  it('makes an App with a code that is redeemed once', async () => {
    forge.signInAs('ann')
    const back = await register('/settings/apps/new')
    expect(back.href.startsWith(`${redirectUrl}?`)).toBe(true)
    expect(back.searchParams.get('state')).toBe('s&t')
    const path = `/app-manifests/${back.searchParams.get('code')}/conversions`
    const made = await call('POST', path, { token: null })
    expect(made).toMatchObject({
      status: 201,
      body: {
        slug: 'judge',
        owner: { login: 'ann' },
        client_id: expect.any(String),
        client_secret: expect.any(String),
        webhook_secret: expect.any(String),
        html_url: `${forge.url}/apps/judge`,
        permissions: { ...permissions, metadata: 'read' },
      },
    })
    expect(made.body.pem).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/)
    expect((await call('POST', path, { token: null })).status).toBe(404)
    const token = await signJwt(made.body.pem, made.body.client_id)
    expect((await call('GET', '/app', { token })).body).toMatchObject({
      id: made.body.id,
      installations_count: 0,
    })
  })

  it('lets a code end after an hour', async () => {
    forge.signInAs('ann')
    const back = await register('/settings/apps/new')
    forge.shiftClock(hour)
    const path = `/app-manifests/${back.searchParams.get('code')}/conversions`
    expect((await call('POST', path, { token: null })).status).toBe(404)
  })

  it('makes an App of an organization for its administrators only', async () => {
    forge.signInAs('ben')
    const page = await submit('/organizations/acme/settings/apps/new', {
      manifest: JSON.stringify(whole),
    })
    const fields = { ...hiddenFields(await page.text()), name: 'Judge' }
    expect((await submit('/settings/apps/manifest', fields)).status).toBe(404)
    forge.signInAs('ann')
    const back = await register('/organizations/acme/settings/apps/new')
    const code = back.searchParams.get('code')
    const made = await call('POST', `/app-manifests/${code}/conversions`, { token: null })
    expect(made.body.owner).toMatchObject({ login: 'acme', type: 'Organization' })
  })

  it('says what is wrong with a manifest', async () => {
    const send = async (given: unknown) =>
      (await submit('/settings/apps/new', { manifest: JSON.stringify(given) })).text()
    expect(await send({ ...whole, url: 'nonsense' })).toContain('Url must be a valid URL')
    expect(await send({ ...whole, name: 'x'.repeat(35) })).toContain('Name is too long')
    expect(await send({ ...whole, redirect_url: undefined })).toContain('Redirect url is missing')
    expect(await send({ ...whole, default_events: ['nonsense'] })).toContain(
      'unsupported: nonsense',
    )
    expect(await send(null)).toContain('Manifest is missing')
  })

  it('installs on chosen repositories and returns to the setup address', async () => {
    forge.createApp('acme', {
      ...manifest,
      setup_url: 'http://127.0.0.1:1/setup',
      setup_on_update: true,
    })
    forge.signInAs('ann')
    const page = await (await fetch(`${forge.url}/apps/judge/installations/new?state=x`)).text()
    expect(page).toContain(`value="${repo}"`)
    const fields = { ...hiddenFields(page), account: 'acme', selection: 'selected' }
    const installed = await submit('/apps/judge/installations', { ...fields, repository: repo })
    const [{ id } = { id: 0 }] = forge.installations('judge')
    expect(installed.headers.get('location')).toBe(
      `http://127.0.0.1:1/setup?installation_id=${id}&setup_action=install&state=x`,
    )
    expect(forge.installations('judge')).toMatchObject([{ account: 'acme', repositories: [repo] }])
    const all = await submit('/apps/judge/installations', { ...fields, selection: 'all' })
    expect(all.headers.get('location')).toContain('setup_action=update')
    expect(forge.installations('judge')[0]!.repositories).toEqual([repo, other])
  })
})

describe('an App', () => {
  let app: RegisteredApp
  let installation: number

  beforeEach(() => {
    app = forge.createApp('acme', { ...manifest, callback_urls: ['http://127.0.0.1:1/back'] })
    installation = forge.installApp('judge', 'acme', { repositories: [repo], by: 'ann' })
  })

  it('proves who it is by a signed token of ten minutes at most', async () => {
    const get = async (token: string) => {
      const { body, status } = await call('GET', '/app', { token })
      return [status, body.message ?? body.slug]
    }
    const jwt = (times: Parameters<typeof signJwt>[2], issuer = app.clientId) =>
      signJwt(app.pem, issuer, times).then(get)
    expect(await jwt({})).toEqual([200, 'judge'])
    expect(await jwt({}, String(app.id))).toEqual([200, 'judge'])
    expect(await jwt({ expires: 700 })).toEqual([401, expect.stringContaining('too far')])
    expect(await jwt({ expires: -5 })).toEqual([401, expect.stringContaining('exp')])
    expect(await jwt({ issued: 60 })).toEqual([401, expect.stringContaining('iat')])
    expect(await jwt({}, 'nobody')).toEqual([404, 'Integration not found'])
    expect(await jwt({ alg: 'RS512' })).toEqual([401, 'A JSON web token could not be decoded'])
    const { pem } = forge.createApp('acme', { ...manifest, name: 'Other' })
    expect(await get(await signJwt(pem, app.clientId))).toEqual([
      401,
      'A JSON web token could not be decoded',
    ])
    expect(await get('ann-token')).toEqual([401, 'A JSON web token could not be decoded'])
  })

  it('finds its installations', async () => {
    const token = await signJwt(app.pem, app.clientId)
    const get = async (path: string) => (await call('GET', path, { token })).body
    expect(await get('/app/installations')).toMatchObject([
      { id: installation, account: { login: 'acme' }, target_type: 'Organization' },
    ])
    expect(await get(`/repos/${repo}/installation`)).toMatchObject({ id: installation })
    expect(await get('/orgs/acme/installation')).toMatchObject({ id: installation })
    expect(await get(`/repos/${other}/installation`)).toMatchObject({ message: 'Not Found' })
    expect(await get('/users/ann/installation')).toMatchObject({ message: 'Not Found' })
  })

  it('acts as a bot in the repositories of its token, within its permissions', async () => {
    await forge.push(repo, 'topic', { 'a.ts': 'two\n' }, { author: 'ben' })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'ben' })
    const made = await tokenFor(app, installation)
    expect(made).toMatchObject({ status: 201, body: { repository_selection: 'selected' } })
    expect(made.body.token).toMatch(/^ghs_/)
    const { token } = made.body
    const comments = `/repos/${repo}/issues/${number}/comments`
    const written = await call('POST', comments, { token, body: { body: 'Hello' } })
    expect(written.body.user).toMatchObject({ login: 'judge[bot]', type: 'Bot' })
    expect(written.body.performed_via_github_app).toMatchObject({ slug: 'judge' })
    const refused = await call('POST', `/repos/${repo}/statuses/${'0'.repeat(40)}`, {
      token,
      body: { state: 'success' },
    })
    expect(refused).toMatchObject({
      status: 403,
      body: { message: 'Resource not accessible by integration' },
    })
    expect(refused.headers.get('x-accepted-github-permissions')).toBe('statuses=write')
    expect((await call('GET', `/repos/${other}`, { token })).status).toBe(404)
    expect((await call('GET', '/user', { token })).status).toBe(403)
    expect((await call('GET', '/installation/repositories', { token })).body).toMatchObject({
      total_count: 1,
      repositories: [{ full_name: repo }],
    })
  })

  it('narrows a token to repositories and permissions', async () => {
    forge.selectRepositories(installation, 'all')
    const narrow = await tokenFor(app, installation, {
      repositories: ['blog'],
      permissions: { contents: 'read' },
    })
    expect(narrow.body).toMatchObject({
      permissions: { contents: 'read', metadata: 'read' },
      repositories: [{ full_name: other }],
    })
    const { token } = narrow.body
    expect((await call('GET', `/repos/${repo}`, { token })).status).toBe(404)
    expect((await call('GET', `/repos/${other}/pulls`, { token })).status).toBe(403)
    expect((await tokenFor(app, installation, { repositories: ['none'] })).status).toBe(422)
    expect((await tokenFor(app, installation, { repository_ids: [1] })).status).toBe(422)
    const wide = { permissions: { contents: 'write' } }
    expect((await tokenFor(app, installation, wide)).status).toBe(422)
  })

  it('loses a token after an hour, by suspension, and with the installation', async () => {
    const { token } = (await tokenFor(app, installation)).body
    const read = async (text = token) =>
      (await call('GET', `/repos/${repo}`, { token: text })).status
    forge.suspendInstallation(installation)
    expect([await read(), (await tokenFor(app, installation)).status]).toEqual([403, 403])
    forge.unsuspendInstallation(installation)
    expect(await read()).toBe(200)
    forge.shiftClock(hour)
    expect(await read()).toBe(401)
    forge.shiftClock(-hour)
    forge.uninstallApp(installation)
    expect(await read()).toBe(401)
    expect((await tokenFor(app, installation)).status).toBe(404)
  })

  it('clones with its token, and pushes only with the permission', async () => {
    const { token } = (await tokenFor(app, installation)).body
    const info = async (service: string, name = repo) => {
      const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
      const url = `${forge.cloneUrl(name)}/info/refs?service=${service}`
      return (await fetch(url, { headers: { authorization: `Basic ${basic}` } })).status
    }
    expect(await info('git-upload-pack')).toBe(200)
    expect(await info('git-receive-pack')).toBe(403)
    expect(await info('git-upload-pack', other)).toBe(404)
  })

  it('resolves threads only with write access to contents', async () => {
    await forge.push(repo, 'topic', { 'a.ts': 'two\n' }, { author: 'ben' })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'ben' })
    const comments = [{ path: 'a.ts', line: 1, body: 'Why?' }]
    const reviews = `/repos/${repo}/pulls/${number}/reviews`
    await call('POST', reviews, { body: { event: 'COMMENT', comments } })
    const id = forge.pullRequest(repo, number).threads[0]!.id
    const query = `mutation { resolveReviewThread(input: { threadId: "${id}" }) { thread { id } } }`
    const resolve = async () => {
      const { token } = (await tokenFor(app, installation)).body
      return (await call('POST', forge.graphqlUrl, { token, body: { query } })).body
    }
    expect((await resolve()).errors).toMatchObject([{ type: 'FORBIDDEN' }])
    forge.askForPermissions('judge', { ...permissions, contents: 'write' })
    forge.acceptPermissions(installation)
    expect(await resolve()).toMatchObject({ data: { resolveReviewThread: { thread: { id } } } })
  })

  it('signs people in with tokens that are renewed', async () => {
    forge.signInAs('ben')
    const query = new URLSearchParams({ client_id: app.clientId, state: 's' })
    const authorize = await fetch(`${forge.url}/login/oauth/authorize?${query}`, {
      redirect: 'manual',
    })
    const back = new URL(authorize.headers.get('location')!)
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:1\/back\?/)
    const exchange = async (fields: Record<string, string>) => {
      const client = { client_id: app.clientId, client_secret: app.clientSecret }
      const response = await fetch(`${forge.url}/login/oauth/access_token`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ ...client, ...fields }),
      })
      return (await response.json()) as Record<string, string>
    }
    const grant = await exchange({ code: back.searchParams.get('code')! })
    expect(grant).toMatchObject({ expires_in: 28_800, token_type: 'bearer', scope: '' })
    const token = grant.access_token!
    expect(token).toMatch(/^ghu_/)
    expect((await call('GET', '/user', { token })).body.login).toBe('ben')
    expect((await call('GET', '/user/installations', { token })).body).toMatchObject({
      total_count: 1,
      installations: [{ id: installation }],
    })
    const path = `/user/installations/${installation}/repositories`
    expect((await call('GET', path, { token })).body.repositories).toMatchObject([
      { full_name: repo },
    ])
    expect((await call('GET', '/user/installations')).status).toBe(403)
    const renewal = { grant_type: 'refresh_token', refresh_token: grant.refresh_token! }
    const renewed = await exchange(renewal)
    expect(renewed.access_token).toMatch(/^ghu_/)
    expect((await call('GET', '/user', { token })).status).toBe(401)
    expect(await exchange(renewal)).toMatchObject({ error: 'bad_refresh_token' })
    forge.shiftClock(8 * hour)
    expect((await call('GET', '/user', { token: renewed.access_token! })).status).toBe(401)
  })
})

describe("an App's deliveries", () => {
  it('come signed to one address, about its installations and their repositories', async () => {
    await using receiver = await startReceiver()
    const hook = { hook_attributes: { url: receiver.url } }
    const app = forge.createApp('acme', { ...manifest, ...hook }, { webhookSecret: 'k' })
    const installation = forge.installApp('judge', 'acme', { repositories: [repo], by: 'ann' })
    await forge.push(repo, 'topic', { 'a.ts': 'two\n' }, { author: 'ben' })
    await forge.openPullRequest({ repo, head: 'topic', author: 'ben' })
    forge.selectRepositories(installation, [other], 'ann')
    await forge.push(repo, 'topic', { 'a.ts': 'three\n' }, { author: 'ben' })
    forge.askForPermissions('judge', { contents: 'read' }, ['push'])
    forge.acceptPermissions(installation, 'ann')
    forge.suspendInstallation(installation, 'ann')
    await forge.push(other, 'main', { 'a.ts': 'x\n' })
    forge.unsuspendInstallation(installation, 'ann')
    forge.uninstallApp(installation, 'ann')
    await forge.waitFor(() => forge.deliveries.every((one) => one.status === 200))
    expect(forge.deliveries.map((one) => `${one.event}.${one.action}`)).toEqual([
      'installation.created',
      'push.null',
      'pull_request.opened',
      'installation_repositories.added',
      'installation_repositories.removed',
      'installation.new_permissions_accepted',
      'installation.suspend',
      'installation.unsuspend',
      'installation.deleted',
    ])
    const opened = receiver.received.find(({ body }) => body.includes('"opened"'))!
    expect(opened.headers).toMatchObject({
      'x-github-event': 'pull_request',
      'x-github-hook-installation-target-type': 'integration',
      'x-github-hook-installation-target-id': String(app.id),
      'x-hub-signature-256': sign('k', opened.body),
    })
    expect(JSON.parse(opened.body).installation).toEqual({
      id: installation,
      node_id: expect.any(String),
    })
    expect(forge.deliveries[0]!.payload).toMatchObject({
      installation: { id: installation, app_slug: 'judge', account: { login: 'acme' } },
      repositories: [{ full_name: repo }],
      sender: { login: 'ann' },
    })
    expect(forge.deliveries[4]!.payload).toMatchObject({
      repositories_removed: [{ full_name: repo }],
      repositories_added: [],
    })
  })

  it('are listed by cursor, read, and sent again, with an address that can change', async () => {
    await using receiver = await startReceiver(503)
    const app = forge.createApp('acme', { ...manifest, hook_attributes: { url: receiver.url } })
    const token = await signJwt(app.pem, app.clientId)
    const installation = forge.installApp('judge', 'acme', { by: 'ann' })
    forge.suspendInstallation(installation, 'ann')
    forge.unsuspendInstallation(installation, 'ann')
    await forge.waitFor(() => forge.deliveries.every((one) => one.status === 503))
    const first = await call('GET', '/app/hook/deliveries?per_page=2&status=failure', { token })
    expect(first.body).toMatchObject([
      { action: 'unsuspend', status_code: 503, installation_id: installation, redelivery: false },
      { action: 'suspend' },
    ])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!
    const [created] = (await call('GET', next, { token })).body
    expect(created).toMatchObject({ action: 'created', status: 'Invalid HTTP Response: 503' })
    const one = `/app/hook/deliveries/${created.id}`
    expect((await call('GET', one, { token })).body).toMatchObject({
      url: receiver.url,
      request: { headers: { 'X-GitHub-Event': 'installation' }, payload: { action: 'created' } },
      response: { payload: 'noted' },
    })
    expect((await call('POST', `${one}/attempts`, { token })).status).toBe(202)
    await forge.waitFor(() => forge.deliveries[0]!.attempts.length === 2)
    const [again] = (await call('GET', '/app/hook/deliveries', { token })).body
    expect(again).toMatchObject({ guid: created.guid, redelivery: true })
    expect(again.id).not.toBe(created.id)

    await using moved = await startReceiver()
    const config = { url: moved.url, secret: 'new', content_type: 'json', insecure_ssl: '0' }
    const changed = await call('PATCH', '/app/hook/config', { token, body: config })
    expect(changed.body).toEqual({ ...config, secret: '********' })
    forge.uninstallApp(installation, 'ann')
    await forge.waitFor(() => moved.received.length === 1)
    const { body, headers } = moved.received[0]!
    expect(headers['x-hub-signature-256']).toBe(sign('new', body))
    forge.shiftClock(73 * hour)
    const late = await signJwt(app.pem, app.clientId, {
      issued: 73 * 3600,
      expires: 73 * 3600 + 60,
    })
    expect((await call('GET', '/app/hook/deliveries', { token: late })).body).toEqual([])
  })

  it('of a repository hook are listed and sent again too', async () => {
    await using receiver = await startReceiver()
    const id = forge.addWebhook(repo, { url: receiver.url, events: ['push'] })
    await forge.push(repo, 'topic', { 'a.ts': 'two\n' })
    const sent = await forge.waitForDelivery((one) => one.status === 200)
    const path = `/repos/${repo}/hooks/${id}/deliveries`
    expect((await call('GET', path)).body).toMatchObject([{ id: sent.id, event: 'push' }])
    expect((await call('POST', `${path}/${sent.id}/attempts`)).status).toBe(202)
    await forge.waitFor(() => receiver.received.length === 2)
    expect((await call('GET', `${path}/${sent.id}`)).body.request.payload.ref).toMatch(/topic/)
    expect((await call('GET', path, { token: 'ben-token' })).status).toBe(404)
  })

  it('can be lost, doubled, overtaken and late by a seeded chance', async () => {
    await using receiver = await startReceiver()
    forge.addWebhook(repo, { url: receiver.url, events: ['push'] })
    const refs = () => receiver.received.map(({ body }) => JSON.parse(body).ref as string)
    const push = (branch: string) => forge.push(repo, branch, { 'a.ts': `${branch}\n` })
    forge.faultyDeliveries({ seed: 1, drop: 1 })
    await push('dropped')
    expect(forge.deliveries.at(-1)).toMatchObject({ status: 0, attempts: [{ error: 'timed out' }] })
    forge.faultyDeliveries({ seed: 1, double: 1 })
    await push('doubled')
    await forge.waitFor(() => forge.deliveries.at(-1)!.attempts.length === 2)
    forge.faultyDeliveries({ seed: 1, delay: 1 })
    await push('late')
    expect(forge.deliveries.at(-1)!.status).toBeNull()
    await forge.releaseDeliveries()
    expect(forge.deliveries.at(-1)!.status).toBe(200)
    forge.faultyDeliveries({ seed: 2, reorder: 0.5 })
    for (const branch of ['a', 'b', 'c', 'd', 'e', 'f']) await push(branch)
    await forge.releaseDeliveries()
    await forge.waitFor(() => receiver.received.length === 9)
    const order = refs().slice(3)
    expect(order).not.toEqual([...order].sort())
    expect([...order].sort()).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => `refs/heads/${one}`),
    )
  })
})
