// The whole main job on each code host: connect, review, fix, dismiss and merge. It runs on the
// local code host in each dialect, and on real servers where the environment names them.
import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../src/platforms/index.ts'
import type { Access, Platform } from '../../src/platforms/platform.ts'
import { reconcileRepositories } from '../../src/workflows/reconcile-repositories.ts'
import { startReverseProxy } from '../connect-scenario.ts'
import { startRealGitea } from '../contracts/real-gitea.ts'
import type { DialectName } from '../fakes/forge/dialect.ts'
import { startForge } from '../fakes/forge/forge.ts'
import { signInWithToken } from '../sign-in.ts'
import { startTestApp } from '../start-app.ts'

/** A code host with a repository. */
interface Host extends AsyncDisposable {
  readonly platform: Platform
  readonly url: string
  /** Of the account that reviews, which administers the repository. */
  readonly access: Access
  /** Pushes as the author of the pull request, who may write. Returns the commit. */
  push(branch: string, files: Record<string, string>): Promise<string>
  open(branch: string): Promise<number>
  reply(number: number, commentId: string, body: string): Promise<unknown>
  /** The texts of the comments in the conversation. */
  conversation(number: number): Promise<readonly string[]>
  /** Returns the newest status on a commit. */
  status(
    sha: string,
  ): Promise<{ readonly state: string; readonly description: string | null } | undefined>
  merge(number: number): Promise<unknown>
}

const tokens: Readonly<Record<DialectName, string>> = {
  github: 'ghp_0123456789',
  gitea: '0123456789012345678901234567890123456789',
  forgejo: '0123456789012345678901234567890123456789',
  gitlab: 'glpat-0123456789',
}

