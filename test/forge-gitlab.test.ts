// The fake forge in GitLab's dialect: projects in groups, merge requests, notes on the diff,
// statuses, hooks and sign-in. GitLab's published description is checked after each test.
import { execFile } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Forge, replyWith, startForge } from './fakes/forge/forge.ts'
import { type CallOptions, callForge, startReceiver } from './forge-calls.ts'
import { createDescriptionCheck } from './gitlab/description.ts'

const run = promisify(execFile)
const repo = 'acme/tools/shop'
const project = `/projects/${encodeURIComponent(repo)}`
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`)

let forge: Forge
let check: ReturnType<typeof createDescriptionCheck>

beforeEach(async () => {
  check = createDescriptionCheck()
  forge = await startForge({ dialect: 'gitlab', observe: check.observe })
  for (const login of ['ann', 'ben', 'eve']) forge.createUser(login, { token: `${login}-token` })
  await forge.createRepository(repo, { private: true, admins: ['ann'], writers: ['ben'] })
  const files = { 'a.ts': numbered(40).join(''), 'docs/gone.md': 'old\n' }
  await forge.push(repo, 'main', files, { author: 'ann' })
})

afterEach(async () => {
  await forge.close()
  expect(check.problems()).toEqual([])
})

const call = (method: string, path: string, options: CallOptions = {}) =>
  callForge(forge, method, path, {
    ...options,
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
  })

const get = (path: string, options?: CallOptions) => call('GET', path, options)
const post = (path: string, body: unknown, options: CallOptions = {}) =>
  call('POST', path, { ...options, body })
const put = (path: string, body: unknown, options: CallOptions = {}) =>
  call('PUT', path, { ...options, body })

/** Opens a merge request that changes lines 3 and 20 of a.ts and removes a file. */
async function openChange(): Promise<{ at: string; iid: number; sha: string }> {
  const changed = numbered(40)
  changed[2] = 'changed 3\n'
  changed[19] = 'changed 20\n'
  const files = { 'a.ts': changed.join(''), 'docs/gone.md': null }
  const sha = await forge.push(repo, 'topic', files, { author: 'ben' })
  const input = { repo, head: 'topic', title: 'A change', author: 'ben' }
  const iid = await forge.openPullRequest(input)
  return { iid, sha, at: `${project}/merge_requests/${iid}` }
}

const digest = (path: string) => createHash('sha1').update(path).digest('hex')

/** The position of a note in the current diff. */
async function positionAt(at: string, lines: { old_line?: number; new_line?: number }) {
  const { body } = await get(at)
  return { ...body.diff_refs, position_type: 'text', old_path: 'a.ts', new_path: 'a.ts', ...lines }
}

const comment = async (at: string, lines: { old_line?: number; new_line?: number }, more = {}) =>
  await post(`${at}/discussions`, {
    body: 'Look here.',
    position: { ...(await positionAt(at, lines)), ...more },
  })

describe('projects', () => {
  it('are found by number, and by a path of any depth', async () => {
    const { body: found } = await get(project)
    expect(found).toMatchObject({
      path: 'shop',
      path_with_namespace: repo,
      name_with_namespace: 'acme / tools / shop',
      visibility: 'private',
      default_branch: 'main',
      namespace: { kind: 'group', full_path: 'acme/tools', path: 'tools' },
      permissions: { project_access: { access_level: 50 } },
    })
    expect((await get(`/projects/${found.id}`)).body).toEqual(found)
    expect(found.http_url_to_repo).toBe(forge.cloneUrl(repo))
  })

  it('that nobody may see are not found, and need no account where they are public', async () => {
    const missing = { status: 404, body: { message: '404 Project Not Found' } }
    expect(await get(project, { token: 'eve-token' })).toMatchObject(missing)
    expect(await get(project, { token: null })).toMatchObject(missing)
    forge.setPrivate(repo, false)
    const { body, status } = await get(project, { token: null })
    expect([status, body.permissions]).toEqual([200, undefined])
    expect((await get(`${project}/nothing`)).body).toEqual({ error: '404 Not Found' })
  })

  it('redirect what reads from a former path, and refuse what writes there', async () => {
    const { body } = await get(project)
    forge.renameRepository(repo, 'acme/store')
    const moved = await get(`${project}/repository/branches?page=1`)
    expect(moved.status).toBe(301)
    expect(moved.headers.get('location')).toBe(
      `${forge.apiUrl}/projects/${body.id}/repository/branches?page=1`,
    )
    expect(await post(`${project}/labels`, { name: 'a', color: '#fff' })).toMatchObject({
      status: 405,
      body: { message: 'Non GET methods are not allowed for moved projects' },
    })
  })

  it('are listed by membership and role, in pages and by key', async () => {
    for (const name of ['one', 'two', 'three']) await forge.createRepository(`ben/${name}`)
    const names = (list: { path: string }[]) => list.map(({ path }) => path)
    const mine = await get('/projects?membership=true&order_by=id&sort=asc')
    expect(names(mine.body)).toEqual(['shop'])
    const some = await get('/projects?min_access_level=40', { token: 'ben-token' })
    expect(names(some.body).sort()).toEqual(['one', 'three', 'two'])
    const page = await get('/projects?per_page=2&page=2&order_by=id&sort=asc&simple=true')
    expect(names(page.body)).toEqual(['two', 'three'])
    const fields = ['x-total', 'x-total-pages', 'x-page', 'x-next-page', 'x-prev-page']
    expect(fields.map((name) => page.headers.get(name))).toEqual(['4', '2', '2', '', '1'])
    expect(page.headers.get('link')).toContain('rel="prev"')
    const first = await get('/projects?pagination=keyset&order_by=id&sort=asc&per_page=3')
    expect(first.headers.get('x-total')).toBeNull()
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(names((await get(next)).body)).toEqual(['three'])
    expect((await get('/projects?pagination=keyset&order_by=name')).status).toBe(405)
  })

  it('show the role of a member, and nothing about others', async () => {
    const people = (await get('/users?username=ben')).body
    expect(people).toMatchObject([{ username: 'ben', state: 'active' }])
    const member = await get(`${project}/members/all/${people[0].id}`)
    expect(member.body).toMatchObject({ username: 'ben', access_level: 30 })
    const [eve] = (await get('/users?username=eve')).body
    expect(await get(`${project}/members/all/${eve.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })
})

