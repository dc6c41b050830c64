// Tests that what is asked again and again doesn't count against the platform's rate limit.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chooseAccess } from '../../src/workflows/choose-access.ts'
import { checkDueAccess } from '../../src/workflows/connecting/check-access.ts'
import { followThreads } from '../../src/workflows/follow-threads.ts'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'

const repositories = 3

let scene: ConnectScenario
let repos: string[]
beforeAll(async () => {
  // With such a long lease, the worker's own periodic tasks run only when it starts.
  const env = { MEMORY: 'off', GRAPH: 'off', PLATFORM_TOKEN: '', REVIEW_LEASE_SECONDS: '3600' }
  scene = await startConnectScenario({ env })
  const { app, forge } = scene
  repos = await Promise.all(Array.from({ length: repositories }, () => scene.createRepository()))
  for (const repo of repos) {
    await forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
    await scene.connect('alice', repo)
    // Its threads are looked at, because the finding blocks.
    const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'\n`
    await forge.push(
      repo,
      'topic',
      { 'src/key.ts': leak },
      { author: 'bob', message: `Change ${repo}` },
    )
    await forge.openPullRequest({ repo, head: 'topic', author: 'bob', title: 'Start' })
  }
  await waitUntilSettled(app)
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Runs the periodic tasks as often as they run in an hour in which nothing happens. */
async function passQuietHour(): Promise<{ sent: number; counted: number; graphql: number }> {
  const { app, forge } = scene
  const signal = new AbortController().signal
  const sentBefore = forge.requests.length
  const { remaining } = forge.rateLimit
  for (let minutes = 0; minutes < 60; minutes += 5) {
    await sql`update pull_requests set threads_checked_at = null`.execute(app.db)
    await followThreads(app.app.context, signal)
    if (minutes % 15 > 0) continue
    await sql`update installations set access_check_due = now()`.execute(app.db)
    await checkDueAccess(app.app.context, signal)
  }
  const sent = forge.requests.slice(sentBefore)
  return {
    sent: sent.length,
    counted: remaining - forge.rateLimit.remaining,
    graphql: sent.filter(({ path }) => path === '/api/graphql').length,
  }
}

it('counts only queries of GraphQL in a quiet hour', async () => {
  await passQuietHour()
  const hour = await passQuietHour()
  if (process.env.TEST_LOG_LEVEL) console.info(hour)
  expect(hour.graphql).toBe(12 * repositories)
  expect(hour.sent).toBeGreaterThanOrEqual(hour.graphql + (12 + 4) * repositories)
  expect(hour.counted).toBe(hour.graphql)
})

it('does not count a list of pull requests with long descriptions that has not changed', async () => {
  const { app, forge } = scene
  const repo = await scene.createRepository()
  await forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
  for (let index = 0; index < 20; index++) {
    const head = `topic-${index}`
    await forge.push(repo, head, { [`src/${head}.ts`]: 'export {}\n' }, { author: 'bob' })
    await forge.openPullRequest({ repo, head, author: 'bob', body: 'Why. '.repeat(1500) })
  }
  await scene.connect('alice', repo)
  const { context } = app.app
  const signal = new AbortController().signal
  const access = await chooseAccess(context, repo, signal)
  const list = () => context.platform.listPullRequests(access, new Date(0), signal)
  expect(await list()).toHaveLength(20)
  const sentBefore = forge.requests.length
  const { remaining } = forge.rateLimit
  expect(await list()).toHaveLength(20)
  expect(forge.requests.length).toBeGreaterThan(sentBefore)
  expect(forge.rateLimit.remaining).toBe(remaining)
})
