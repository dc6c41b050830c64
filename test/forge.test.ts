// The fake forge: git, REST, GraphQL, OAuth, deliveries and injected failures.
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  applyThenDrop,
  closeMidBody,
  delayRequest,
  drop,
  type Forge,
  hold,
  htmlPage,
  replyWith,
  startForge,
  truncateBody,
} from './fakes/forge/forge.ts'
import { type CallOptions, callForge, sign, startReceiver } from './forge-calls.ts'
import { createDescriptionCheck, type DescriptionCheck } from './github/check-forge.ts'

const run = promisify(execFile)
const repo = 'acme/shop'
const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`)

let forge: Forge
let check: DescriptionCheck
let folder: string

beforeEach(async () => {
  check = createDescriptionCheck()
  forge = await startForge({ observe: check.observe })
  folder = await mkdtemp(join(tmpdir(), 'forge-test-'))
  forge.createUser('ann', { token: 'ann-token' })
  forge.createUser('ben', { token: 'ben-token' })
  forge.createUser('eve', { token: 'eve-token' })
  await forge.createRepository(repo, { private: true, admins: ['ann'], writers: ['ben'] })
  await forge.push(
    repo,
    'main',
    { 'a.ts': lines(40).join(''), 'gone.md': 'old\n' },
    { author: 'ann' },
  )
})

afterEach(async () => {
  await forge.close()
  expect(check.answerProblems(forge)).toEqual([])
  await rm(folder, { recursive: true, force: true })
})

/** Opens a pull request that changes lines 3 and 20 of a.ts. */
async function openChange(): Promise<{ number: number; sha: string }> {
  const changed = lines(40)
  changed[2] = 'changed 3\n'
  changed[19] = 'changed 20\n'
  const sha = await forge.push(repo, 'topic', { 'a.ts': changed.join('') }, { author: 'ben' })
  return {
    sha,
    number: await forge.openPullRequest({ repo, head: 'topic', title: 'A change', author: 'ben' }),
  }
}

const call = (method: string, path: string, options?: CallOptions) =>
  callForge(forge, method, path, options)

/** Runs git with a token in a header, as the service does. */
async function gitAs(token: string | null, args: string[], cwd = folder): Promise<string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
  const header = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader' }
  const { stdout } = await run('git', args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'ben',
      GIT_AUTHOR_EMAIL: 'ben@users.forge.example',
      GIT_COMMITTER_NAME: 'ben',
      GIT_COMMITTER_EMAIL: 'ben@users.forge.example',
      ...(token === null ? {} : { ...header, GIT_CONFIG_VALUE_0: `Authorization: basic ${basic}` }),
    },
  })
  return stdout.trim()
}

describe('git over HTTP', () => {
  it('clones and pushes with a token and updates pull requests during a push', async () => {
    await using receiver = await startReceiver()
    const { number, sha } = await openChange()
    forge.addWebhook(repo, { url: receiver.url, secret: 's3cret' })
    await gitAs('ben-token', [
      'clone',
      '--quiet',
      '--branch',
      'topic',
      forge.cloneUrl(repo),
      'work',
    ])
    const work = join(folder, 'work')
    expect(await readFile(join(work, 'a.ts'), 'utf8')).toContain('changed 3\n')
    // The file exceeds git's buffer for one request, so git sends it in chunks.
    await writeFile(join(work, 'large.bin'), randomBytes(2_000_000))
    await gitAs(null, ['add', '.'], work)
    await gitAs(null, ['commit', '--quiet', '-m', 'More'], work)
    await gitAs('ben-token', ['push', '--quiet', 'origin', 'topic'], work)
    const head = await gitAs(null, ['rev-parse', 'HEAD'], work)
    expect(forge.pullRequest(repo, number)).toMatchObject({ headSha: head, changedFiles: 2 })
    expect(
      await gitAs('ann-token', ['ls-remote', forge.cloneUrl(repo), `refs/pull/${number}/head`]),
    ).toContain(head)

    const delivery = await forge.waitForDelivery((one) => one.action === 'synchronize')
    expect(delivery.status).toBe(200)
    expect(forge.deliveries).toHaveLength(1)
    const [got] = receiver.received
    expect(got!.headers['x-hub-signature-256']).toBe(sign('s3cret', got!.body))
    expect(got!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': delivery.guid,
      'x-github-hook-installation-target-type': 'repository',
    })
    expect(JSON.parse(got!.body)).toMatchObject({
      action: 'synchronize',
      number,
      before: sha,
      after: head,
      pull_request: {
        number,
        merged: false,
        head: { sha: head, ref: 'topic', repo: { full_name: repo } },
      },
      repository: { full_name: repo },
      sender: { login: 'ben' },
    })
  })

  it('fetches single commits without blobs, as GitHub allows', async () => {
    const sha = await forge.push(repo, 'topic', { 'b.ts': 'one\n' })
    await forge.push(repo, 'topic', { 'b.ts': 'two\n' })
    await gitAs(null, ['init', '--quiet', '--bare', 'mirror'])
    const mirror = join(folder, 'mirror')
    await gitAs(
      'ann-token',
      ['fetch', '--quiet', '--depth=1', '--filter=blob:none', forge.cloneUrl(repo), sha],
      mirror,
    )
    expect(await gitAs(null, ['rev-parse', 'FETCH_HEAD'], mirror)).toBe(sha)
    const objects = await gitAs(
      null,
      ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)'],
      mirror,
    )
    expect(objects.split('\n').sort()).toEqual(['commit', 'tree'])
  })

  it('hides a private repository and accepts pushes only from writers', async () => {
    const url = forge.cloneUrl(repo)
    const info = (token: string | null, service: string) =>
      call('GET', `${url}/info/refs?service=${service}`, { token }).then(({ status }) => status)
    expect(await info(null, 'git-upload-pack')).toBe(401)
    expect(await info('bad', 'git-upload-pack')).toBe(401)
    expect(await info('eve-token', 'git-upload-pack')).toBe(404)
    expect(await info('ben-token', 'git-receive-pack')).toBe(200)
    forge.setPermission(repo, 'eve', 'read')
    expect(await info('eve-token', 'git-upload-pack')).toBe(200)
    expect(await info('eve-token', 'git-receive-pack')).toBe(403)
    await forge.createRepository('acme/open')
    await forge.push('acme/open', 'main', { 'a.txt': 'a\n' })
    expect(await gitAs(null, ['ls-remote', forge.cloneUrl('acme/open')])).toContain(
      'refs/heads/main',
    )
    expect(await info(null, 'git-receive-pack')).toBe(401)
  })

  it('refuses pushes to refs/pull', async () => {
    const { number } = await openChange()
    await gitAs('ben-token', ['clone', '--quiet', forge.cloneUrl(repo), 'work'])
    const push = gitAs(
      'ben-token',
      ['push', 'origin', `HEAD:refs/pull/${number}/head`],
      join(folder, 'work'),
    )
    await expect(push).rejects.toThrow(/hidden ref/)
  })

  it('puts files of any name, mode and content on a branch', async () => {
    const bytes = Buffer.from([0, 255, 10, 13])
    const files = {
      'new\nline "q" \\ ü.bin': bytes,
      run: { mode: '100755', content: '#!/bin/sh\n' },
      'gone.md': null,
    }
    const sha = await forge.push(repo, 'odd', {
      ...files,
      link: { mode: '120000', content: 'a.ts' },
    })
    const { body } = await call('GET', `/repos/${repo}/git/trees/${sha}?recursive=1`)
    const tree = body.tree.map(({ path, mode, size }: Record<string, unknown>) => [
      path,
      mode,
      size,
    ])
    expect(tree).toEqual([
      ['a.ts', '100644', lines(40).join('').length],
      ['link', '120000', 4],
      ['new\nline "q" \\ ü.bin', '100644', 4],
      ['run', '100755', 10],
    ])
  })
})

describe('deliveries', () => {
  it('cover the life cycle of a pull request', async () => {
    await using receiver = await startReceiver()
    forge.addWebhook(repo, { url: receiver.url, secret: 'x' })
    const { number } = await openChange()
    forge.convertToDraft(repo, number)
    forge.markReadyForReview(repo, number)
    await forge.editPullRequest(repo, number, { title: 'Better' })
    forge.closePullRequest(repo, number, 'ann')
    await forge.reopenPullRequest(repo, number)
    const merge = await forge.mergePullRequest(repo, number, 'ann')
    forge.openIssue(repo, { title: 'Broken', author: 'eve' })
    await forge.waitFor(
      () => forge.deliveries.every((one) => one.status === 200) && forge.deliveries.length === 8,
    )
    const actions = forge.deliveries.map((one) => `${one.event}.${one.action}`)
    expect(actions).toEqual([
      'pull_request.opened',
      'pull_request.converted_to_draft',
      'pull_request.ready_for_review',
      'pull_request.edited',
      'pull_request.closed',
      'pull_request.reopened',
      'pull_request.closed',
      'issues.opened',
    ])
    expect(forge.deliveries[0]!.payload).toMatchObject({
      pull_request: {
        title: 'A change',
        user: { login: 'ben' },
        state: 'open',
        draft: false,
        merged: false,
        additions: 2,
        deletions: 2,
        changed_files: 1,
        html_url: `${forge.url}/${repo}/pull/${number}`,
        base: { ref: 'main', repo: { full_name: repo } },
      },
    })
    expect(forge.deliveries[4]!.payload).toMatchObject({
      pull_request: { merged: false, state: 'closed' },
    })
    expect(forge.deliveries[6]!.payload).toMatchObject({
      pull_request: { merged: true, merged_at: expect.any(String), merge_commit_sha: merge },
      sender: { login: 'ann' },
    })
    expect((await forge.branches(repo)).get('main')).toBe(merge)
  })

  it('are sent once and again on request, with the same id and body', async () => {
    await using receiver = await startReceiver(503)
    forge.addWebhook(repo, { url: receiver.url, secret: 'x' })
    await openChange()
    const delivery = await forge.waitForDelivery((one) => one.status === 503)
    expect(delivery.attempts).toMatchObject([{ status: 503, responseBody: 'noted' }])
    await forge.redeliver(delivery.guid)
    expect(delivery.attempts).toHaveLength(2)
    const [first, second] = receiver.received
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['x-github-delivery']).toBe(first!.headers['x-github-delivery'])
  })

  it('record an unreachable receiver and one that never answers', async () => {
    await using silent = await startReceiver(0)
    const gone = await startReceiver()
    await gone[Symbol.asyncDispose]()
    forge.limits.deliveryTimeoutMs = 50
    forge.addWebhook(repo, { url: gone.url })
    forge.addWebhook(repo, { url: silent.url })
    await openChange()
    await forge.waitFor(
      () => forge.deliveries.length === 2 && forge.deliveries.every((one) => one.status === 0),
    )
    expect(forge.deliveries.map((one) => one.attempts[0]!.error)).toEqual([
      expect.any(String),
      expect.any(String),
    ])
    expect(silent.received[0]!.headers['x-hub-signature-256']).toBeUndefined()
  })

  it('are sent as signed forms where the hook asks for that', async () => {
    await using receiver = await startReceiver()
    forge.addWebhook(repo, { url: receiver.url, secret: 'x', contentType: 'form' })
    await openChange()
    await forge.waitForDelivery((one) => one.action === 'opened')
    const { headers, body } = receiver.received[0]!
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(headers['x-hub-signature-256']).toBe(sign('x', body))
    expect(JSON.parse(new URLSearchParams(body).get('payload')!)).toMatchObject({
      action: 'opened',
    })
  })

  it('go to hooks created over the API, after a ping', async () => {
    await using receiver = await startReceiver()
    const hooks = `/repos/${repo}/hooks`
    const config = { url: receiver.url, content_type: 'json', insecure_ssl: '0', secret: 'k' }
    const input = { name: 'web', active: true, events: ['pull_request', 'issues'], config }
    const made = await call('POST', hooks, { body: input })
    expect(made).toMatchObject({
      status: 201,
      body: { active: true, config: { secret: '********' } },
    })
    const ping = await forge.waitForDelivery((one) => one.event === 'ping')
    expect(ping.payload).toMatchObject({ hook_id: made.body.id, repository: { full_name: repo } })
    expect(await call('POST', hooks, { body: input })).toMatchObject({
      status: 422,
      body: {
        message: 'Validation Failed',
        errors: [{ message: 'Hook already exists on this repository' }],
      },
    })
    expect((await call('POST', hooks, { body: input, token: 'ben-token' })).status).toBe(404)
    expect((await call('GET', hooks)).body).toMatchObject([
      { id: made.body.id, events: ['pull_request', 'issues'] },
    ])
    expect((await call('DELETE', `${hooks}/${made.body.id}`)).status).toBe(204)
    expect((await call('DELETE', `${hooks}/${made.body.id}`)).status).toBe(404)
    expect(forge.webhooks(repo)).toEqual([])
  })
})

describe('pull requests', () => {
  it('from a fork bring their commits and outlive the fork', async () => {
    await forge.createRepository('eve/shop', { forkOf: repo })
    const sha = await forge.push('eve/shop', 'mine', { 'b.ts': 'b\n' }, { author: 'eve' })
    const number = await forge.openPullRequest({
      repo,
      headRepo: 'eve/shop',
      head: 'mine',
      author: 'eve',
    })
    expect(forge.pullRequest(repo, number)).toMatchObject({
      headRepo: 'eve/shop',
      headSha: sha,
      changedFiles: 1,
    })
    const { body } = await call('GET', `/repos/${repo}/pulls/${number}`)
    expect(body.head).toMatchObject({
      label: 'eve:mine',
      repo: { full_name: 'eve/shop', fork: true },
    })
    const next = await forge.push('eve/shop', 'mine', { 'b.ts': 'bb\n' }, { author: 'eve' })
    expect((await call('GET', `/repos/${repo}/commits/${next}`)).status).toBe(200)
    await forge.removeRepository('eve/shop')
    expect((await call('GET', `/repos/${repo}/pulls/${number}`)).body.head).toMatchObject({
      sha: next,
      repo: null,
    })
  })

  it('are closed with their branch and merged by a push that contains them', async () => {
    const { number, sha } = await openChange()
    await gitAs('ben-token', ['clone', '--quiet', forge.cloneUrl(repo), 'work'])
    await gitAs(
      'ben-token',
      ['push', '--quiet', 'origin', `${sha}:refs/heads/main`],
      join(folder, 'work'),
    )
    expect(forge.pullRequest(repo, number)).toMatchObject({ merged: true, state: 'closed' })
    await forge.push(repo, 'second', { 'c.ts': 'c\n' })
    const second = await forge.openPullRequest({ repo, head: 'second' })
    await forge.deleteBranch(repo, 'second')
    expect(forge.pullRequest(repo, second)).toMatchObject({ merged: false, state: 'closed' })
    await expect(forge.reopenPullRequest(repo, second)).rejects.toThrow(/gone/)
  })

  it('are opened, edited and closed over the API', async () => {
    await forge.push(repo, 'topic', { 'b.ts': 'b\n' })
    const body = { title: 'By API', head: 'topic', base: 'main', body: 'Why' }
    const made = await call('POST', `/repos/${repo}/pulls`, { body, token: 'ben-token' })
    expect(made).toMatchObject({
      status: 201,
      body: { number: 1, user: { login: 'ben' }, changed_files: 1 },
    })
    expect((await call('POST', `/repos/${repo}/pulls`, { body })).body.errors[0].message).toMatch(
      /already exists/,
    )
    const same = await call('POST', `/repos/${repo}/pulls`, { body: { ...body, base: 'topic' } })
    expect(same.body.errors[0].message).toBe('No commits between topic and topic')
    const none = await call('POST', `/repos/${repo}/pulls`, { body: { ...body, head: 'none' } })
    expect(none).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'head', code: 'invalid' }] },
    })
    await call('PATCH', `/repos/${repo}/pulls/1`, { body: { title: 'New', state: 'closed' } })
    expect(forge.pullRequest(repo, 1)).toMatchObject({ title: 'New', state: 'closed' })
    expect((await call('GET', `/repos/${repo}/pulls`)).body).toEqual([])
    const [listed] = (await call('GET', `/repos/${repo}/pulls?state=all&head=acme:topic`)).body
    expect(listed).toMatchObject({ number: 1 })
    expect(listed).not.toHaveProperty('additions')
    expect((await call('GET', `/repos/${repo}/issues/1`)).body).toMatchObject({
      title: 'New',
      pull_request: {},
    })
  })

  it('show their diff from the merge base and refuse one that is too large', async () => {
    const { number } = await openChange()
    await forge.push(repo, 'main', { 'elsewhere.txt': 'x\n' })
    const path = `/repos/${repo}/pulls/${number}`
    for (const accept of ['application/vnd.github.v3.diff', 'application/vnd.github.diff']) {
      const { body, headers } = await call('GET', path, { accept })
      expect(headers.get('content-type')).toContain('diff')
      expect(body).toContain('-line 3\n+changed 3\n')
      expect(body).not.toContain('elsewhere')
    }
    forge.limits.diffLines = 10
    const long = await call('GET', path, { accept: 'application/vnd.github.diff' })
    expect(long).toMatchObject({
      status: 406,
      body: { errors: [{ field: 'diff', code: 'too_large' }] },
    })
    expect(long.body.message).toContain('maximum number of lines (10)')
    forge.limits.diffFiles = 0
    const many = await call('GET', path, { accept: 'application/vnd.github.v3.diff' })
    expect(many.body.message).toContain('maximum number of files (0)')
  })

  it('list files of every kind, page by page', async () => {
    const moved = lines(30, 'moved')
    await forge.push(repo, 'main', {
      'old.ts': moved.join(''),
      'mode.sh': 'x\n',
      'type.txt': 'text\n',
    })
    await forge.push(repo, 'kinds', {
      'a.ts': `${lines(40).join('')}last without line end`,
      'gone.md': null,
      'old.ts': null,
      'new.ts': `${moved.join('')}more\n`,
      'mode.sh': { mode: '100755', content: 'x\n' },
      'type.txt': { mode: '120000', content: 'a.ts' },
      'binary.bin': Buffer.from([0, 1, 2]),
      'empty.txt': '',
      ':odd\tname "ü".txt': 'odd\n',
    })
    const number = await forge.openPullRequest({ repo, head: 'kinds' })
    const list = `/repos/${repo}/pulls/${number}/files`
    const all = (await call('GET', list)).body as Record<string, unknown>[]
    const known = all.map(({ filename, status, additions, deletions, patch }) => {
      return [filename, status, additions, deletions, patch !== undefined]
    })
    expect(known).toEqual([
      [':odd\tname "ü".txt', 'added', 1, 0, true],
      ['a.ts', 'modified', 1, 0, true],
      ['binary.bin', 'added', 0, 0, false],
      ['empty.txt', 'added', 0, 0, false],
      ['gone.md', 'removed', 0, 1, true],
      ['mode.sh', 'changed', 0, 0, false],
      ['new.ts', 'renamed', 1, 0, true],
      ['type.txt', 'changed', 1, 1, false],
    ])
    expect(all[6]).toMatchObject({ previous_filename: 'old.ts', changes: 1 })
    expect(all[1]!.patch).toMatch(
      /^@@ -38,3 \+38,4 @@.*\n[\s\S]*\n\+last without line end\n\\ No newline at end of file$/,
    )

    const first = await call('GET', `${list}?per_page=3`)
    expect(first.body).toHaveLength(3)
    const links = first.headers.get('link')!
    expect(links).toMatch(/rel="next".*rel="last"/)
    const next = await call('GET', /<([^>]+)>; rel="next"/.exec(links)![1]!)
    expect(next.body.map(({ filename }: { filename: string }) => filename)).toEqual(
      all.slice(3, 6).map(({ filename }) => filename),
    )
    const last = await call('GET', /<([^>]+)>; rel="last"/.exec(links)![1]!)
    expect(last.body).toHaveLength(2)
    expect(last.headers.get('link')).not.toContain('rel="next"')
    forge.limits.listedFiles = 4
    expect((await call('GET', list)).body).toHaveLength(4)
  })
})

describe('contents', () => {
  it('are read as JSON, raw, and as trees and commits', async () => {
    const large = Buffer.alloc(1_200_000, 'large ')
    const sha = await forge.push(repo, 'any/branch', {
      'dir/ü #?.txt': 'odd\n',
      'large.txt': large,
    })
    const read = (path: string, accept?: string) =>
      call(
        'GET',
        `/repos/${repo}/contents/${path}?ref=any%2Fbranch`,
        accept === undefined ? {} : { accept },
      )
    const odd = `dir/${encodeURIComponent('ü #?.txt')}`
    const file = await read(odd)
    expect(file.body).toMatchObject({
      type: 'file',
      path: 'dir/ü #?.txt',
      size: 4,
      encoding: 'base64',
    })
    expect(Buffer.from(file.body.content, 'base64').toString()).toBe('odd\n')
    expect((await read(odd, 'application/vnd.github.raw+json')).body).toBe('odd\n')
    expect((await read('large.txt')).body).toMatchObject({
      size: large.length,
      encoding: 'none',
      content: '',
    })
    expect((await read('large.txt', 'application/vnd.github.raw')).body).toHaveLength(large.length)
    expect((await read('dir')).body).toMatchObject([{ type: 'file', name: 'ü #?.txt' }])
    expect((await read('none')).status).toBe(404)
    expect((await call('GET', `/repos/${repo}/contents/a.ts?ref=none`)).body.message).toBe(
      'No commit found for the ref none',
    )

    const tree = `/repos/${repo}/git/trees/any%2Fbranch`
    expect((await call('GET', tree)).body.tree).toHaveLength(4)
    expect((await call('GET', `${tree}?recursive=1`)).body).toMatchObject({ truncated: false })
    forge.limits.treeEntries = 2
    const cut = (await call('GET', `${tree}?recursive=1`)).body
    expect([cut.tree.length, cut.truncated]).toEqual([2, true])

    const commit = await call('GET', `/repos/${repo}/commits/any%2Fbranch`)
    expect(commit.body).toMatchObject({ sha, author: { login: 'acme' }, parents: [{}] })
    expect((await call('GET', `/repos/${repo}/commits/${'0'.repeat(40)}`)).status).toBe(422)
    expect((await call('GET', `/repos/${repo}/commits?sha=any%2Fbranch`)).body).toHaveLength(2)
  })

  it('are compared from their merge base', async () => {
    const start = (await forge.branches(repo)).get('main')
    await forge.push(repo, 'topic', { 'b.ts': 'b\n' })
    const main = await forge.push(repo, 'main', { 'c.ts': 'c\n' })
    const { body } = await call('GET', `/repos/${repo}/compare/main...topic`)
    expect(body).toMatchObject({
      merge_base_commit: { sha: start },
      base_commit: { sha: main },
      status: 'diverged',
      ahead_by: 1,
      behind_by: 1,
      files: [{ filename: 'b.ts' }],
    })
    expect((await call('GET', `/repos/${repo}/compare/main...none`)).status).toBe(404)
  })

  it('are counted by language and contributor', async () => {
    await forge.push(repo, 'main', { 'b.py': 'x = 1\n' }, { author: 'ben' })
    expect((await call('GET', `/repos/${repo}/languages`)).body).toEqual({
      TypeScript: lines(40).join('').length,
      Python: 6,
    })
    const statistics = `/repos/${repo}/stats/contributors`
    expect((await call('GET', statistics)).status).toBe(202)
    expect((await call('GET', statistics)).body).toMatchObject([
      { author: { login: 'ann' }, total: 1, weeks: [{ a: 41, d: 0, c: 1 }] },
      { author: { login: 'ben' }, total: 1, weeks: [{ a: 1, d: 0, c: 1 }] },
    ])
  })
})

describe('comments and reviews', () => {
  it('are written, edited and deleted below a pull request', async () => {
    const { number } = await openChange()
    const comments = `/repos/${repo}/issues/${number}/comments`
    const made = await call('POST', comments, { body: { body: 'First' } })
    expect(made).toMatchObject({ status: 201, body: { user: { login: 'ann' }, body: 'First' } })
    expect(made.body.html_url).toBe(
      `${forge.url}/${repo}/pull/${number}#issuecomment-${made.body.id}`,
    )
    const one = `/repos/${repo}/issues/comments/${made.body.id}`
    await call('PATCH', one, { body: { body: 'Edited' } })
    expect(forge.pullRequest(repo, number).comments).toMatchObject([
      { author: 'ann', body: 'Edited', edits: 1 },
    ])
    forge.setPermission(repo, 'eve', 'read')
    expect((await call('PATCH', one, { body: { body: 'x' }, token: 'eve-token' })).status).toBe(403)
    expect((await call('POST', comments, { body: { body: 'y'.repeat(65_537) } })).status).toBe(422)
    expect((await call('POST', comments, { body: { body: ' ' } })).status).toBe(422)
    expect((await call('DELETE', one)).status).toBe(204)
    expect((await call('GET', comments)).body).toEqual([])
  })

  const post = (number: number, body: unknown, token = 'ann-token') =>
    call('POST', `/repos/${repo}/pulls/${number}/reviews`, { body, token })

  it('are on lines of the diff, on either side, alone or in ranges', async () => {
    const { number, sha } = await openChange()
    const comments = [
      { path: 'a.ts', line: 3, side: 'RIGHT', body: 'added' },
      { path: 'a.ts', line: 3, side: 'LEFT', body: 'deleted' },
      { path: 'a.ts', start_line: 18, start_side: 'RIGHT', line: 21, side: 'RIGHT', body: 'range' },
      { path: 'a.ts', line: 6, body: 'context' },
    ]
    const made = await post(number, { commit_id: sha, event: 'COMMENT', body: 'All', comments })
    expect(made).toMatchObject({
      status: 200,
      body: { state: 'COMMENTED', commit_id: sha, body: 'All' },
    })
    const listed = (await call('GET', `/repos/${repo}/pulls/${number}/comments`)).body
    expect(listed).toMatchObject([
      {
        line: 3,
        side: 'RIGHT',
        start_line: null,
        pull_request_review_id: made.body.id,
        original_commit_id: sha,
      },
      { line: 3, side: 'LEFT' },
      { line: 21, start_line: 18, start_side: 'RIGHT' },
      { line: 6, side: 'RIGHT' },
    ])
    expect(listed[0].diff_hunk).toMatch(
      /^@@ -1,6 \+1,6 @@\n line 1\n line 2\n-line 3\n\+changed 3$/,
    )
    expect(listed[0].position).toBe(4)
    expect(
      (await call('GET', `/repos/${repo}/pulls/${number}/reviews/${made.body.id}/comments`)).body,
    ).toHaveLength(4)
  })

  it('are all refused when one line is invalid', async () => {
    const { number, sha } = await openChange()
    const good = { path: 'a.ts', line: 3, body: 'good' }
    const refused = async (comment: unknown) => {
      const { status, body } = await post(number, {
        commit_id: sha,
        event: 'COMMENT',
        comments: [good, comment],
      })
      return [status, body.message, ...body.errors]
    }
    const kind = [422, 'Unprocessable Entity']
    const bad = { path: 'a.ts', body: 'bad' }
    expect(await refused({ ...bad, line: 7 })).toEqual([...kind, 'Line could not be resolved'])
    expect(await refused({ ...bad, line: 0 })).toEqual([...kind, 'Line could not be resolved'])
    expect(await refused({ ...bad, line: 1e9 })).toEqual([...kind, 'Line could not be resolved'])
    expect(await refused({ ...bad, path: 'none.ts', line: 3 })).toEqual([
      ...kind,
      'Path could not be resolved',
    ])
    expect(await refused({ ...bad, line: 20, start_line: 20 })).toEqual([
      ...kind,
      expect.stringContaining('precede'),
    ])
    expect(await refused({ ...bad, line: 20, start_line: 3 })).toEqual([
      ...kind,
      expect.stringContaining('same hunk'),
    ])
    const unknown = await post(number, {
      commit_id: 'f'.repeat(40),
      event: 'COMMENT',
      comments: [good],
    })
    expect(unknown.body.errors).toEqual(['The commitOID is not part of the pull request'])
    expect((await post(number, { event: 'COMMENT' })).status).toBe(422)
    expect((await post(number, { event: 'APPROVE' }, 'ben-token')).body.errors[0]).toMatch(
      /own pull request/,
    )
    const single = `/repos/${repo}/pulls/${number}/comments`
    const alone = await call('POST', single, { body: { ...bad, line: 7, commit_id: sha } })
    expect(alone.body.errors).toMatchObject([{ field: 'pull_request_review_thread.line' }])
    expect(forge.pullRequest(repo, number)).toMatchObject({ reviews: [], inlineComments: [] })
    expect((await call('POST', single, { body: { ...good, commit_id: sha } })).status).toBe(201)
    expect((await post(number, { event: 'REQUEST_CHANGES', body: 'No' })).body.state).toBe(
      'CHANGES_REQUESTED',
    )
    expect((await post(number, { event: 'APPROVE' })).body.state).toBe('APPROVED')
  })

  it('move with their lines and become outdated when a line is deleted', async () => {
    const { number, sha } = await openChange()
    const comments = [
      { path: 'a.ts', line: 3, body: 'will change' },
      { path: 'a.ts', line: 20, start_line: 19, body: 'will move' },
      { path: 'a.ts', line: 20, side: 'LEFT', body: 'stays' },
    ]
    await post(number, { event: 'COMMENT', comments })
    const changed = lines(40)
    changed[2] = 'changed again\nand one more\n'
    changed[19] = 'changed 20\n'
    const next = await forge.push(repo, 'topic', { 'a.ts': changed.join('') })
    expect((await call('GET', `/repos/${repo}/pulls/${number}/comments`)).body).toMatchObject([
      { line: null, position: null, original_line: 3, commit_id: sha },
      { line: 21, start_line: 20, original_line: 20, commit_id: next, original_commit_id: sha },
      { line: 20, side: 'LEFT' },
    ])
    expect(forge.pullRequest(repo, number).threads.map(({ outdated }) => outdated)).toEqual([
      true,
      false,
      false,
    ])
    const old = await post(number, {
      event: 'COMMENT',
      commit_id: sha,
      comments: [{ path: 'a.ts', line: 3, body: 'late' }],
    })
    expect(old.status).toBe(200)
    expect(forge.pullRequest(repo, number).inlineComments.at(-1)).toMatchObject({
      line: null,
      originalLine: 3,
    })
  })

  it('form threads that are listed and resolved with GraphQL', async () => {
    const { number } = await openChange()
    const comments = [3, 4, 20].map((line) => ({ path: 'a.ts', line, body: `on ${line}` }))
    await post(number, { event: 'COMMENT', comments })
    const [first] = forge.pullRequest(repo, number).inlineComments
    forge.replyToComment(repo, number, first!.id, { author: 'ben', body: 'Not so' })
    const query = `query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {
      repository(owner: $owner, name: $name) {
        pullRequest(number: $number) {
          reviewThreads(first: 2, after: $after) {
            pageInfo { hasNextPage endCursor }
            nodes {
              id isResolved isOutdated path line
              comments(first: 50) { nodes { databaseId author { login } body } }
            }
          }
        }
      }
    }`
    const ask = async (text: string, variables: unknown, token: string | null = 'ann-token') =>
      call('POST', forge.graphqlUrl, { body: { query: text, variables }, token })
    const variables = { owner: 'acme', name: 'shop', number }
    const page = (await ask(query, variables)).body.data.repository.pullRequest.reviewThreads
    expect(page.nodes).toMatchObject([
      {
        isResolved: false,
        path: 'a.ts',
        line: 3,
        comments: {
          nodes: [
            { databaseId: first!.id, author: { login: 'ann' }, body: 'on 3' },
            { author: { login: 'ben' }, body: 'Not so' },
          ],
        },
      },
      { line: 4 },
    ])
    const after = page.pageInfo.endCursor
    const rest = (await ask(query, { ...variables, after })).body.data.repository.pullRequest
      .reviewThreads
    expect(rest).toMatchObject({ nodes: [{ line: 20 }], pageInfo: { hasNextPage: false } })

    const resolve =
      'mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { ' +
      'thread { id isResolved } } }'
    const { body } = await ask(resolve, { id: page.nodes[0].id })
    expect(body).toEqual({
      data: { resolveReviewThread: { thread: { id: page.nodes[0].id, isResolved: true } } },
    })
    expect(forge.pullRequest(repo, number).threads.map(({ resolvedBy }) => resolvedBy)).toEqual([
      'ann',
      null,
      null,
    ])
    expect((await ask(resolve, { id: 'none' })).body.errors[0].type).toBe('NOT_FOUND')
    expect((await ask(query, { ...variables, name: 'none' })).body).toMatchObject({
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
    })
    expect((await ask('{ viewer { login nonsense } }', {})).body.errors[0].message).toContain(
      "'nonsense' doesn't exist",
    )
    expect((await ask('{ viewer {', {})).body.errors).toHaveLength(1)
    expect((await ask(query, variables, null)).status).toBe(401)
  })

  it('exist together with commit statuses', async () => {
    const { number, sha } = await openChange()
    const statuses = `/repos/${repo}/statuses/${sha}`
    const status = {
      state: 'pending',
      context: 'umpire/review',
      description: 'Reading',
      target_url: 'https://x.example',
    }
    expect((await call('POST', statuses, { body: status })).status).toBe(201)
    await call('POST', statuses, { body: { ...status, state: 'success' } })
    expect((await call('GET', `/repos/${repo}/commits/${sha}/status`)).body).toMatchObject({
      state: 'success',
      total_count: 1,
      statuses: [{ context: 'umpire/review', state: 'success', target_url: 'https://x.example' }],
    })
    expect((await call('GET', `/repos/${repo}/commits/topic/statuses`)).body).toHaveLength(2)
    expect(forge.pullRequest(repo, number).statuses[sha]).toHaveLength(2)
    const long = await call('POST', statuses, { body: { ...status, description: 'x'.repeat(141) } })
    expect(long.body.errors[0].message).toContain('maximum is 140 characters')
    forge.setPermission(repo, 'eve', 'read')
    expect((await call('POST', statuses, { body: status, token: 'eve-token' })).status).toBe(403)
  })
})