describe('tokens', () => {
  it('work in their own header, as bearer, and over git', async () => {
    const own = await get('/user', { token: null, headers: { 'private-token': 'ben-token' } })
    expect(own.body).toMatchObject({ username: 'ben', bot: false })
    expect(forge.requests.at(-1)?.login).toBe('ben')
    expect((await get('/version')).body).toMatchObject({ version: expect.any(String) })
    const folder = await mkdtemp(join(tmpdir(), 'gitlab-'))
    const address = forge.cloneUrl(repo).replace('http://', 'http://oauth2:ben-token@')
    await run('git', ['clone', '--quiet', address, folder])
    const { iid, sha } = await openChange()
    await run('git', ['fetch', '--quiet', 'origin', `refs/merge-requests/${iid}/head`], {
      cwd: folder,
    })
    const { stdout } = await run('git', ['rev-parse', 'FETCH_HEAD'], { cwd: folder })
    expect(stdout.trim()).toBe(sha)
    await rm(folder, { recursive: true })
  })

  it('that are unknown, or may do too little, are refused in two formats', async () => {
    expect(await get('/user', { token: 'nobody' })).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    forge.createUser('ben', { token: 'reader', scopes: ['read_api'] })
    const own = await get('/personal_access_tokens/self', { token: 'reader' })
    expect(own.body).toMatchObject({ scopes: ['read_api'], active: true })
    expect((await get(project, { token: 'reader' })).status).toBe(200)
    expect(await post(`${project}/labels`, {}, { token: 'reader' })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    })
  })

  it('of a sign-in end after two hours, and are renewed once', async () => {
    const callbackUrl = 'http://localhost/back'
    const app = forge.createOAuthApp({ callbackUrl })
    forge.signInAs('ben')
    const verifier = randomBytes(32).toString('base64url')
    const asked = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: callbackUrl,
      response_type: 'code',
      scope: 'api',
      state: 'abc',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const back = await fetch(`${forge.url}/oauth/authorize?${asked}`, { redirect: 'manual' })
    const target = new URL(back.headers.get('location')!)
    expect(target.searchParams.get('state')).toBe('abc')
    const exchange = (fields: Record<string, string>) =>
      fetch(`${forge.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id: app.clientId,
          client_secret: app.clientSecret,
          redirect_uri: callbackUrl,
          ...fields,
        }),
      })
    const code = target.searchParams.get('code')!
    const granted = await exchange({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
    })
    const first = (await granted.json()) as Record<string, string>
    expect(first).toMatchObject({ token_type: 'Bearer', expires_in: 7200, scope: 'api' })
    const again = await exchange({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
    })
    expect([again.status, await again.json()]).toMatchObject([400, { error: 'invalid_grant' }])
    forge.shiftClock(7_200_001)
    const expired = await get('/user', { token: first.access_token! })
    expect(expired).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(expired.body.error_description).toMatch(/expired/)
    const renew = { grant_type: 'refresh_token', refresh_token: first.refresh_token! }
    const second = (await (await exchange(renew)).json()) as Record<string, string>
    expect((await get('/user', { token: second.access_token! })).body.username).toBe('ben')
    const self = await get('/personal_access_tokens/self', { token: second.access_token! })
    expect(self.body.message).toMatch(/requires token type to be a personal access token/)
    expect((await exchange(renew)).status).toBe(400)
    const third = { grant_type: 'refresh_token', refresh_token: second.refresh_token! }
    expect((await exchange(third)).status).toBe(200)
    const replaced = await get('/user', { token: second.access_token! })
    expect(replaced.body.error_description).toMatch(/revoked/)
  })
})

describe('merge requests', () => {
  it('show the three commits of their diff, and drafts by their title', async () => {
    const { at, iid, sha } = await openChange()
    const { body } = await get(at)
    const main = (await forge.branches(repo)).get('main')
    expect(body).toMatchObject({
      iid,
      title: 'A change',
      state: 'opened',
      draft: false,
      sha,
      source_branch: 'topic',
      target_branch: 'main',
      detailed_merge_status: 'mergeable',
      changes_count: '2',
      diff_refs: { base_sha: main, start_sha: main, head_sha: sha },
      references: { short: `!${iid}`, full: `${repo}!${iid}` },
      web_url: `${forge.url}/${repo}/-/merge_requests/${iid}`,
    })
    const draft = await put(at, { title: 'Draft: A change' })
    expect(draft.body).toMatchObject({ draft: true, detailed_merge_status: 'draft_status' })
    expect(forge.pullRequest(repo, iid)).toMatchObject({ draft: true, title: 'Draft: A change' })
    forge.markReadyForReview(repo, iid, 'ben')
    expect((await get(at)).body).toMatchObject({ draft: false, title: 'A change' })
    expect((await get(`${project}/merge_requests/99`)).body).toEqual({ message: '404 Not found' })
  })

  it('are listed by state, time and branch', async () => {
    const { iid } = await openChange()
    const list = async (query: string) =>
      (await get(`${project}/merge_requests?${query}`)).body.map((one: { iid: number }) => one.iid)
    expect(await list('state=opened&source_branch=topic&order_by=updated_at&sort=asc')).toEqual([
      iid,
    ])
    expect(await list('state=merged')).toEqual([])
    expect(await list(`updated_after=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
    expect((await get(`${project}/merge_requests?state=open`)).body).toEqual({
      error: 'state does not have a valid value',
    })
  })

  it('give their diff in pages and whole, their commits, and a version for each push', async () => {
    const { at, sha } = await openChange()
    const first = await get(`${at}/diffs?per_page=1`)
    expect(first.body).toMatchObject([
      { new_path: 'a.ts', old_path: 'a.ts', new_file: false, a_mode: '100644', b_mode: '100644' },
    ])
    expect(first.body[0].diff).toMatch(/^@@ -1,6 \+1,6 @@\n line 1\n/)
    expect(first.headers.get('x-next-page')).toBe('2')
    const second = await get(`${at}/diffs?per_page=1&page=2`)
    expect(second.body).toMatchObject([{ deleted_file: true, b_mode: '0' }])
    expect((await get(`${at}/raw_diffs`)).body).toMatch(/^diff --git a\/a.ts b\/a.ts\n/)
    const later = await forge.push(repo, 'topic', { 'b.ts': 'new\n' }, { author: 'ben' })
    const ids = (await get(`${at}/commits`)).body.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([later, sha])
    const versions = (await get(`${at}/versions`)).body
    expect(versions.map((one: Record<string, string>) => one.head_commit_sha)).toEqual([later, sha])
    const old = await get(`${at}/versions/${versions[1].id}`)
    expect(old.body.diffs).toHaveLength(2)
  })

  it('are opened once for two branches', async () => {
    const { iid } = await openChange()
    const input = { source_branch: 'topic', target_branch: 'main', title: 'Again' }
    expect(await post(`${project}/merge_requests`, input)).toMatchObject({
      status: 409,
      body: { message: [expect.stringContaining('Another open merge request already exists')] },
    })
    forge.closePullRequest(repo, iid, 'ben')
    expect((await post(`${project}/merge_requests`, input)).status).toBe(201)
    expect((await post(`${project}/merge_requests`, { title: 'x' })).body).toEqual({
      error: 'source_branch is missing, target_branch is missing',
    })
    expect((await post(`${project}/merge_requests`, input, { token: 'eve-token' })).status).toBe(
      404,
    )
  })

  it('are closed, opened again and merged by their developers', async () => {
    const { at, sha } = await openChange()
    expect((await put(at, { state_event: 'close' })).body).toMatchObject({
      state: 'closed',
      closed_by: { username: 'ann' },
    })
    expect((await put(`${at}/merge`, {})).status).toBe(405)
    expect((await put(at, { state_event: 'reopen' })).body.state).toBe('opened')
    expect((await put(at, {})).status).toBe(400)
    forge.setPermission(repo, 'eve', 'read')
    expect((await put(at, { title: 'Mine' }, { token: 'eve-token' })).body).toEqual({
      message: '403 Forbidden',
    })
    expect(await put(`${at}/merge`, { sha: '0'.repeat(40) })).toMatchObject({ status: 409 })
    const merged = await put(`${at}/merge`, { sha })
    expect(merged.body).toMatchObject({ state: 'merged', merged_by: { username: 'ann' } })
  })

  it('have a page below their project', async () => {
    const { at } = await openChange()
    const { body } = await get(at)
    expect(await (await fetch(body.web_url)).text()).toContain('A change')
    expect((await fetch(`${body.web_url}9`)).status).toBe(404)
  })

  it('stay open without their branch', async () => {
    const { at } = await openChange()
    await forge.deleteBranch(repo, 'topic')
    expect((await get(at)).body.state).toBe('opened')
  })
})

