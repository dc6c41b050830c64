// Commands and replies where no App delivers comments: a sweep lists them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reconcileRepositories } from '../../src/workflows/reconcile-repositories.ts'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'

let scene: ConnectScenario
beforeAll(async () => {
  const layers = { APP_ENV: 'development', MEMORY: 'off', GRAPH: 'off' }
  // The tests start each sweep themselves, so those of the worker come late.
  scene = await startConnectScenario({ env: { ...layers, REVIEW_LEASE_SECONDS: '600' } })
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Reviewed {
  readonly repo: string
  readonly number: number
}

const flaw = { 'src/a.ts': 'export const isBad = (one: number) => one === NaN\n' }

async function review(): Promise<Reviewed> {
  const { forge } = scene
  const repo = await scene.createRepository()
  await forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  await forge.push(repo, 'topic', flaw, { author: 'alice' })
  const number = await forge.openPullRequest({ repo, head: 'topic', author: 'carol' })
  await settled()
  return { repo, number }
}

async function settled(): Promise<void> {
  const { app, forge } = scene
  await forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null))
  await expect
    .poll(() => app.db.selectFrom('workItems').select(['kind', 'error']).execute(), {
      timeout: 30_000,
    })
    .toEqual([])
}

/** Lists the comments of all repositories now, and waits for the answers. */
async function sweep(): Promise<void> {
  const { app } = scene
  await app.db
    .updateTable('reconciliations')
    .set({ dueAt: new Date(0) })
    .execute()
  await reconcileRepositories(app.app.context, AbortSignal.timeout(30_000))
  await settled()
}

const isAnswer = ({ body }: { body: string }) => body.startsWith('<!-- umpire:answer ')

const answersOf = ({ repo, number }: Reviewed) =>
  scene.forge.pullRequest(repo, number).comments.filter(isAnswer)

it('answers a command once, with a reaction', async () => {
  const reviewed = await review()
  const { forge } = scene
  const id = forge.comment(reviewed.repo, reviewed.number, 'carol', '@umpire help')
  await sweep()
  await sweep()
  expect(answersOf(reviewed)).toMatchObject([{ author: 'alice' }])
  const { comments } = forge.pullRequest(reviewed.repo, reviewed.number)
  const { reactions } = comments.find((one) => one.id === id)!
  expect(reactions.map(({ content }) => content)).toEqual(['eyes', '+1'])
})

it('dismisses a finding by a reply in its thread', async () => {
  const { repo, number } = await review()
  const opening = scene.forge.pullRequest(repo, number).threads[0]!.comments[0]!.id
  const body = '@umpire dismiss numbers only'
  scene.forge.replyToComment(repo, number, opening, { author: 'carol', body })
  await sweep()
  const { threads, statuses, headSha } = scene.forge.pullRequest(repo, number)
  expect(threads).toMatchObject([{ resolved: true }])
  expect(statuses[headSha]?.at(-1)).toMatchObject({ state: 'success' })
})

it('answers no comment that was edited, on an issue, or from before the connection', async () => {
  const { forge } = scene
  const repo = await scene.createRepository()
  await forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
  await forge.push(repo, 'topic', flaw, { author: 'alice' })
  const number = await forge.openPullRequest({ repo, head: 'topic', author: 'carol' })
  forge.shiftClock(-60_000)
  forge.comment(repo, number, 'carol', '@umpire help')
  forge.shiftClock(60_000)
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  const issue = forge.openIssue(repo, { title: 'A question', author: 'carol' })
  forge.comment(repo, issue, 'carol', '@umpire help')
  const talk = forge.comment(repo, number, 'carol', 'Thank you')
  await sweep()
  forge.shiftClock(1000)
  forge.editComment(repo, number, talk, { author: 'carol', body: '@umpire help' })
  await sweep()
  expect(answersOf({ repo, number })).toEqual([])
})

it('answers other comments although one is cut in the middle of a character', async () => {
  const reviewed = await review()
  const long = `@umpire ask ${'a'.repeat(10_000 - '@umpire ask '.length - 1)}😀`
  scene.forge.comment(reviewed.repo, reviewed.number, 'bob', long)
  scene.forge.comment(reviewed.repo, reviewed.number, 'carol', '@umpire help')
  await sweep()
  expect(answersOf(reviewed)).toHaveLength(2)
})

it('answers no comment whose answer may be forgotten', async () => {
  const reviewed = await review()
  const { forge, app } = scene
  const days = 24 * 3600_000
  forge.shiftClock(-8 * days)
  forge.comment(reviewed.repo, reviewed.number, 'carol', '@umpire help')
  forge.shiftClock(8 * days)
  const long = new Date(Date.now() - 20 * days)
  await app.db.updateTable('installations').set({ createdAt: long }).execute()
  await app.db.updateTable('reconciliations').set({ commentsUntil: long }).execute()
  await sweep()
  expect(answersOf(reviewed)).toEqual([])
})

it('answers strangers with a reaction only', async () => {
  const reviewed = await review()
  const { repo, number } = reviewed
  scene.forge.setPermission(repo, 'bob', 'read')
  const id = scene.forge.comment(repo, number, 'bob', '@umpire review')
  await sweep()
  expect(answersOf(reviewed)).toEqual([])
  const { comments } = scene.forge.pullRequest(repo, number)
  expect(comments.find((one) => one.id === id)!.reactions).toMatchObject([{ content: 'confused' }])
})