async function startFake(dialect: DialectName): Promise<Host> {
  const forge = await startForge({ dialect })
  const path = dialect === 'gitlab' ? 'acme/web/shop' : 'acme/shop'
  forge.createUser('umpire-bot', { token: tokens[dialect] })
  forge.createUser('alice')
  await forge.createRepository(path)
  forge.setPermission(path, 'umpire-bot', 'admin')
  forge.setPermission(path, 'alice', 'write')
  await forge.push(path, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  const { url, apiUrl } = forge
  const config = { id: dialect, url, apiUrl, oauth: null, userAgent: 'umpire-test' }
  return {
    platform: createPlatform(config),
    url,
    access: { repo: path.replace('acme/web', 'acme:web'), token: tokens[dialect] },
    push: (branch, files) => forge.push(path, branch, files, { author: 'alice' }),
    open: (branch) => forge.openPullRequest({ repo: path, head: branch, author: 'alice' }),
    reply: async (number, id, body) =>
      forge.replyToComment(path, number, Number(id), { author: 'alice', body }),
    conversation: async (number) =>
      forge.pullRequest(path, number).comments.map(({ body }) => body),
    status: async (sha) =>
      forge.pullRequest(path, 1).statuses[sha]?.findLast(({ context }) => context !== ''),
    merge: (number) => forge.mergePullRequest(path, number),
    [Symbol.asyncDispose]: () => forge[Symbol.asyncDispose](),
  }
}

async function startReal(server: Parameters<typeof startRealGitea>[0]): Promise<Host> {
  const fixture = await startRealGitea(server)
  const { platform, url, access, otherLogin } = fixture
  return {
    platform,
    url,
    access,
    push: (branch, files) => fixture.push(branch, files),
    open: (branch) => fixture.open({ head: branch }),
    reply: (number, id, body) => fixture.reply(number, id, otherLogin, body),
    conversation: async (number) =>
      (await fixture.readPosted(number)).comments.map(({ body }) => body),
    status: async (sha) => (await fixture.statuses(sha))[0],
    merge: (number) => fixture.merge(number),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

const flaw = 'export const isBad = (one: number) => one === NaN\n'
const injection = 'export const run = (code: string) => eval(code)\n'

async function doMainJob(id: DialectName, host: Host): Promise<void> {
  const { platform, access } = host
  await using front = await startReverseProxy()
  await using app = await startTestApp({
    env: {
      PLATFORM: id,
      PLATFORM_URL: host.url,
      PLATFORM_WRITES_PER_MINUTE: '0',
      PLATFORM_NOTICES_PER_HOUR: '0',
      PUBLIC_URL: front.url,
      MEMORY: 'off',
      GRAPH: 'off',
    },
  })
  front.forwardTo(app.url)
  const { bearer } = await signInWithToken(app, access.token)
  const send = async (method: string, path: string) => {
    const response = await fetch(`${app.url}${path}`, { method, headers: bearer })
    // biome-ignore lint/suspicious/noExplicitAny: looked at by the test
    return { status: response.status, body: (await response.json()) as any }
  }
  const reviewed = (sha: string, runs = 1) =>
    expect
      .poll(
        async () => {
          const done = await app.db
            .selectFrom('workflowRuns')
            .select('id')
            .where('headSha', '=', sha)
            .where('status', '=', 'completed')
            .execute()
          const left = await app.db.selectFrom('workItems').select(['kind', 'error']).execute()
          return { runs: done.length, left }
        },
        { timeout: 40_000, interval: 100 },
      )
      .toEqual({ runs, left: [] })

  const answerComments = async () => {
    await app.db
      .updateTable('reconciliations')
      .set({ dueAt: new Date(0) })
      .execute()
    await reconcileRepositories(app.app.context, AbortSignal.timeout(30_000))
  }

  const [owner, name] = access.repo.split('/')
  const connected = await send('POST', `/api/v1/repos/${owner}/${name}/install`)
  expect(connected).toMatchObject({ status: 200, body: { status: 'connected' } })

  const sha = await host.push('topic', { 'src/flaw.ts': flaw, 'src/run.ts': injection })
  const number = await host.open('topic')
  await reviewed(sha)
  const [summary, ...more] = await host.conversation(number)
  expect(more).toEqual([])
  expect(summary).toContain('Needs a person: 2 moderate')
  expect((await host.status(sha))?.state).toMatch(/^(failure|failed)$/)
  const posted = await platform.listThreads(access, number, [])
  const places = posted.map(({ path, line, resolved }) => [path, line, resolved]).sort()
  expect(places).toEqual([
    ['src/flaw.ts', 1, false],
    ['src/run.ts', 1, false],
  ])

  const fix = flaw.replace('one === NaN', 'Number.isNaN(one)')
  const fixed = await host.push('topic', { 'src/flaw.ts': fix })
  await reviewed(fixed)
  const canResolve = platform.limits.resolvableThreads === true
  const threads = await platform.listThreads(access, number, [])
  const settled = threads.find(({ path }) => path === 'src/flaw.ts')!
  if (canResolve) expect(settled.resolved).toBe(true)
  else expect(settled.comments[0]!.body).toContain('✅ **Resolved**')

  const open = threads.find(({ path }) => path === 'src/run.ts')!
  await host.reply(number, open.comments[0]!.id, '@umpire help')
  await host.reply(number, open.comments[0]!.id, '@umpire dismiss the code is ours')
  await answerComments()
  await reviewed(fixed, 2)
  expect((await host.status(fixed))?.state).toBe('success')
  const summaries = (await host.conversation(number)).filter((text) => text.includes('Passed'))
  expect(summaries).toHaveLength(1)
  await host.reply(number, open.comments[0]!.id, '@umpire explain')
  await host.reply(number, open.comments[0]!.id, '@umpire ask what is it?')
  await host.reply(number, open.comments[0]!.id, '@umpire pause')
  await answerComments()
  // The pause also ends a review of the head, which would take the next push for its own.
  await expect
    .poll(
      async () => {
        const left = await app.db.selectFrom('workItems').select(['kind', 'error']).execute()
        return [await app.db.selectFrom('pullRequests').select('pausedBy').execute(), left]
      },
      { timeout: 40_000 },
    )
    .toEqual([[{ pausedBy: expect.any(String) }], []])
  const skipped = await host.push('topic', { 'src/more.ts': 'export const more = 1\n' })
  await reviewed(skipped)
  const descriptions = await Promise.all([sha, fixed, skipped].map((one) => host.status(one)))
  expect(descriptions.map((one) => one?.description)).toContainEqual(
    expect.stringContaining('Skipped:'),
  )
  const answered = await platform.listThreads(access, number, [])
  const texts = [
    ...descriptions.map((one) => one?.description),
    ...(await host.conversation(number)),
    ...answered.flatMap(({ comments }) => comments.map(({ body }) => body)),
  ].join('\n')
  expect(texts).toContain('Commands are for people with write permission')
  const otherWord =
    platform.terms.pullRequest === 'merge request' ? /pull request/i : /merge request/i
  expect(texts).not.toMatch(otherWord)

  await host.merge(number)
  await expect
    .poll(async () => (await send('GET', '/api/v1/reviews')).body[0]?.pr_status, {
      timeout: 20_000,
    })
    .toBe('merged')
}

describe.each(Object.keys(tokens) as DialectName[])('the main job on %s', (id) => {
  it('goes from connecting to merging', async () => {
    await using host = await startFake(id)
    await doMainJob(id, host)
  }, 120_000)
})

describe.each(['gitea', 'forgejo'] as const)('the main job on a real %s', (id) => {
  const prefix = `TEST_${id.toUpperCase()}`
  const [url, token] = [process.env[`${prefix}_URL`], process.env[`${prefix}_TOKEN`]]
  const needs = `needs ${prefix}_URL and ${prefix}_TOKEN of an administrator`
  if (!url || !token) return it.skip(needs)
  return it('goes from connecting to merging', async () => {
    await using host = await startReal({ id, url, token })
    await doMainJob(id, host)
  }, 120_000)
})
