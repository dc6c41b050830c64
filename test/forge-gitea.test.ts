// The fake forge as Gitea and Forgejo: REST, errors, reviews, sign-in and deliveries.
import { execFile } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Forge, startForge } from './fakes/forge/forge.ts'
import { type CallOptions, callForge, startReceiver } from './forge-calls.ts'
import { findProblems, forgejoFields } from './gitea/description.ts'

const run = promisify(execFile)
const repo = 'acme/shop'
const base = `/repos/${repo}`
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`)

type Json = Record<string, unknown>

describe.each(['gitea', 'forgejo'] as const)('the forge as %s', (dialect) => {
  const isGitea = dialect === 'gitea'
  let forge: Forge

  beforeEach(async () => {
    forge = await startForge({ dialect })
    for (const login of ['acme', 'ann', 'ben', 'cat', 'eve'])
      forge.createUser(login, { token: `${login}-token` })
    await forge.createRepository(repo, {
      private: true,
      admins: ['ann'],
      writers: ['ben'],
      readers: ['cat'],
    })
    await forge.push(repo, 'main', { 'a.ts': lines(40).join(''), 'gone.md': 'old\n' })
  })
  afterEach(() => forge.close())

  const call = (method: string, path: string, options: CallOptions = {}) =>
    callForge(forge, method, path, options)

  /** Calls, and holds the answer to the published format of that name. */
  async function get(format: string, path: string, options: CallOptions = {}) {
    const answer = await call('GET', path, options)
    expect(answer.status).toBe(200)
    expectFormat(format, answer.body)
    return answer
  }

  function expectFormat(format: string, value: unknown): void {
    const items = Array.isArray(value) ? value : [value]
    const more = isGitea ? {} : forgejoFields
    expect(items.flatMap((item) => findProblems(format, item, more))).toEqual([])
  }

  /** Opens a pull request of ben that changes lines 3 and 20, and removes a file. */
  async function openChange(): Promise<{ number: number; sha: string; pulls: string }> {
    const changed = lines(40)
    changed[2] = 'changed 3\n'
    changed[19] = 'changed 20\n'
    const files = { 'a.ts': changed.join(''), 'gone.md': null }
    const sha = await forge.push(repo, 'topic', files, { author: 'ben' })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'ben', title: 'T' })
    return { number, sha, pulls: `${base}/pulls/${number}` }
  }

  const post = (number: number, body: unknown, token = 'ann-token') =>
    call('POST', `${base}/pulls/${number}/reviews`, { token, body })

  it('answers under /api/v1 with its version, for good tokens and for none', async () => {
    expect(forge.apiUrl).toBe(`${forge.url}/api/v1`)
    const { body } = await get('ServerVersion', '/version', { token: null })
    expect(body.version).toBe(isGitea ? '1.26.3' : '11.0.15+gitea-1.22.0')
    expect(await call('GET', '/version', { token: 'wrong' })).toMatchObject({
      status: 401,
      body: { url: `${forge.url}/api/swagger` },
    })
    expect((await call('GET', '/user', { token: null })).body.message).toBe('token is required')
    expect((await call('GET', '/nothing')).body).toBe('404 page not found\n')
    expect((await call('PUT', '/version')).status).toBe(405)
  })

  it('takes a token in each way that it may be sent', async () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    const ways = [
      'token ann-token',
      'Bearer ann-token',
      basic('ann:ann-token'),
      basic('oauth2:ann-token'),
      basic('ann-token:x-oauth-basic'),
    ]
    for (const authorization of ways) {
      const { body } = await get('User', '/user', { token: null, headers: { authorization } })
      expect(body.login).toBe('ann')
    }
  })

  it('refuses a token without the scope of an address', async () => {
    forge.createUser('ann', { token: 'reads', scopes: ['read:repository'] })
    expect((await call('GET', base, { token: 'reads' })).status).toBe(200)
    const refused = await call('GET', `${base}/issues/comments`, { token: 'reads' })
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('[read:issue]') },
    })
    const writing = await call('POST', `${base}/statuses/main`, { token: 'reads', body: {} })
    expect(writing.body.message).toContain('[write:repository]')
  })

  it('shows a repository with the access of the caller, and hides it from others', async () => {
    const { body } = await get('Repository', base.toUpperCase().replace('/REPOS', '/repos'))
    expect(body).toMatchObject({
      full_name: repo,
      private: true,
      permissions: { admin: true, push: true, pull: true },
      default_branch: 'main',
    })
    const asReader = await get('Repository', base, { token: 'cat-token' })
    expect(asReader.body.permissions).toEqual({ admin: false, push: false, pull: true })
    const hidden = await call('GET', base, { token: 'eve-token' })
    expect(hidden).toMatchObject({
      status: 404,
      body: isGitea
        ? { errors: null, message: 'not found' }
        : { errors: [], message: "The target couldn't be found." },
    })
  })

  it('lists and searches repositories, and lets wildcards through', async () => {
    await forge.createRepository('acme/other')
    const own = await get('Repository', '/user/repos')
    expect(own.body.map(({ full_name }: Json) => full_name)).toEqual([repo])
    const search = async (q: string) =>
      (await get('SearchResults', `/repos/search?q=${q}`)).body.data.map(
        ({ full_name }: Json) => full_name,
      )
    expect(await search('SHO')).toEqual([repo])
    expect(await search('acme')).toEqual([])
    expect(await search('acme/sh')).toEqual([repo])
    expect(await search('%25')).toEqual(['acme/other', repo])
  })

  it('redirects from a former name, whatever the method', async () => {
    forge.renameRepository(repo, 'acme/store')
    for (const method of ['GET', 'POST']) {
      const { headers, status } = await call(method, `${base}/issues/1/comments?since=x`)
      expect(status).toBe(isGitea ? 301 : 307)
      expect(headers.get('location')).toBe('/api/v1/repos/acme/store/issues/1/comments?since=x')
    }
  })

  it('shows permissions to administrators, and to everybody their own', async () => {
    const ask = (login: string, token: string) =>
      call('GET', `${base}/collaborators/${login}/permission`, { token })
    const { body } = await ask('ACME', 'ann-token')
    expectFormat('RepoCollaboratorPermission', body)
    expect(body.permission).toBe('owner')
    for (const [login, permission] of Object.entries({ ann: 'admin', ben: 'write', cat: 'read' }))
      expect((await ask(login, 'ann-token')).body.permission).toBe(permission)
    expect((await ask('eve', 'ann-token')).body.permission).toBe('none')
    expect((await ask('cat', 'cat-token')).body.permission).toBe('read')
    expect((await ask('ann', 'ben-token')).status).toBe(403)
    expect((await ask('nobody', 'ann-token')).status).toBe(404)
    expect((await ask('nobody', 'ben-token')).status).toBe(isGitea ? 403 : 404)
  })

  it('keeps the secret of a webhook on PATCH, and forgets its events', async () => {
    const config = { url: 'http://127.0.0.1:1/hook', content_type: 'json', secret: 'first' }
    const body = { type: 'gitea', config, events: ['pull_request', 'bogus'], active: true }
    const made = await call('POST', `${base}/hooks`, { body })
    expect(made.status).toBe(201)
    expectFormat('Hook', made.body)
    expect(made.body.config).toEqual({ url: config.url, content_type: 'json' })
    expect(made.body.events).toContain('pull_request_sync')
    expect(made.body.events).not.toContain('bogus')
    expect(made.body.events).toContain(
      isGitea ? 'pull_request_review' : 'pull_request_review_approved',
    )
    const { id } = made.body
    const change = { config: { ...config, secret: 'second' }, active: true }
    const changed = await call('PATCH', `${base}/hooks/${id}`, { body: change })
    expect(changed.body.events).toEqual(['push'])
    expect(forge.webhooks(repo)).toMatchObject([{ secret: 'first' }])
    expect((await get('Hook', `${base}/hooks`)).body).toHaveLength(1)
    expect((await call('GET', `${base}/hooks`, { token: 'ben-token' })).status).toBe(403)
    const noType = { ...body, config: { url: config.url } }
    expect((await call('POST', `${base}/hooks`, { body: noType })).body.message).toBe(
      'Missing config option: content_type',
    )
    expect((await call('DELETE', `${base}/hooks/${id}`)).status).toBe(204)
    expect((await call('GET', `${base}/hooks/${id}`)).status).toBe(404)
    expect((await call('GET', `${base}/hooks/${id}/deliveries`)).status).toBe(404)
  })

  it('shows a pull request with the tip of its base and its merge base', async () => {
    const { number, pulls, sha } = await openChange()
    const fork = (await forge.branches(repo)).get('main')
    const tip = await forge.push(repo, 'main', { 'new.md': 'new\n' })
    const { body } = await get('PullRequest', pulls)
    expect(body).toMatchObject({
      number,
      title: 'T',
      state: 'open',
      draft: false,
      merged: false,
      head: { ref: 'topic', label: 'topic', sha },
      base: { ref: 'main', sha: tip },
      merge_base: fork,
      additions: 2,
      deletions: 3,
      changed_files: 2,
      url: `${forge.url}/${repo}/pulls/${number}`,
    })
    const diff = await call('GET', `${pulls}.diff`)
    expect(diff.body).toMatch(/^diff --git a\/a\.ts b\/a\.ts$/m)
    expect(diff.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const files = await get('ChangedFile', `${pulls}/files`)
    expect(files.body).toMatchObject([
      { filename: 'a.ts', status: 'changed', additions: 2, deletions: 2 },
      { filename: 'gone.md', status: 'deleted' },
    ])
    expect((await call('GET', `${base}/pulls/99`)).status).toBe(404)
    expect((await get('Issue', `${base}/issues/${number}`)).body.pull_request).not.toBeNull()
  })

  it('pages lists with Link and X-Total-Count, at most 50 a page', async () => {
    for (let index = 1; index <= 52; index++) {
      await forge.push(repo, `b${index}`, { 'b.md': `${index}\n` })
      await forge.openPullRequest({ repo, head: `b${index}` })
    }
    const list = (query: string) => call('GET', `${base}/pulls?${query}`)
    const all = await list('limit=1000&state=all')
    expect(all.body).toHaveLength(50)
    expect(all.headers.get('x-total-count')).toBe('52')
    const second = await list('state=open&limit=20&page=2&sort=oldest')
    expect(second.body.map(({ number }: Json) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 21),
    )
    const at = (page: number, rel: string) =>
      `<${forge.apiUrl}${base}/pulls?limit=20&page=${page}&sort=oldest&state=open>; rel="${rel}"`
    expect(second.headers.get('link')).toBe(
      [at(3, 'next'), at(3, 'last'), at(1, 'first'), at(1, 'prev')].join(','),
    )
    expect((await list('page=9')).body).toEqual([])
    expect((await list('sort=bogus&limit=1')).body).toMatchObject([{ number: 52 }])
    expect((await list('')).body).toHaveLength(30)
  })

  it('says by the title whether a pull request is a draft', async () => {
    await forge.push(repo, 'topic', { 'b.md': 'b\n' })
    const number = await forge.openPullRequest({ repo, head: 'topic', title: 'T', draft: true })
    const pulls = `${base}/pulls/${number}`
    expect((await call('GET', pulls)).body).toMatchObject({ title: 'WIP: T', draft: true })
    const drafts = { '[wip] T': true, 'Draft: T': false, 'wip:T': true, T: false }
    for (const [title, draft] of Object.entries(drafts)) {
      const changed = await call('PATCH', pulls, { body: { title } })
      expect(changed).toMatchObject({ status: 201, body: { title, draft } })
    }
    forge.convertToDraft(repo, number)
    expect(forge.pullRequest(repo, number)).toMatchObject({ title: 'WIP: T', draft: true })
    forge.markReadyForReview(repo, number)
    expect(forge.pullRequest(repo, number)).toMatchObject({ title: 'T', draft: false })
  })

  it('lists commits newest first, without parts that are not wanted', async () => {
    const first = await forge.push(repo, 'topic', { 'b.md': '1\n' }, { message: 'One\n\nText' })
    const second = await forge.push(repo, 'topic', { 'c.md': '1\n' })
    const number = await forge.openPullRequest({ repo, head: 'topic' })
    const listed = await get('Commit', `${base}/pulls/${number}/commits`)
    expect(listed.body.map(({ sha }: Json) => sha)).toEqual([second, first])
    expect(listed.body[1].commit).toMatchObject({ message: 'One\n\nText\n', tree: { sha: first } })
    const compared = await get('Compare', `${base}/compare/main...topic`)
    expect(compared.body.total_commits).toBe(2)
    expect(compared.body.commits[0].sha).toBe(second)
    const query = 'sha=topic&path=b.md&stat=false&files=false&verification=false'
    const ofPath = await get('Commit', `${base}/commits?${query}`)
    expect(ofPath.body).toMatchObject([{ sha: first, files: null, stats: null }])
    expect((await call('GET', `${base}/commits?path=none&sha=topic`)).status).toBe(404)
    expect((await call('GET', `${base}/commits?path=b.md&sha=none`)).status).toBe(500)
    expect(await call('GET', `${base}/commits?sha=none`)).toMatchObject({ status: 404, body: null })
    const unknown = await call('GET', `${base}/compare/main...none`)
    expect(unknown.status).toBe(isGitea ? 404 : 500)
  })

  it('reads trees, contents, raw files and languages', async () => {
    await forge.push(repo, 'deep/er', { 'src/b c.ts': 'export {}\n', 'src/x/y.ts': '' })
    const tree = (query: string) =>
      get('GitTreeResponse', `${base}/git/trees/deep%2Fer?recursive=true${query}`)
    const whole = (await tree('')).body
    expect(whole).toMatchObject({ truncated: false, total_count: 6 })
    const part = (await tree('&per_page=4&page=1')).body
    expect(part.truncated).toBe(true)
    expect([...part.tree, ...(await tree('&per_page=4&page=2')).body.tree]).toEqual(whole.tree)
    expect((await call('GET', `${base}/git/trees/none`)).status).toBe(400)
    const raw = await call('GET', `${base}/raw/src/b%20c.ts?ref=deep%2Fer`)
    expect(raw.body).toBe('export {}\n')
    const again = { headers: { 'if-none-match': raw.headers.get('etag')! } }
    expect((await call('GET', `${base}/raw/src/b%20c.ts?ref=deep%2Fer`, again)).status).toBe(304)
    for (const path of ['src?ref=deep%2Fer', 'none', 'a.ts?ref=none', '..%2Fa.ts'])
      expect((await call('GET', `${base}/raw/${path}`)).status).toBe(404)
    const file = await get('ContentsResponse', `${base}/contents/a.ts`)
    expect(Buffer.from(file.body.content, 'base64').toString()).toBe(lines(40).join(''))
    const folder = await get('ContentsResponse', `${base}/contents/src?ref=deep%2Fer`)
    expect(folder.body.map(({ type }: Json) => type)).toEqual(['file', 'dir'])
    expect(file.body.last_commit_sha).toBe((await forge.branches(repo)).get('main'))
    expect((await call('GET', `${base}/languages`)).body).toEqual({ TypeScript: 311 })
  })

  it('takes any state and any length in the status of a commit', async () => {
    const { sha } = await openChange()
    const description = 'x'.repeat(1000)
    const create = (state: string, token = 'ben-token') =>
      call('POST', `${base}/statuses/${sha}`, {
        token,
        body: { state, context: 'c', description, target_url: 'https://umpire.example' },
      })
    const made = await create('pending')
    expect(made).toMatchObject({ status: 201, body: { status: 'pending', description } })
    expectFormat('CommitStatus', made.body)
    expect((await create('bogus')).body.status).toBe('bogus')
    await create('success')
    expect((await create('success', 'cat-token')).status).toBe(403)
    const byBranch = await call('GET', `${base}/statuses/topic`)
    expect(byBranch.body).toHaveLength(isGitea ? 0 : 3)
    const listed = await get('CommitStatus', `${base}/commits/topic/statuses?limit=1`)
    expect(listed.body).toHaveLength(isGitea ? 1 : 3)
    expect(listed.body[0].status).toBe('success')
    const combined = await get('CombinedStatus', `${base}/commits/${sha}/status`)
    expect(combined.body).toMatchObject({ state: 'success', total_count: 1 })
    const unknown = await call('POST', `${base}/statuses/${'f'.repeat(40)}`, { body: {} })
    expect(unknown.status).toBe(500)
  })

  it('lists comments without pages, those of the repository by their last change', async () => {
    const { number } = await openChange()
    const comments = `${base}/issues/${number}/comments`
    const made = await call('POST', comments, { body: { body: 'x'.repeat(100_000) } })
    expect(made.status).toBe(201)
    expectFormat('Comment', made.body)
    expect(made.body).toMatchObject({
      issue_url: '',
      pull_request_url: `${forge.url}/${repo}/pulls/${number}`,
      html_url: `${forge.url}/${repo}/pulls/${number}#issuecomment-${made.body.id}`,
    })
    expect((await call('POST', comments, { body: { body: '' } })).body.message).toBe(
      '[Body]: Required',
    )
    forge.comment(repo, number, 'ben', 'Second')
    expect((await get('Comment', `${comments}?limit=1`)).body).toHaveLength(2)
    const all = await get('Comment', `${base}/issues/comments?limit=1`)
    expect(all.headers.get('x-total-count')).toBe('2')
    expect(all.body).toHaveLength(isGitea ? 1 : 2)
    const since = '2100-01-01T00:00:00Z'
    expect((await call('GET', `${base}/issues/comments?since=${since}`)).body).toEqual([])
    expect((await call('GET', `${base}/issues/comments?since=bad`)).status).toBe(422)
    const one = `${base}/issues/comments/${made.body.id}`
    const body = { body: 'Changed' }
    expect(await call('PATCH', one, { token: 'cat-token', body })).toMatchObject({
      status: 403,
      body: '',
    })
    expect((await call('PATCH', one, { token: 'ben-token', body })).body.body).toBe('Changed')
    expect((await call('DELETE', one)).status).toBe(204)
    expect((await call('GET', one)).status).toBe(404)
    const missing = await call('POST', `${base}/issues/99/comments`, { body })
    expect(missing.status).toBe(isGitea ? 500 : 404)
  })

  it('reacts to comments of both kinds', async () => {
    const { number } = await openChange()
    await post(number, {
      event: 'COMMENT',
      comments: [{ path: 'a.ts', body: 'A', new_position: 3 }],
    })
    const [inline] = forge.pullRequest(repo, number).inlineComments
    for (const id of [forge.comment(repo, number, 'ben', 'Why?'), inline!.id]) {
      const path = `${base}/issues/comments/${id}/reactions`
      const made = await call('POST', path, { body: { content: 'eyes' } })
      expect(made.status).toBe(201)
      expectFormat('Reaction', made.body)
      expect((await call('POST', path, { body: { content: 'eyes' } })).status).toBe(200)
      expect((await call('POST', path, { body: { content: 'bogus' } })).status).toBe(403)
      expect((await call('GET', path)).body).toMatchObject([{ content: 'eyes' }])
      const removed = await call('DELETE', path, { body: { content: 'eyes' } })
      expect(removed.status).toBe(isGitea ? 204 : 200)
    }
  })

  it('posts a review with comments at lines of both sides, and anywhere else', async () => {
    const { number, pulls, sha } = await openChange()
    const start = (await forge.branches(repo)).get('main')!
    const comments = [
      { path: 'a.ts', body: 'New 20', new_position: 20 },
      { path: 'a.ts', body: 'Old 3', old_position: 3 },
      { path: 'a.ts', body: 'Context 5', new_position: 5 },
      { path: 'a.ts', body: 'Far 35', new_position: 35 },
      { path: 'gone.md', body: 'Gone', old_position: 1 },
      { path: 'none.md', body: 'Nowhere', new_position: 1 },
      { path: 'a.ts', body: 'Both', new_position: 20, old_position: 20 },
    ]
    const made = await post(number, { event: 'COMMENT', body: 'Sum', commit_id: sha, comments })
    expect(made).toMatchObject({
      status: 200,
      body: { state: 'COMMENT', comments_count: 7, stale: false, official: false, commit_id: sha },
    })
    expectFormat('PullReview', made.body)
    const listed = await get(
      'PullReviewComment',
      `${pulls}/reviews/${made.body.id}/comments?limit=1`,
    )
    expect(listed.headers.get('x-total-count')).toBeNull()
    const found = (body: string) => listed.body.find((one: Json) => one.body === body)
    expect(found('New 20')).toMatchObject({ position: 20, original_position: 0, commit_id: sha })
    expect(found('New 20').diff_hunk).toBe(
      '@@ -18,3 +18,3 @@\n line 18\n line 19\n-line 20\n+changed 20',
    )
    expect(found('Old 3')).toMatchObject({ position: 0, original_position: 3, commit_id: sha })
    expect(found('Context 5')).toMatchObject({ position: 5, commit_id: start })
    expect(found('Far 35').diff_hunk).toMatch(
      isGitea ? /^@@ .*\n line 31\n[\s\S]* line 35\n$/ : /^$/,
    )
    expect(found('Gone')).toMatchObject({ path: 'gone.md', original_position: 1 })
    expect(found('Nowhere')).toMatchObject({ position: 1, diff_hunk: '', commit_id: sha })
    expect(found('Both')).toMatchObject({ position: 0, original_position: 20 })
    expect(made.body.html_url).not.toContain(String(made.body.id))
  })

  it('keeps the places of comments when the branch moves, and says that reviews are stale', async () => {
    const { number, pulls } = await openChange()
    const comments = [{ path: 'a.ts', body: 'A', new_position: 20 }]
    const { body: review } = await post(number, { event: 'COMMENT', comments })
    const read = async () => (await call('GET', `${pulls}/reviews/${review.id}/comments`)).body
    const before = await read()
    await forge.push(repo, 'topic', { 'a.ts': 'all new\n' }, { author: 'ben' })
    expect(await read()).toEqual(before)
    expect((await call('GET', `${pulls}/reviews/${review.id}`)).body.stale).toBe(true)
  })

  it('leaves a pending review behind where a comment fails, which the next one joins', async () => {
    const { number, pulls } = await openChange()
    const at = (line: number) => ({ path: 'a.ts', body: `At ${line}`, new_position: line })
    const wrong = { event: 'COMMENT', body: 'Sum', comments: [at(3), at(999), at(20)] }
    const first = await post(number, wrong)
    const list = async (token: string) => (await call('GET', `${pulls}/reviews`, { token })).body
    if (!isGitea) {
      expect(first.body).toMatchObject({ state: 'COMMENT', comments_count: 3 })
      return
    }
    expect(first).toMatchObject({ status: 500, body: { message: '' } })
    const [pending] = await list('ann-token')
    expect(pending).toMatchObject({ state: 'PENDING', comments_count: 1 })
    expect(await list('ben-token')).toEqual([])
    expect(forge.pullRequest(repo, number).inlineComments).toEqual([])
    const { body } = await post(number, { event: 'COMMENT', comments: [at(3)] })
    expect(body).toMatchObject({ id: pending.id, state: 'COMMENT', comments_count: 2 })
  })

  it('fails at an unknown commit, and leaves an empty pending review', async () => {
    const { number, pulls } = await openChange()
    const comments = [{ path: 'a.ts', body: 'A', new_position: 3 }]
    const unknown = { event: 'COMMENT', commit_id: 'f'.repeat(40), comments }
    expect((await post(number, unknown)).status).toBe(500)
    const { body } = await call('GET', `${pulls}/reviews`)
    expect(body).toMatchObject([{ state: 'PENDING', comments_count: 0 }])
    const deleted = await call('DELETE', `${pulls}/reviews/${body[0].id}`)
    expect(deleted.status).toBe(204)
    expect((await call('GET', `${pulls}/reviews`)).body).toEqual([])
  })

  it('takes the events that it knows, and leaves a review pending for all others', async () => {
    const { number, pulls } = await openChange()
    const comments = [{ path: 'a.ts', body: 'A', new_position: 3 }]
    expect((await post(number, { event: 'COMMENT', body: ' ' })).status).toBe(422)
    expect((await post(number, { event: 'REQUEST_CHANGES', comments })).body.message).toBe(
      'review event REQUEST_CHANGES requires a body',
    )
    expect((await post(number, { event: 'APPROVED' }, 'ben-token')).body.message).toBe(
      'approve your own pull is not allowed',
    )
    const pending = await post(number, { event: 'APPROVE', body: 'Fine' })
    expect(pending).toMatchObject({ status: 200, body: { state: 'PENDING' } })
    const path = `${pulls}/reviews/${pending.body.id}`
    const submit = { event: 'APPROVED', body: 'Fine' }
    expect((await call('POST', path, { body: submit })).body.state).toBe('APPROVED')
    expect((await call('POST', path, { body: submit })).status).toBe(422)
  })

  it('lets administrators dismiss verdicts, and new ones take former ones back', async () => {
    const { number, pulls } = await openChange()
    await post(number, { event: 'REQUEST_CHANGES', body: 'No' })
    await post(number, { event: 'APPROVED' })
    const read = async () => (await get('PullReview', `${pulls}/reviews`)).body
    expect(await read()).toMatchObject([
      { state: 'REQUEST_CHANGES', dismissed: true, official: false },
      { state: 'APPROVED', dismissed: false, official: true },
    ])
    const { id } = (await read())[1]
    const dismissals = `${pulls}/reviews/${id}/dismissals`
    const refused = await call('POST', dismissals, { token: 'ben-token', body: {} })
    expect(refused).toMatchObject({ status: 403, body: { message: 'Must be repo admin' } })
    for (let times = 0; times < 2; times++)
      expect((await call('POST', dismissals, { body: {} })).body).toMatchObject({
        state: 'APPROVED',
        dismissed: true,
      })
    expect(forge.pullRequest(repo, number).reviews.at(-1)!.state).toBe('DISMISSED')
    const back = await call('POST', `${pulls}/reviews/${id}/undismissals`)
    expect(back.body.dismissed).toBe(false)
    const { body } = await post(number, { event: 'COMMENT', body: 'Text' })
    const text = await call('POST', `${pulls}/reviews/${body.id}/dismissals`, { body: {} })
    expect(text.status).toBe(403)
    forge.closePullRequest(repo, number)
    const closed = await post(number, { event: 'APPROVED' })
    expect(closed.status).toBe(isGitea ? 422 : 200)
  })

  it('counts reviews as comments, and lists those who gave a verdict as reviewers', async () => {
    const { number, pulls } = await openChange()
    forge.comment(repo, number, 'ben', 'Text')
    await post(number, { event: 'APPROVED' })
    const { body } = await get('PullRequest', pulls)
    expect(body).toMatchObject({
      ...{ comments: 2, review_comments: 1, requested_reviewers: [{ login: 'ann' }] },
    })
    const [listed] = (await get('PullRequest', `${base}/pulls`)).body
    expect(listed.number).toBe(number)
    // Gitea's description doesn't say that lists leave the size of the change out.
    expect([listed.additions, listed.changed_files]).toEqual(
      isGitea ? [undefined, undefined] : [2, 2],
    )
  })

  it('lists requests for reviews among the reviews', async () => {
    const { number, pulls } = await openChange()
    forge.requestReview(repo, number, 'ann')
    const read = async () => (await get('PullReview', `${pulls}/reviews`)).body
    const [request] = await read()
    expect(request).toMatchObject({ state: 'REQUEST_REVIEW', user: { login: 'ann' } })
    expect(await read()).toEqual([request])
    await post(number, { event: 'APPROVED' })
    expect(await read()).toMatchObject([{ state: 'APPROVED' }])
  })

  it('shows in the timeline who dismissed, and links no further page', async () => {
    const { number, pulls } = await openChange()
    forge.comment(repo, number, 'ben', 'Text')
    const { body: review } = await post(number, { event: 'REQUEST_CHANGES', body: 'No' })
    const body = { message: 'It is done' }
    await call('POST', `${pulls}/reviews/${review.id}/dismissals`, { body })
    const read = async (query: string) => {
      const { body: entries, headers } = await call(
        'GET',
        `${base}/issues/${number}/timeline${query}`,
      )
      expect(headers.get('link')).toBeNull()
      expect(headers.get('x-total-count')).toBe(String(entries.length))
      return entries
    }
    expect(await read('')).toMatchObject([
      { type: 'comment', body: 'Text', review_id: 0 },
      { type: 'review', body: 'No', review_id: review.id },
      { type: 'dismiss_review', body: 'It is done', review_id: review.id, user: { login: 'ann' } },
    ])
    expect(await read('?page=2&limit=2')).toMatchObject([{ type: 'dismiss_review' }])
    expect(await read('?limit=2')).toHaveLength(isGitea ? 2 : 3)
  })

  it('edits, deletes and resolves comments of reviews in its own way', async () => {
    const { number, pulls } = await openChange()
    const comments = [{ path: 'a.ts', body: 'A', new_position: 3 }]
    const { body: review } = await post(number, { event: 'COMMENT', comments })
    const [{ id }] = (await call('GET', `${pulls}/reviews/${review.id}/comments`)).body
    const one = `${base}/issues/comments/${id}`
    expect((await call('GET', one)).status).toBe(204)
    const edited = await call('PATCH', one, { body: { body: 'Edited' } })
    expect(edited).toMatchObject({ status: 200, body: { id, body: 'Edited' } })
    const resolve = (token: string, what = 'resolve') =>
      call('POST', `${base}/pulls/comments/${id}/${what}`, { token })
    expect((await resolve('cat-token')).status).toBe(isGitea ? 403 : 405)
    expect((await resolve('ann-token')).status).toBe(isGitea ? 204 : 405)
    expect((await resolve('ann-token')).status).toBe(isGitea ? 204 : 405)
    const read = async () => (await call('GET', `${pulls}/reviews/${review.id}/comments`)).body
    expect((await read())[0].resolver?.login).toBe(isGitea ? 'ann' : undefined)
    await resolve('ben-token', 'unresolve')
    expect((await read())[0].resolver).toBeNull()
    forge.resolveThread(repo, number, id, 'ben')
    expect((await read())[0].resolver.login).toBe('ben')
    expect((await call('DELETE', one)).status).toBe(204)
    expect(await read()).toHaveLength(isGitea ? 0 : 1)
    const ofReview = `${pulls}/reviews/${review.id}/comments/${id}`
    expect((await call('DELETE', ofReview)).status).toBe(isGitea ? 405 : 204)
    expect(await read()).toEqual([])
  })

  it('puts replies into the review of the thread: people on the page, and Forgejo by its API', async () => {
    const { number, pulls } = await openChange()
    const comments = [{ path: 'a.ts', body: 'A', new_position: 3 }]
    const { body: review } = await post(number, { event: 'COMMENT', comments })
    const path = `${pulls}/reviews/${review.id}/comments`
    const [{ id }] = (await call('GET', path)).body
    const reply = forge.replyToComment(repo, number, id, { author: 'ben', body: 'Why?' })
    const sent = { path: 'a.ts', body: 'Because', new_position: 3 }
    const added = await call('POST', path, { token: 'cat-token', body: sent })
    expect(added.status).toBe(isGitea ? 405 : 200)
    if (isGitea) await post(number, { event: 'COMMENT', comments: [sent] }, 'cat-token')
    const listed = (await call('GET', path)).body
    expect(listed.map((one: Json) => one.id)).toEqual(
      isGitea ? [id, reply] : [id, reply, added.body.id],
    )
    expect(forge.pullRequest(repo, number).threads.map((one) => one.comments.length)).toEqual([3])
    expect(forge.pullRequest(repo, number).reviews).toHaveLength(isGitea ? 2 : 1)
  })

  describe('deliveries', () => {
    /** Runs something, and returns what a webhook with these events got of it. */
    async function deliver(events: readonly string[], act: () => unknown, type = 'json') {
      await using receiver = await startReceiver()
      const contentType = type as 'json' | 'form'
      const secret = 'secret'
      const hook = forge.addWebhook(repo, { url: receiver.url, secret, events, contentType })
      const before = forge.deliveries.length
      await act()
      await forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null))
      forge.removeWebhook(repo, hook)
      const guids = forge.deliveries.slice(before).map(({ guid }) => guid)
      return guids.map((guid) => {
        const { body, headers } = receiver.received.find(
          (one) => one.headers['x-gitea-delivery'] === guid,
        )!
        const text = type === 'json' ? body : new URLSearchParams(body).get('payload')!
        return { headers, text, payload: JSON.parse(text) }
      })
    }

    const named = (list: Awaited<ReturnType<typeof deliver>>) =>
      list.map(({ headers, payload }) => [
        headers['x-gitea-event'],
        headers['x-gitea-event-type'],
        payload.action,
      ])

    it('are signed over the JSON, with the names of all families', async () => {
      for (const type of ['json', 'form']) {
        const { number } = await openChange()
        const [first] = await deliver(
          ['pull_request'],
          () => forge.closePullRequest(repo, number),
          type,
        )
        const { headers, text } = first!
        const hex = createHmac('sha256', 'secret').update(text).digest('hex')
        expect(headers).toMatchObject({
          'x-gitea-signature': hex,
          'x-gogs-signature': hex,
          'x-hub-signature-256': `sha256=${hex}`,
          'x-github-event': 'pull_request',
        })
        expect(headers['x-forgejo-signature']).toBe(isGitea ? undefined : hex)
        expect(headers['x-gitea-hook-installation-target-type']).toBe(
          isGitea ? 'repository' : undefined,
        )
        await forge.deleteBranch(repo, 'topic')
      }
    })

    it('follow the life of a pull request', async () => {
      let number = 0
      const sent = await deliver(['pull_request'], async () => {
        ;({ number } = await openChange())
        await forge.push(repo, 'topic', { 'a.ts': 'new\n' }, { author: 'ben' })
        await forge.editPullRequest(repo, number, { title: 'New' })
        await forge.push(repo, 'stable', { 's.md': 's\n' })
        await forge.editPullRequest(repo, number, { base: 'stable' })
        forge.addLabel(repo, number, 'bug')
        forge.removeLabel(repo, number, 'bug')
        forge.requestReview(repo, number, 'ann')
        forge.closePullRequest(repo, number)
        await forge.reopenPullRequest(repo, number)
      })
      expect(named(sent)).toEqual([
        ['pull_request', 'pull_request', 'opened'],
        ['pull_request', 'pull_request_sync', 'synchronized'],
        ['pull_request', 'pull_request', 'edited'],
        ['pull_request', 'pull_request', 'edited'],
        ['pull_request', 'pull_request_label', 'label_updated'],
        ['pull_request', 'pull_request_label', 'label_updated'],
        ['pull_request', 'pull_request_review_request', 'review_requested'],
        ['pull_request', 'pull_request', 'closed'],
        ['pull_request', 'pull_request', 'reopened'],
      ])
      for (const { payload } of sent) {
        expectFormat('PullRequest', payload.pull_request)
        expectFormat('Repository', payload.repository)
        expectFormat('User', payload.sender)
        expect(payload).toMatchObject({ number, commit_id: '', review: null })
      }
      expect(sent[2]!.payload.changes.title).toEqual({ from: 'T' })
      expect(sent[3]!.payload.changes.ref).toEqual({ from: 'stable' })
      expect(sent[6]!.payload.requested_reviewer.login).toBe('ann')
    })

    it('are one for a review, and look like conversations for single comments', async () => {
      const { number, pulls } = await openChange()
      const comments = [3, 20].map((line) => ({ path: 'a.ts', body: 'A', new_position: line }))
      const sent = await deliver(['pull_request', 'issues'], async () => {
        const { body } = await post(number, { event: 'REQUEST_CHANGES', body: 'Sum', comments })
        const [first] = forge.pullRequest(repo, number).inlineComments
        forge.replyToComment(repo, number, first!.id, { author: 'ben', body: 'Why?' })
        await call('PATCH', `${base}/issues/comments/${first!.id}`, { body: { body: 'B' } })
        forge.resolveThread(repo, number, first!.id, 'ann')
        await call('POST', `${pulls}/reviews/${body.id}/dismissals`, { body: {} })
        forge.comment(repo, number, 'ben', 'Text')
        forge.comment(repo, forge.openIssue(repo, { title: 'I', author: 'ben' }), 'ben', 'Text')
      })
      expect(named(sent)).toEqual([
        ['pull_request_rejected', 'pull_request_review_rejected', 'reviewed'],
        ['issue_comment', 'pull_request_comment', 'created'],
        ['issue_comment', 'pull_request_comment', 'edited'],
        ['pull_request_rejected', 'pull_request_review_rejected', 'reviewed'],
        ['issue_comment', 'pull_request_comment', 'created'],
        ['issues', 'issues', 'opened'],
        ['issue_comment', 'issue_comment', 'created'],
      ])
      expect(sent[0]!.payload.review).toEqual({
        type: 'pull_request_review_rejected',
        content: 'Sum',
      })
      expect(sent[2]!.payload.changes.body).toEqual({ from: 'A' })
      expect(sent[3]!.payload.sender.login).toBe('ann')
      for (const index of [1, 2, 4, 6]) {
        expectFormat('Comment', sent[index]!.payload.comment)
        expectFormat('Issue', sent[index]!.payload.issue)
        expect(sent[index]!.payload.is_pull).toBe(index !== 6)
      }
    })

    it('are sent for pushes and branches', async () => {
      const sent = await deliver(['push', 'create', 'delete'], async () => {
        await forge.push(repo, 'topic', { 'b.md': 'b\n' })
        await forge.push(repo, 'topic', { 'b.md': 'c\n' })
        await forge.deleteBranch(repo, 'topic')
      })
      expect(sent.map(({ headers }) => headers['x-gitea-event'])).toEqual([
        ...['create', 'push', 'push', 'delete'],
      ])
      expect(sent[0]!.payload.ref).toBe(isGitea ? 'topic' : 'refs/heads/topic')
      expect(sent[2]!.payload.commits).toMatchObject([{ modified: ['b.md'] }])
    })
  })

  describe('sign-in', () => {
    const redirect = 'http://127.0.0.1:9/cb'
    const verifier = randomBytes(32).toString('base64url')

    async function authorize(
      more: Readonly<Record<string, string>> = {},
      app = forge.createOAuthApp({ callbackUrl: redirect }),
    ) {
      const query = new URLSearchParams({
        ...{ client_id: app.clientId, redirect_uri: redirect, response_type: 'code', state: 's&' },
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        ...{ code_challenge_method: 'S256', ...more },
      })
      const address = `${forge.url}/login/oauth/authorize?${query}`
      const { headers, status } = await fetch(address, { redirect: 'manual' })
      const location = headers.get('location')
      return { app, status, back: location === null ? null : new URL(location) }
    }

    async function exchange(app: { clientId: string; clientSecret: string }, more: Json) {
      const response = await fetch(`${forge.url}/login/oauth/access_token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ client_id: app.clientId, client_secret: app.clientSecret },
          ...{ grant_type: 'authorization_code', redirect_uri: redirect, code_verifier: verifier },
          ...more,
        }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, string> }
    }

    it('exchanges a code once, for a token that ends after an hour', async () => {
      forge.signInAs('ann')
      const { app, back } = await authorize()
      expect(back!.searchParams.get('state')).toBe('s&')
      const code = back!.searchParams.get('code')!
      // A wrong verifier doesn't use the code up.
      expect(await exchange(app, { code, code_verifier: 'x'.repeat(43) })).toMatchObject({
        status: 400,
        body: { error_description: 'failed PKCE code challenge' },
      })
      expect((await exchange(app, { code, redirect_uri: undefined })).body.error).toBe(
        isGitea ? 'invalid_grant' : 'unauthorized_client',
      )
      const { body, status } = await exchange(app, { code })
      expect(status).toBe(200)
      expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
      expect(body.access_token).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/)
      const token = body.access_token!
      expect((await call('GET', '/user', { token })).body.login).toBe('ann')
      expect((await exchange(app, { code })).body.error_description).toBe(
        'client is not authorized',
      )
      const { stdout } = await run('git', ['ls-remote', forge.cloneUrl(repo), 'main'], {
        env: {
          ...{ PATH: process.env.PATH, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' },
          ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader' },
          GIT_CONFIG_VALUE_0: `Authorization: Basic ${btoa(`oauth2:${token}`)}`,
        },
      })
      expect(stdout).toMatch(/refs\/heads\/main/)
      forge.shiftClock(3_600_000)
      expect((await call('GET', '/user', { token })).status).toBe(401)
    })

    it('renews a sign-in with a token that works once at Forgejo alone', async () => {
      forge.signInAs('ann')
      const { app, back } = await authorize()
      const first = await exchange(app, { code: back!.searchParams.get('code') })
      const renew = (token: string) =>
        exchange(app, { grant_type: 'refresh_token', refresh_token: token })
      const second = await renew(first.body.refresh_token!)
      expect(second.status).toBe(200)
      expect(second.body.refresh_token).not.toBe(first.body.refresh_token)
      // The former access token stays.
      const token = first.body.access_token!
      expect((await call('GET', '/user', { token })).status).toBe(200)
      const again = await renew(first.body.refresh_token!)
      expect(again.status).toBe(isGitea ? 200 : 400)
      if (!isGitea) expect(again.body.error_description).toBe('token was already used')
      expect((await renew('garbage')).body.error_description).toBe('unable to parse refresh token')
      const wrong = { ...app, clientSecret: 'wrong' }
      const refused = await exchange(wrong, { grant_type: 'refresh_token', refresh_token: 'x' })
      expect(refused.body.error).toBe('invalid_client')
    })

    it('has one grant of a person for an application, which the person can revoke', async () => {
      forge.signInAs('ann')
      const app = forge.createOAuthApp({ callbackUrl: redirect })
      const signIn = async () => {
        const { back } = await authorize({}, app)
        return (await exchange(app, { code: back!.searchParams.get('code') })).body
      }
      const renew = (token: string, client = app) =>
        exchange(client, { grant_type: 'refresh_token', refresh_token: token })
      const [first, second] = [await signIn(), await signIn()]
      // A second sign-in uses up what renews the first one, where that can be used up.
      expect((await renew(first.refresh_token!)).status).toBe(isGitea ? 200 : 400)
      expect((await call('GET', '/user', { token: first.access_token })).status).toBe(200)
      const other = forge.createOAuthApp({ callbackUrl: redirect })
      expect((await renew(second.refresh_token!, other)).body.error).toBe('invalid_grant')
      const third = (await renew(second.refresh_token!)).body
      forge.revokeGrants('ann')
      expect((await call('GET', '/user', { token: third.access_token })).status).toBe(401)
      for (const { refresh_token: token } of [second, third])
        expect((await renew(token!)).body.error_description).toBe('grant does not exist')
    })

    it('refuses what is not registered, and redirects when a person refuses', async () => {
      forge.signInAs('ann')
      const other = await authorize({ redirect_uri: 'http://127.0.0.1:9/other' })
      expect(other).toMatchObject({ status: 400, back: null })
      expect((await authorize({ client_id: 'none' })).status).toBe(400)
      forge.denyNextSignIn()
      expect((await authorize()).back!.searchParams.get('error')).toBe('access_denied')
    })
  })
})