describe('access', () => {
  it('depends on tokens, scopes and permissions', async () => {
    const user = await call('GET', '/user')
    expect(user.body).toMatchObject({ login: 'ann', type: 'User' })
    expect(user.headers.get('x-oauth-scopes')).toContain('repo')
    expect((await call('GET', '/user', { token: 'bad' })).body).toMatchObject({
      message: 'Bad credentials',
    })
    expect((await call('GET', '/user', { token: null })).status).toBe(401)
    expect((await call('GET', `/repos/${repo}`, { token: 'eve-token' })).status).toBe(404)
    expect((await call('GET', `/repos/${repo}`, { token: 'ben-token' })).body).toMatchObject({
      full_name: repo,
      private: true,
      permissions: { admin: false, push: true, pull: true },
    })
    forge.createUser('ann', { token: 'weak', scopes: ['public_repo'] })
    expect((await call('GET', `/repos/${repo}`, { token: 'weak' })).status).toBe(404)
    expect((await call('GET', '/user/repos?per_page=100')).body).toMatchObject([
      { permissions: { admin: true } },
    ])
    forge.revokeToken('ann-token')
    expect((await call('GET', '/user')).status).toBe(401)
  })

  it('follows a renamed repository by redirects, for reading, writing and git', async () => {
    const { number, sha } = await openChange()
    forge.renameRepository(repo, 'acme/store')
    const moved = await call('GET', `/repos/${repo}/pulls/${number}`)
    expect(moved).toMatchObject({ status: 301, body: { message: 'Moved Permanently' } })
    expect((await call('GET', moved.headers.get('location')!)).body.head.sha).toBe(sha)
    const written = await call('POST', `/repos/${repo}/issues/${number}/comments`, {
      body: { body: 'x' },
    })
    expect(written.status).toBe(307)
    expect((await call('GET', `/repos/${repo}`, { token: 'eve-token' })).status).toBe(404)
    expect(
      await gitAs('ann-token', ['ls-remote', forge.cloneUrl(repo), 'refs/heads/topic']),
    ).toContain(sha)
    await forge.removeRepository('acme/store')
    expect((await call('GET', `/repos/${repo}`)).status).toBe(404)
  })

  it('is limited by a rate that tests set', async () => {
    forge.rateLimit.remaining = 1
    expect((await call('GET', '/user')).headers.get('x-ratelimit-remaining')).toBe('0')
    forge.rateLimit.remaining = 0
    const refused = await call('GET', '/user')
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('rate limit exceeded') },
    })
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(forge.rateLimit.reset))
  })
})