describe('notes', () => {
  it('are written, listed from the newest on, changed and removed', async () => {
    const { at, iid } = await openChange()
    const made = await post(`${at}/notes`, { body: 'Hello' })
    expect(made).toMatchObject({
      status: 201,
      body: { type: null, system: false, resolvable: false },
    })
    const id = forge.comment(repo, iid, 'ben', 'Thanks')
    const list = (await get(`${at}/notes?activity_filter=only_comments`)).body
    expect(list.map((note: { body: string }) => note.body)).toEqual(['Thanks', 'Hello'])
    const edited = await put(`${at}/notes/${made.body.id}`, { body: 'Hello all' })
    expect(edited.body.body).toBe('Hello all')
    expect(
      (await put(`${at}/notes/${made.body.id}`, { body: 'x' }, { token: 'ben-token' })).status,
    ).toBe(403)
    expect((await call('DELETE', `${at}/notes/${id}`, { token: 'ben-token' })).status).toBe(204)
    expect((await get(`${at}/notes/${id}`)).body).toEqual({ message: '404 Not found' })
    expect((await get(`${at}/notes`, { token: null })).status).toBe(404)
  })

  it('are refused where they are empty, with an error in Ruby', async () => {
    const { at } = await openChange()
    expect((await post(`${at}/notes`, {})).body).toEqual({ error: 'body is missing' })
    expect(await post(`${at}/notes`, { body: ' ' })).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - Note {:note=>["can't be blank"]}` },
    })
  })

  it('of a whole project are events, by day', async () => {
    const { at, iid } = await openChange()
    forge.comment(repo, iid, 'ben', 'Plain')
    await comment(at, { new_line: 3 })
    const events = (query: string) => get(`${project}/events?action=commented&${query}`)
    expect((await events('sort=asc')).body).toMatchObject([
      { action_name: 'commented on', target_type: 'Note', note: { body: 'Plain' } },
      { target_type: 'DiffNote', author_username: 'ann', note: { noteable_iid: iid } },
    ])
    const day = (shift: number) => new Date(Date.now() + shift * 86_400_000).toISOString()
    expect((await events(`after=${day(-2)}`)).body).toHaveLength(2)
    expect((await events(`after=${day(1)}`)).body).toEqual([])
    expect((await events(`before=${day(-1)}`)).body).toEqual([])
  })

  it('of the server name pushes and titles, and cannot be changed', async () => {
    const { at } = await openChange()
    await put(at, { title: 'Another title' })
    const [note] = (await get(`${at}/notes?activity_filter=only_activity`)).body
    expect(note).toMatchObject({ system: true, author: { username: 'ann' } })
    expect(note.body).toMatch(/^changed title from/)
    expect((await put(`${at}/notes/${note.id}`, { body: 'x' })).status).toBe(403)
  })

  it('carry out the commands in them, outside of code', async () => {
    const { at, iid } = await openChange()
    const kept = await post(`${at}/notes`, { body: 'See:\n```\n/close\n```\n/label ~bug' })
    expect(kept.body.body).toBe('See:\n```\n/close\n```')
    expect(forge.pullRequest(repo, iid)).toMatchObject({ state: 'open', labels: ['bug'] })
    const tildes = await post(`${at}/notes`, { body: '~~~\n/label ~big\n~~~\n> /close' })
    expect(tildes.body.body).toBe('~~~\n~~~\n> /close')
    expect(forge.pullRequest(repo, iid)).toMatchObject({ state: 'open', labels: ['bug', 'big'] })
    const command = await post(`${at}/notes`, { body: '/close' })
    expect(command).toMatchObject({ status: 202, body: { commands_changes: { close: true } } })
    expect(forge.pullRequest(repo, iid).state).toBe('closed')
    const note = `${at}/notes/${kept.body.id}`
    expect((await put(note, { body: 'Again\n/reopen' })).body.body).toBe('Again')
    expect(forge.pullRequest(repo, iid)).toMatchObject({
      state: 'open',
      comments: [{ body: 'Again' }, {}],
    })
    expect((await put(note, { body: '/draft' })).status).toBe(202)
    expect(forge.pullRequest(repo, iid)).toMatchObject({ draft: true, comments: [{}] })
  })

  it('take emoji, of one name once', async () => {
    const { at, iid } = await openChange()
    const id = forge.comment(repo, iid, 'ben', 'Please review')
    const emoji = `${at}/notes/${id}/award_emoji`
    expect((await post(emoji, { name: 'thumbsup' })).body).toMatchObject({
      name: 'thumbsup',
      user: { username: 'ann' },
    })
    const [seen] = forge.pullRequest(repo, iid).comments
    expect(seen?.reactions).toEqual([{ author: 'ann', content: '+1' }])
    expect(await post(emoji, { name: 'thumbsup' })).toMatchObject({ status: 404 })
    const [award] = (await get(emoji)).body
    expect((await call('DELETE', `${emoji}/${award.id}`, { token: 'ben-token' })).status).toBe(401)
    expect((await call('DELETE', `${emoji}/${award.id}`)).status).toBe(204)
  })

  it('are listed later where tests delay lists', async () => {
    const { at } = await openChange()
    forge.lists.showUntil = performance.now()
    const { body } = await post(`${at}/discussions`, { body: 'A thread' })
    expect((await get(`${at}/discussions`)).body).toEqual([])
    const note = `${at}/notes/${body.notes[0].id}`
    expect((await put(note, { body: 'A better thread' })).status).toBe(200)
    forge.lists.showUntil = Number.POSITIVE_INFINITY
    expect((await get(`${at}/discussions`)).body).toMatchObject([{ id: body.id }])
  })
})

describe('notes on the diff', () => {
  it('take added and removed lines with one number, and unchanged ones with both', async () => {
    const { at } = await openChange()
    const added = await comment(at, { new_line: 3 })
    expect(added).toMatchObject({
      status: 201,
      body: {
        individual_note: false,
        notes: [
          {
            type: 'DiffNote',
            resolvable: true,
            resolved: false,
            position: { new_line: 3, old_line: null, new_path: 'a.ts', line_range: null },
          },
        ],
      },
    })
    expect((await comment(at, { old_line: 3 })).status).toBe(201)
    expect((await comment(at, { old_line: 2, new_line: 2 })).status).toBe(201)
    // Far from any change.
    expect((await comment(at, { old_line: 35, new_line: 35 })).status).toBe(201)
    const gone = { old_path: 'docs/gone.md', new_path: 'docs/gone.md' }
    expect((await comment(at, { old_line: 1 }, gone)).status).toBe(201)
  })

  it('are refused elsewhere: an unchanged line with one number, other files, other commits', async () => {
    const { at } = await openChange()
    const refused = {
      status: 400,
      body: {
        message: `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`,
      },
    }
    expect(await comment(at, { new_line: 2 })).toMatchObject(refused)
    expect(await comment(at, { new_line: 99 })).toMatchObject(refused)
    expect(await comment(at, { old_line: 35, new_line: 36 })).toMatchObject(refused)
    const other = { old_path: 'b.ts', new_path: 'b.ts' }
    expect(await comment(at, { new_line: 1 }, other)).toMatchObject(refused)
    expect(await comment(at, { new_line: 3 }, { head_sha: '1'.repeat(40) })).toMatchObject(refused)
    const without = await comment(at, { new_line: 3 }, { base_sha: undefined, start_sha: null })
    expect(without.body).toEqual({
      error: 'position[base_sha] is missing, position[start_sha] is missing',
    })
  })

  it('need both paths of a renamed file, but for lines that count as added', async () => {
    await forge.push(repo, 'rename', { 'a.ts': null, 'c.ts': `${numbered(40).join('')}end\n` })
    const iid = await forge.openPullRequest({ repo, head: 'rename', author: 'ben' })
    const at = `${project}/merge_requests/${iid}`
    const context = { old_line: 40, new_line: 40 }
    const both = { old_path: 'a.ts', new_path: 'c.ts' }
    expect((await comment(at, context, both)).status).toBe(201)
    expect((await comment(at, context, { ...both, old_path: 'c.ts' })).status).toBe(400)
  })

  it('span lines by their codes, and move with the lines of a push', async () => {
    const { at, iid } = await openChange()
    const name = digest('a.ts')
    const range = {
      start: { line_code: `${name}_2_2`, type: 'new', old_line: 2, new_line: 2 },
      end: { line_code: `${name}_4_3`, type: 'new', new_line: 3 },
    }
    const made = await comment(at, { new_line: 3 }, { line_range: range })
    expect(made.body.notes[0].position.line_range.end.line_code).toBe(`${name}_4_3`)
    expect(forge.pullRequest(repo, iid).inlineComments[0]).toMatchObject({
      path: 'a.ts',
      side: 'RIGHT',
      line: 3,
      startLine: 2,
    })
    const changed = ['first\n', ...numbered(40)]
    changed[3] = 'changed 3\n'
    const sha = await forge.push(repo, 'topic', { 'a.ts': changed.join('') }, { author: 'ben' })
    const [moved] = (await get(`${at}/discussions/${made.body.id}`)).body.notes
    expect(moved.position).toMatchObject({ head_sha: sha, new_line: 4, old_line: null })
    const last = await forge.push(
      repo,
      'topic',
      { 'a.ts': numbered(40).join('') },
      { author: 'ben' },
    )
    const [outdated] = (await get(`${at}/discussions/${made.body.id}`)).body.notes
    expect(outdated.position.head_sha).not.toBe(last)
    expect(outdated.position.new_line).toBe(3)
  })

  it('are answered and resolved; notes outside of threads are not resolvable', async () => {
    const { at, iid } = await openChange()
    const { body: thread } = await comment(at, { new_line: 3 })
    const discussion = `${at}/discussions/${thread.id}`
    const reply = await post(`${discussion}/notes`, { body: 'Done' }, { token: 'ben-token' })
    expect(reply).toMatchObject({ status: 201, body: { type: 'DiffNote', body: 'Done' } })
    const resolved = await call('PUT', `${discussion}?resolved=true`, { token: 'ben-token' })
    expect(resolved.body.notes).toMatchObject([
      { resolved: true, resolved_by: { username: 'ben' }, resolved_at: expect.any(String) },
      { resolved: true },
    ])
    expect(forge.pullRequest(repo, iid).threads).toMatchObject([{ resolvedBy: 'ben' }])
    const first = `${discussion}/notes/${thread.notes[0].id}`
    expect((await put(first, { resolved: false })).body.resolved).toBe(false)
    forge.setPermission(repo, 'eve', 'read')
    expect((await put(discussion, { resolved: true }, { token: 'eve-token' })).status).toBe(403)
    forge.comment(repo, iid, 'ben', 'By itself')
    const single = (await get(`${at}/discussions`)).body.find(
      (one: { individual_note: boolean; notes: { system: boolean }[] }) =>
        one.individual_note && !one.notes[0]?.system,
    )
    expect((await put(`${at}/discussions/${single.id}`, { resolved: true })).status).toBe(403)
    await post(`${at}/discussions/${single.id}/notes`, { body: 'An answer' })
    const joined = (await get(`${at}/discussions/${single.id}`)).body
    expect(joined).toMatchObject({
      individual_note: false,
      notes: [{ type: 'DiscussionNote' }, {}],
    })
    expect((await get(`${at}/discussions/nothing`)).body).toEqual({
      message: '404 Discussion Not Found',
    })
  })

  it('show the suggestions in them, with the lines that these replace', async () => {
    const { at } = await openChange()
    const position = await positionAt(at, { new_line: 3 })
    const body = 'Better:\n```suggestion:-1+1\none\ntwo\n```\nor `more`'
    const made = await post(`${at}/discussions`, { body, position })
    expect(made.body.notes[0].suggestions).toMatchObject([
      {
        from_line: 2,
        to_line: 4,
        appliable: true,
        from_content: 'line 2\nchanged 3\nline 4\n',
        to_content: 'one\ntwo\n',
      },
    ])
    const removed = { ...position, new_line: undefined, old_line: 3 }
    const none = await post(`${at}/discussions`, { body, position: removed })
    expect(none.body.notes[0].suggestions).toEqual([])
  })

  it('wait as drafts for one publication, with the state of the reviewer', async () => {
    const { at, iid } = await openChange()
    const position = await positionAt(at, { new_line: 3 })
    await post(`${at}/draft_notes`, { note: 'On a line', position })
    await post(`${at}/draft_notes`, { note: 'In general' })
    expect((await get(`${at}/draft_notes`)).body).toHaveLength(2)
    expect((await get(`${at}/draft_notes`, { token: 'ben-token' })).body).toEqual([])
    const input = { reviewer_state: 'requested_changes' }
    expect((await post(`${at}/draft_notes/bulk_publish`, input)).status).toBe(204)
    const { comments, inlineComments, reviews } = forge.pullRequest(repo, iid)
    expect([comments[0]?.body, inlineComments[0]?.body]).toEqual(['In general', 'On a line'])
    expect(reviews.at(-1)?.state).toBe('CHANGES_REQUESTED')
    expect((await get(`${at}/approvals`)).body.approved).toBe(false)
  })
})

describe('approvals', () => {
  it('are given once, stay after a push, and are withdrawn', async () => {
    const { at, iid } = await openChange()
    expect((await post(`${at}/approve`, { sha: '0'.repeat(40) })).status).toBe(409)
    expect(await post(`${at}/approve`, {})).toMatchObject({
      status: 201,
      body: {
        approved: true,
        user_has_approved: true,
        approved_by: [{ user: { username: 'ann' } }],
      },
    })
    expect(await post(`${at}/approve`, {})).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    await forge.push(repo, 'topic', { 'b.ts': 'new\n' }, { author: 'ben' })
    expect((await get(`${at}/approvals`)).body.approved).toBe(true)
    expect((await post(`${at}/unapprove`, {})).body.approved).toBe(false)
    expect((await post(`${at}/unapprove`, {})).status).toBe(404)
    forge.setPermission(repo, 'eve', 'read')
    expect((await post(`${at}/approve`, {}, { token: 'eve-token' })).status).toBe(403)
    await forge.postReview(repo, iid, { author: 'ben', state: 'APPROVED' })
    expect((await get(`${at}/approvals`)).body.approved_by).toMatchObject([
      { user: { username: 'ben' } },
    ])
    expect((await get(`${at}/status_checks`)).body).toEqual({ error: '404 Not Found' })
  })
})

describe('statuses', () => {
  it('are jobs of a pipeline, which refuse to begin twice', async () => {
    const { at, sha } = await openChange()
    const path = `${project}/statuses/${sha}`
    const send = (state: string, more = {}) => post(path, { state, name: 'umpire', ...more })
    const waiting = await send('pending', { target_url: 'https://ci.example/1' })
    expect(waiting).toMatchObject({ status: 201, body: { status: 'pending', ref: 'topic' } })
    expect(await send('pending')).toMatchObject({
      status: 400,
      body: {
        message: expect.stringMatching(/^Cannot transition status via :enqueue from :pending/),
      },
    })
    const running = await send('running')
    expect(running.body).toMatchObject({ id: waiting.body.id, target_url: 'https://ci.example/1' })
    expect((await send('running')).body.message).toMatch(/via :run from :running/)
    const ended = await send('success', { description: 'No findings' })
    expect(ended.body).toMatchObject({ id: waiting.body.id, finished_at: expect.any(String) })
    const again = await send('failed')
    expect(again.body.id).not.toBe(waiting.body.id)
    const listed = await get(`${project}/repository/commits/${sha}/statuses`)
    expect(listed.body).toMatchObject([{ id: again.body.id, status: 'failed' }])
    expect((await get(at)).body.head_pipeline).toMatchObject({ sha, source: 'external' })
    expect((await get(`${at}/pipelines`)).body).toHaveLength(1)
  })

  it('are refused for unknown states and commits, for long texts, and by role', async () => {
    const { sha } = await openChange()
    const path = `${project}/statuses/${sha}`
    expect((await post(path, { state: 'error' })).body).toEqual({
      error: 'state does not have a valid value',
    })
    expect((await post(path, { state: 'success', description: 'x'.repeat(256) })).body).toEqual({
      message: { description: ['is too long (maximum is 255 characters)'] },
    })
    expect(
      (await post(`${project}/statuses/${'1'.repeat(40)}`, { state: 'success' })).body,
    ).toEqual({
      message: '404 Commit Not Found',
    })
    forge.setPermission(repo, 'eve', 'read')
    const refused = await post(path, { state: 'success' }, { token: 'eve-token' })
    expect(refused.status).toBe(403)
    const main = (await forge.branches(repo)).get('main')
    const onMain = await post(
      `${project}/statuses/${main}`,
      { state: 'success' },
      { token: 'ben-token' },
    )
    expect(onMain.status).toBe(403)
  })

  it('of the head of a fork need the name of its branch', async () => {
    await forge.createRepository('ben/shop', { forkOf: repo })
    const sha = await forge.push('ben/shop', 'fix', { 'b.ts': 'new\n' }, { author: 'ben' })
    await forge.openPullRequest({ repo, head: 'fix', headRepo: 'ben/shop', author: 'ben' })
    const path = `${project}/statuses/${sha}`
    expect((await post(path, { state: 'success' })).body).toEqual({
      message: '404 References for commit Not Found',
    })
    expect((await post(path, { state: 'success', ref: 'fix' })).status).toBe(201)
  })
})

describe('hooks', () => {
  it('are made, shown without their secrets, changed and removed by maintainers', async () => {
    const signing = `whsec_${randomBytes(32).toString('base64')}`
    const input = { url: 'http://localhost/hook', token: 'secret', note_events: true }
    const made = await post(`${project}/hooks`, { ...input, signing_token: signing })
    expect(made).toMatchObject({
      status: 201,
      body: {
        push_events: true,
        note_events: true,
        merge_requests_events: false,
        enable_ssl_verification: true,
        token_present: true,
        signing_token_present: true,
        alert_status: 'executable',
      },
    })
    expect(JSON.stringify(made.body)).not.toContain('whsec_')
    const path = `${project}/hooks/${made.body.id}`
    const change = { push_events: false, merge_requests_events: true }
    expect((await put(path, change)).body).toMatchObject({ ...change, note_events: true })
    expect((await get(`${project}/hooks`)).body).toHaveLength(1)
    const moved = await put(path, { url: 'http://localhost/other' })
    expect(moved.body).toMatchObject({ token_present: false, signing_token_present: true })
    expect((await get(path, { token: 'ben-token' })).body).toEqual({ message: '403 Forbidden' })
    expect((await put(path, {})).body).toEqual({ error: 'No parameters provided' })
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await get(path)).body).toEqual({ message: '404 Not found' })
  })

  it('are refused with bad addresses, bad tokens, and beyond their number', async () => {
    const hooks = `${project}/hooks`
    expect(await post(hooks, { url: 'nowhere' })).toMatchObject({
      status: 422,
      body: { error: 'Invalid url given' },
    })
    const url = 'http://localhost/hook'
    expect(await post(hooks, { url, signing_token: 'whsec_c2hvcnQ=' })).toMatchObject({
      status: 422,
    })
    for (let count = 0; count < 100; count += 1) await post(hooks, { url })
    expect((await post(hooks, { url })).body).toEqual({
      message: { base: ['Maximum number of project hooks (100) exceeded'] },
    })
  })

  it('are sent with their token and a signature, and again with the same key', async () => {
    await using receiver = await startReceiver()
    const key = randomBytes(32)
    const { body: hook } = await post(`${project}/hooks`, {
      url: receiver.url,
      token: 'secret',
      signing_token: `whsec_${key.toString('base64')}`,
      merge_requests_events: true,
      push_events: false,
    })
    await openChange()
    const delivery = await forge.waitForDelivery(({ action }) => action === 'open')
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
    expect(headers).toMatchObject({
      'x-gitlab-token': 'secret',
      'x-gitlab-event': 'Merge Request Hook',
      'x-gitlab-instance': forge.url,
      'x-gitlab-event-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'idempotency-key': delivery.guid,
      'webhook-id': delivery.guid,
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
    })
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    const events = `${project}/hooks/${hook.id}/events`
    const [event] = (await get(events)).body
    expect(event).toMatchObject({
      trigger: 'merge_request_hooks',
      response_status: '200',
      request_headers: { 'X-Gitlab-Token': '[REDACTED]' },
      request_data: { object_kind: 'merge_request' },
    })
    const resent = await post(`${events}/${event.id}/resend`, {})
    expect(resent).toMatchObject({ status: 201, body: { response_status: 200 } })
    const second = receiver.received[1]!
    expect(second.headers['idempotency-key']).toBe(delivery.guid)
    expect(second.headers['x-gitlab-webhook-uuid']).not.toBe(headers['x-gitlab-webhook-uuid'])
    expect((await get(`${events}?status=server_failure`)).body).toEqual([])
  })
})

describe('deliveries', () => {
  /** The deliveries so far: their name, their action, and what changed. */
  const sent = () =>
    forge.deliveries.map(({ action, event, payload }) => ({
      event,
      action,
      attributes: payload.object_attributes as Record<string, unknown>,
      changes: payload.changes as Record<string, unknown> | undefined,
    }))

  it('of a merge request follow its life', async () => {
    forge.addWebhook(repo, { url: 'http://127.0.0.1:1/', events: ['pull_request'] })
    const { iid, sha } = await openChange()
    const [open] = sent()
    expect(open).toMatchObject({
      event: 'Merge Request Hook',
      action: 'open',
      attributes: {
        iid,
        state: 'opened',
        draft: false,
        title: 'A change',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
        last_commit: { id: sha },
        target: { path_with_namespace: repo, default_branch: 'main' },
      },
      changes: {},
    })
    expect(forge.deliveries[0]?.payload).toMatchObject({
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: { username: 'ben', email: '[REDACTED]' },
      project: { path_with_namespace: repo, visibility_level: 0 },
    })
    const later = await forge.push(repo, 'topic', { 'b.ts': 'new\n' }, { author: 'ben' })
    forge.convertToDraft(repo, iid, 'ben')
    forge.addLabel(repo, iid, 'bug', 'ben')
    forge.requestReview(repo, iid, 'ann', 'ben')
    await forge.push(repo, 'stable', { 'c.ts': 'new\n' }, { author: 'ann' })
    await forge.editPullRequest(repo, iid, { base: 'stable' }, 'ben')
    await forge.postReview(repo, iid, { author: 'ann', state: 'APPROVED' })
    forge.closePullRequest(repo, iid, 'ben')
    await forge.reopenPullRequest(repo, iid, 'ben')
    const [, push, draft, label, reviewer, branch, ...rest] = sent()
    expect(push).toMatchObject({ action: 'update', attributes: { oldrev: sha }, changes: {} })
    expect(push?.attributes.last_commit).toMatchObject({ id: later })
    expect(draft?.attributes.oldrev).toBeUndefined()
    expect(draft?.changes).toEqual({
      title: { previous: 'A change', current: 'Draft: A change' },
      draft: { previous: false, current: true },
    })
    expect(label?.changes).toMatchObject({ labels: { previous: [], current: [{ title: 'bug' }] } })
    expect(reviewer?.changes).toMatchObject({
      reviewers: { previous: [], current: [{ username: 'ann' }] },
    })
    expect(branch?.changes).toEqual({ target_branch: { previous: 'main', current: 'stable' } })
    expect(rest.map(({ action }) => action)).toEqual(['approved', 'close', 'reopen'])
    forge.markReadyForReview(repo, iid, 'ben')
    await forge.mergePullRequest(repo, iid, 'ann')
    expect(sent().at(-1)).toMatchObject({ action: 'merge', attributes: { state: 'merged' } })
  })

  it('of notes have their place, and follow their changes', async () => {
    forge.addWebhook(repo, { url: 'http://127.0.0.1:1/', events: ['issue_comment'] })
    const { at, iid } = await openChange()
    const { body: thread } = await comment(at, { new_line: 3 })
    const id = forge.replyToComment(repo, iid, thread.notes[0].id, { author: 'ben', body: 'No.' })
    forge.editComment(repo, iid, id, { author: 'ben', body: 'Yes.' })
    forge.deleteComment(repo, iid, id, 'ben')
    expect(sent()).toMatchObject([
      {
        event: 'Note Hook',
        action: 'create',
        attributes: {
          type: 'DiffNote',
          noteable_type: 'MergeRequest',
          discussion_id: thread.id,
          position: { new_line: 3 },
        },
      },
      { action: 'create', attributes: { note: 'No.', discussion_id: thread.id } },
      { action: 'update', attributes: { note: 'Yes.' } },
    ])
    expect(forge.deliveries[0]?.payload).toMatchObject({
      object_kind: 'note',
      merge_request: { iid, state: 'opened' },
    })
  })

  it('of issues and pushes are sent to hooks that asked', async () => {
    forge.addWebhook(repo, { url: 'http://127.0.0.1:1/', events: ['issues', 'push'] })
    const number = forge.openIssue(repo, { title: 'Slow', author: 'ben' })
    const sha = await forge.push(repo, 'main', { 'b.ts': 'new\n' }, { author: 'ann' })
    expect(sent()[0]).toMatchObject({
      event: 'Issue Hook',
      action: 'open',
      attributes: { iid: number, title: 'Slow', state: 'opened' },
    })
    expect(forge.deliveries[1]).toMatchObject({
      event: 'Push Hook',
      payload: {
        object_kind: 'push',
        ref: 'refs/heads/main',
        after: sha,
        user_username: 'ann',
        total_commits_count: 1,
        commits: [{ id: sha, added: ['b.ts'], modified: [], removed: [] }],
      },
    })
    expect((await get(`${project}/issues/${number}`)).body).toMatchObject({ title: 'Slow' })
  })
})

describe('contents', () => {
  it('are listed, folders first, and by key', async () => {
    const list = await get(`${project}/repository/tree?recursive=true&ref=main`)
    const paths = (body: { path: string }[]) => body.map(({ path }) => path)
    expect(paths(list.body)).toEqual(['docs', 'a.ts', 'docs/gone.md'])
    const first = await get(
      `${project}/repository/tree?recursive=true&pagination=keyset&per_page=2`,
    )
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(paths((await get(next)).body)).toEqual(['docs/gone.md'])
    expect((await get(`${project}/repository/tree?ref=nothing`)).body).toEqual({
      message: '404 Tree Not Found',
    })
    expect((await get(`${project}/repository/tree?path=nothing`)).status).toBe(404)
  })

  it('are read as text and with facts, by one encoded path', async () => {
    const file = `${project}/repository/files/docs%2Fgone.md`
    const raw = await get(`${file}/raw?ref=main`)
    expect([raw.body, raw.headers.get('x-gitlab-size')]).toEqual(['old\n', '4'])
    const { body } = await get(`${file}?ref=main`)
    expect(body).toMatchObject({ file_path: 'docs/gone.md', encoding: 'base64', size: 4 })
    expect(Buffer.from(body.content, 'base64').toString()).toBe('old\n')
    expect((await get(`${project}/repository/files/none?ref=main`)).body).toEqual({
      message: '404 File Not Found',
    })
  })

  it('are compared, and have a common commit, languages, authors and a history', async () => {
    const { sha } = await openChange()
    const main = (await forge.branches(repo)).get('main')
    const refs = `refs[]=main&refs[]=${sha}`
    expect((await get(`${project}/repository/merge_base?${refs}`)).body.id).toBe(main)
    expect(await get(`${project}/repository/merge_base?refs[]=main&refs[]=none`)).toMatchObject({
      status: 400,
      body: { message: 'Could not find ref: none' },
    })
    const compared = await get(`${project}/repository/compare?from=main&to=topic`)
    expect(compared.body).toMatchObject({ commits: [{ id: sha }], diffs: [{}, {}] })
    expect((await get(`${project}/languages`)).body).toEqual({ TypeScript: 100 })
    expect((await get(`${project}/repository/contributors`)).body).toMatchObject([
      { name: 'ann', commits: 1, additions: 0, deletions: 0 },
    ])
    const history = await get(`${project}/repository/commits?path=a.ts&ref_name=topic`)
    expect(history.body.map(({ id }: { id: string }) => id)).toEqual([sha, main])
    expect((await get(`${project}/repository/commits/${sha}`)).body.stats).toEqual({
      additions: 2,
      deletions: 3,
      total: 5,
    })
  })
})

describe('limits and faults', () => {
  it('refuse requests beyond the rate with a text, and notes with an object', async () => {
    const { at } = await openChange()
    forge.secondaryLimit.perMinute = 1
    await post(`${at}/notes`, { body: 'one' })
    expect(await post(`${at}/notes`, { body: 'two' })).toMatchObject({
      status: 429,
      body: { message: { error: expect.stringContaining('too many times') } },
    })
    Object.assign(forge.rateLimit, { limit: 10, remaining: 1 })
    const last = await get('/user')
    expect([last.status, last.headers.get('ratelimit-remaining')]).toEqual([200, '0'])
    const refused = await get('/user')
    expect([refused.status, refused.body]).toEqual([429, 'Retry later\n'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('are injected as in all dialects', async () => {
    forge.faults.add({
      match: ({ path }) => path === '/api/v4/user',
      times: 1,
      action: replyWith(502, 'Bad gateway'),
    })
    expect((await get('/user')).status).toBe(502)
    expect((await get('/user')).status).toBe(200)
  })
})
