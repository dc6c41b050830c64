// Commands in comments that are listed for each pull request, of which one can't be read.
import { expect, it } from 'vitest'
import { reconcileRepositories } from '../../src/workflows/reconcile-repositories.ts'
import { startReverseProxy } from '../connect-scenario.ts'
import { replyWith, startForge } from '../fakes/forge/forge.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { startTestApp } from '../start-app.ts'

const repo = 'acme/shop'
const token = 'glpat-0123456789abcdefghij'

it('answers the other commands, and those of an unreadable merge request later', async () => {
  await using forge = await startForge({ dialect: 'gitlab' })
  forge.createUser('alice', { token })
  await forge.createRepository(repo, { admins: ['alice'] })
  await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  await using front = await startReverseProxy()
  const { PLATFORM_TOKEN: _, ...host } = forgeEnvironment(forge)
  const layers = { MEMORY: 'off', GRAPH: 'off', REVIEW_LEASE_SECONDS: '600' }
  const env = { ...host, ...layers, PLATFORM: 'gitlab', PUBLIC_URL: front.url }
  await using app = await startTestApp({ env })
  front.forwardTo(app.url)
  const { bearer } = await signInWithToken(app, token)
  const connected = await fetch(`${app.url}/api/v1/repos/${repo}/install`, {
    method: 'POST',
    headers: bearer,
  })
  expect(connected.status).toBe(200)
  const settled = () =>
    expect
      .poll(() => app.db.selectFrom('workItems').select(['kind', 'error']).execute(), {
        timeout: 30_000,
      })
      .toEqual([])
  const open = async (head: string) => {
    await forge.push(repo, head, { [`${head}.md`]: 'new\n' }, { author: 'alice' })
    return forge.openPullRequest({ repo, head, author: 'alice' })
  }
  const sweep = async () => {
    const due = { dueAt: new Date(0) }
    await app.db.updateTable('reconciliations').set(due).execute()
    await reconcileRepositories(app.app.context, AbortSignal.timeout(30_000))
    await settled()
  }
  const countAnswers = (number: number) =>
    forge
      .pullRequest(repo, number)
      .comments.filter(({ body }) => body.startsWith('<!-- umpire:answer ')).length

  const [broken, other] = [await open('first'), await open('second')]
  await settled()
  forge.comment(repo, broken, 'alice', '@umpire help')
  // Later than a list that begins with the newest comment would go back.
  forge.shiftClock(10 * 60_000)
  forge.comment(repo, other, 'alice', '@umpire help')
  const remove = forge.faults.add({
    match: ({ path, method }) =>
      method === 'GET' && path.endsWith(`/merge_requests/${broken}/notes`),
    action: replyWith(500, { message: '500 Internal Server Error' }),
  })
  await sweep()
  expect([countAnswers(broken), countAnswers(other)]).toEqual([0, 1])
  remove()
  await sweep()
  await sweep()
  expect([countAnswers(broken), countAnswers(other)]).toEqual([1, 1])
})