describe('limits', () => {
  it('do not count an answer that the client has already', async () => {
    const path = `/repos/${repo}/branches`
    const first = await call('GET', path)
    const tag = first.headers.get('etag')!
    const { remaining } = forge.rateLimit
    const same = await call('GET', path, { headers: { 'if-none-match': tag } })
    expect([same.status, same.body, forge.rateLimit.remaining]).toEqual([304, '', remaining])
    await forge.push(repo, 'topic', { 'b.ts': 'b\n' })
    const changed = await call('GET', path, { headers: { 'if-none-match': tag } })
    expect([changed.status, forge.rateLimit.remaining]).toEqual([200, remaining - 1])
    expect(changed.headers.get('etag')).not.toBe(tag)
  })

  it('refuse an account that creates too much in a minute, where tests set that', async () => {
    await using still = await startForge({ clock: () => new Date('2026-01-02T03:04:05Z') })
    for (const login of ['ann', 'ben']) still.createUser(login, { token: `${login}-token` })
    await still.createRepository(repo, { admins: ['ann'], writers: ['ben'] })
    const path = `/repos/${repo}/issues/${still.openIssue(repo, { title: 'Slow' })}/comments`
    const write = async (token = 'ann-token') => {
      const { body, headers, status } = await callForge(still, 'POST', path, {
        token,
        body: { body: 'x' },
      })
      return [status, headers.get('retry-after'), body.message]
    }
    const written = [201, null, undefined]
    expect(await Promise.all(Array.from({ length: 90 }, () => write()))).toContainEqual(written)
    still.secondaryLimit.perMinute = 2
    expect([await write(), await write()]).toEqual([written, written])
    const refused = [403, '60', expect.stringContaining('secondary rate limit')]
    expect(await write()).toEqual(refused)
    expect(await write('ben-token')).toEqual(written)
    expect((await callForge(still, 'GET', '/user')).status).toBe(200)
    still.shiftClock(60_000)
    expect(await write()).toEqual(written)
    still.secondaryLimit.status = 429
    expect([await write(), await write()]).toEqual([written, [429, '60', refused[2]]])
  })
})

describe('sign-in', () => {
  const verifier = 'v'.repeat(43)
  const redirectUri = 'http://127.0.0.1:1/auth/callback'

  function authorize(clientId: string, more: Record<string, string> = {}): Promise<Response> {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      state: 's&t',
      scope: 'repo read:user',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    })
    return fetch(`${forge.url}/login/oauth/authorize?${query}`, { redirect: 'manual' })
  }

  const landing = (response: Response) => new URL(response.headers.get('location')!).searchParams

  async function exchange(input: Record<string, string>): Promise<Record<string, string>> {
    const response = await fetch(`${forge.url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(input),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as Record<string, string>
  }

  it('issues a code once and a token for the right secret and verifier', async () => {
    const app = forge.createOAuthApp({ callbackUrl: 'http://127.0.0.1:1/auth' })
    const client = { client_id: app.clientId, client_secret: app.clientSecret }
    forge.signInAs('eve')
    const first = landing(await authorize(app.clientId))
    expect(first.get('state')).toBe('s&t')
    const input = {
      ...client,
      redirect_uri: redirectUri,
      code: first.get('code')!,
      code_verifier: verifier,
    }
    const grant = await exchange(input)
    expect(grant).toMatchObject({ scope: 'repo,read:user', token_type: 'bearer' })
    const { body, headers } = await call('GET', '/user', { token: grant.access_token! })
    expect([body.login, headers.get('x-oauth-scopes')]).toEqual(['eve', 'repo, read:user'])
    expect(await exchange(input)).toMatchObject({ error: 'bad_verification_code' })

    const code = async () => landing(await authorize(app.clientId, { login: 'ben' })).get('code')!
    expect((await exchange({ ...input, code: await code(), code_verifier: 'wrong' })).error).toBe(
      'bad_verification_code',
    )
    expect((await exchange({ ...client, code: await code() })).error).toBe('bad_verification_code')
    const secret = { client_secret: 'wrong' }
    expect((await exchange({ ...input, code: await code(), ...secret })).error).toBe(
      'incorrect_client_credentials',
    )
    const elsewhere = { redirect_uri: `${redirectUri}/x` }
    expect((await exchange({ ...input, code: await code(), ...elsewhere })).error).toBe(
      'redirect_uri_mismatch',
    )
  })

  it('can be denied, offers a choice and redirects only to its registered URL', async () => {
    const app = forge.createOAuthApp({ callbackUrl: 'http://127.0.0.1:1/auth' })
    forge.denyNextSignIn()
    const denied = landing(await authorize(app.clientId))
    expect([denied.get('error'), denied.get('state'), denied.get('code')]).toEqual([
      'access_denied',
      's&t',
      null,
    ])
    const choice = await authorize(app.clientId)
    expect(await choice.text()).toContain('login=eve')
    for (const unregistered of [
      'http://127.0.0.1:2/auth',
      'http://127.0.0.1:1/authority',
      'nonsense',
    ]) {
      const refused = await authorize(app.clientId, { login: 'ann', redirect_uri: unregistered })
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
    }
    expect((await authorize('unknown')).status).toBe(404)
  })
})

describe('injected failures', () => {
  const user = (request: { path: string }) => request.path === '/api/v3/user'

  it('answer instead of the forge as often as configured', async () => {
    const headers = { 'retry-after': '7' }
    forge.faults.add({
      match: user,
      times: 1,
      action: replyWith(429, { message: 'secondary rate limit' }, headers),
    })
    const first = await call('GET', '/user')
    expect([first.status, first.body.message, first.headers.get('retry-after')]).toEqual([
      429,
      'secondary rate limit',
      '7',
    ])
    expect((await call('GET', '/user')).status).toBe(200)
    const remove = forge.faults.add({ match: user, action: htmlPage() })
    expect((await call('GET', '/user')).body).toContain('<!DOCTYPE html>')
    remove()
    expect((await call('GET', '/user')).status).toBe(200)
  })

  it('drop, truncate and cut answers, before or after the write', async () => {
    const { number } = await openChange()
    const comments = `/repos/${repo}/issues/${number}/comments`
    const writing = (request: { method: string }) => request.method === 'POST'
    const write = () => call('POST', comments, { body: { body: 'once' } })
    const written = () => forge.pullRequest(repo, number).comments.length
    forge.faults.add({ match: writing, times: 1, action: drop() })
    await expect(write()).rejects.toThrow()
    expect([written(), forge.requests.at(-1)!.status]).toEqual([0, 0])
    forge.faults.add({ match: writing, times: 1, action: applyThenDrop() })
    await expect(write()).rejects.toThrow()
    expect(written()).toBe(1)
    forge.faults.add({ match: user, times: 1, action: truncateBody() })
    await expect(call('GET', '/user')).rejects.toThrow(SyntaxError)
    forge.faults.add({ match: user, times: 1, action: closeMidBody() })
    await expect(call('GET', '/user')).rejects.toThrow(TypeError)
    forge.faults.add({ match: user, times: 1, action: delayRequest(1) })
    expect((await call('GET', '/user')).status).toBe(200)
  })

  it('hold requests until they are released', async () => {
    const { number } = await openChange()
    const comments = `/repos/${repo}/issues/${number}/comments`
    const writing = (request: { method: string }) => request.method === 'POST'
    const before = hold()
    forge.faults.add({ match: writing, times: 1, action: before })
    const first = call('POST', comments, { body: { body: 'one' } })
    expect(await before.arrived).toMatchObject({ method: 'POST', login: 'ann', status: null })
    expect(forge.pullRequest(repo, number).comments).toHaveLength(0)
    before.release()
    expect((await first).status).toBe(201)

    const after = hold({ applied: true })
    forge.faults.add({ match: writing, times: 1, action: after })
    const second = call('POST', comments, { body: { body: 'two' } })
    await after.arrived
    expect(forge.pullRequest(repo, number).comments).toHaveLength(2)
    after.release('drop')
    await expect(second).rejects.toThrow()
  })

  it('do not keep the forge from stopping', async () => {
    const held = hold()
    forge.faults.add({ match: user, action: held })
    const request = expect(call('GET', '/user')).rejects.toThrow()
    await held.arrived
    const waiting = expect(
      forge.waitFor(() => false, { description: 'a miracle' }),
    ).rejects.toThrow(/a miracle.*GET .*\/user/)
    await forge.close()
    await Promise.all([request, waiting])
  })
})

describe('pages', () => {
  it('show a pull request without executing anything in it', async () => {
    const evil = '<img src=x onerror=alert(1)>'
    await forge.push(repo, 'evil', { [`${evil}.ts`]: `${evil}\n` })
    const body = `${evil} [a](javascript:alert(1)) [b](https://ok.example/"onclick=x) \`${evil}\``
    const number = await forge.openPullRequest({ repo, head: 'evil', title: evil, body })
    const comments = [
      { path: `${evil}.ts`, line: 1, body: `**Bold** ${evil}\n\`\`\`suggestion\n${evil}\n\`\`\`` },
    ]
    await call('POST', `/repos/${repo}/pulls/${number}/reviews`, {
      body: { event: 'COMMENT', comments },
    })
    forge.comment(
      repo,
      number,
      'ann',
      [
        '<!-- unseen -->',
        '| a | b |',
        '|---|---|',
        '<details onclick=x>',
        '<details><summary>More</summary>',
      ].join('\n'),
    )
    const response = await fetch(`${forge.url}/${repo}/pull/${number}`, {
      headers: { accept: 'text/html' },
    })
    const page = await response.text()
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page).not.toContain('<img')
    expect(page).not.toMatch(/href="(?!http|\/)/)
    expect(page).not.toMatch(/"onclick|<details onclick/)
    expect(page).not.toContain('unseen')
    expect(page).toContain('<strong>Bold</strong>')
    expect(page).toContain('<details><summary>More</summary>')
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(await (await fetch(forge.url)).text()).toContain(`/${repo}/pull/${number}`)
    expect((await fetch(`${forge.url}/no/thing`)).status).toBe(404)
  })
})
