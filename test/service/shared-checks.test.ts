// Tests the check of a commit that several pull requests have as their head, and reviews whose base
// branch changes meanwhile: nobody earns a check with another pull request or base branch.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { type InstalledScenario, startInstalledScenario } from '../installed-app-scenario.ts'
import { type Scenario, repo as shop, startScenario } from '../review-scenario.ts'

/** A short lease makes the search for outdated checks frequent. */
const frequent = { REVIEW_LEASE_SECONDS: '6' }

let scene: InstalledScenario
beforeAll(async () => {
  scene = await startInstalledScenario({ PLATFORM_TOKEN: '', ...frequent })
  for (const login of ['forker', 'stranger']) scene.forge.createUser(login)
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

const leak = {
  'src/a.ts': `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'\n`,
}
const clean = { 'src/a.ts': 'export const a = 1\n' }
/** The settings of a branch for which each change passes. */
const lax = { '.umpire.yml': 'paths: { exclude: ["**"] }\n' }

interface Commit {
  readonly repo: string
  readonly sha: string
}

/** Creates a repository of the installation with the branches `main` and `lax`. */
async function createRepository(settings = '{}\n') {
  const { forge } = scene
  const repo = await scene.createRepository()
  const own = { 'README.md': `# ${repo}\n`, '.umpire.yml': settings }
  const strict = await forge.push(repo, 'main', own, { author: 'alice' })
  await forge.push(repo, 'lax', lax, { author: 'alice' })
  scene.install(repo)
  return { repo, strict }
}

const pushTopic = (repo: string, files: Record<string, string>) =>
  scene.forge.push(repo, 'topic', files, { author: 'alice', message: `In ${repo}` })

const openPull = (repo: string, base: string) =>
  scene.forge.openPullRequest({ repo, head: 'topic', base, author: 'alice' })

/** Creates a fork, and returns how its owner opens pull requests of its topic. */
async function createFork(repo: string, owner: string) {
  const fork = `${owner}/${repo.split('/')[1]}`
  await scene.forge.createRepository(fork, { forkOf: repo })
  const open = (base: string, more: { draft?: boolean } = {}) =>
    scene.forge.openPullRequest({
      ...{ repo, head: 'topic', headRepo: fork, author: owner, base },
      ...more,
    })
  return { fork, open }
}

const isComparison = (repo: string, base: string) => (request: { path: string }) =>
  request.path.includes(`/repos/${repo}/compare/${base}`)

/** Holds the next comparison with a base: a review has read its pull request then. */
function holdComparison(repo: string, base = '') {
  const held = hold()
  scene.forge.faults.add({ match: isComparison(repo, base), times: 1, action: held })
  return held
}

const allAnswered = () =>
  scene.forge.waitFor(() => scene.forge.deliveries.every(({ status }) => status !== null))

const conclusionOf = (commit: Commit) => scene.checkOf(commit).conclusion

const expectConclusion = (commit: Commit) => expect.poll(() => conclusionOf(commit))

const waitForRun = (repo: string, number: number, status: string) =>
  expect
    .poll(async () => (await scene.runsOf({ repo, number, sha: '' })).at(-1)?.status, {
      timeout: 30_000,
    })
    .toBe(status)

describe('a base that changes during the review', () => {
  it('case 89: leaves no green check that the former base earned', async () => {
    const { forge } = scene
    const { repo } = await createRepository()
    const { fork, open } = await createFork(repo, 'forker')
    const sha = await forge.push(fork, 'topic', leak, { author: 'forker' })
    const held = holdComparison(repo)
    const number = await open('lax')
    await held.arrived
    await forge.editPullRequest(repo, number, { base: 'main' }, 'forker')
    await allAnswered()
    held.release()
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('failure')
  })

  it('leaves a draft that became ready reviewed as such', async () => {
    const { forge } = scene
    const { repo } = await createRepository('reviews: { drafts: static }\n')
    const sha = await pushTopic(repo, clean)
    const held = holdComparison(repo)
    const number = await forge.openPullRequest({
      repo,
      head: 'topic',
      author: 'alice',
      draft: true,
    })
    await held.arrived
    forge.markReadyForReview(repo, number)
    await allAnswered()
    held.release()
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('success')
  })
})

describe('a base that changes after the review', () => {
  it('lets no merge group pass while the change to the new one is reviewed', async () => {
    const { forge } = scene
    const { repo } = await createRepository()
    await pushTopic(repo, leak)
    const number = await openPull(repo, 'lax')
    await scene.settled()
    const held = holdComparison(repo)
    await forge.editPullRequest(repo, number, { base: 'main' })
    await held.arrived
    const group = await forge.enqueue(repo, number, 'alice')
    await forge.waitFor(() => scene.checksOf({ repo, sha: group })[0])
    const [during] = scene.checksOf({ repo, sha: group })
    held.release()
    await scene.settled()
    expect(during).toMatchObject({ status: 'in_progress', conclusion: null })
  })
})

describe('the check of a head in two pull requests', () => {
  it('case 89: is in progress while the review of one of them is under way', async () => {
    const { repo, strict } = await createRepository()
    const sha = await pushTopic(repo, leak)
    const held = holdComparison(repo, strict)
    const main = await openPull(repo, 'main')
    await held.arrived
    const other = await openPull(repo, 'lax')
    await waitForRun(repo, other, 'completed')
    expect(scene.checkOf({ repo, sha })).toMatchObject({
      status: 'in_progress',
      title: `Review in progress in #${main}, which has the same head`,
    })
    held.release()
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('failure')
  })

  it('case 89: is not green where the review of one of them failed', async () => {
    const { forge } = scene
    const { repo, strict } = await createRepository()
    const sha = await pushTopic(repo, leak)
    forge.faults.add({
      match: isComparison(repo, strict),
      action: replyWith(403, { message: 'Resource not accessible by integration' }),
    })
    const main = await openPull(repo, 'main')
    await waitForRun(repo, main, 'failed')
    await scene.settled()
    await openPull(repo, 'lax')
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('action_required')
  })

  it('case 89: blocks again when its author reopens the one that was blocked', async () => {
    const { forge } = scene
    const { repo } = await createRepository()
    const { fork, open } = await createFork(repo, 'forker')
    const sha = await forge.push(fork, 'topic', leak, { author: 'forker' })
    const number = await open('main')
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('failure')
    forge.closePullRequest(repo, number, 'forker')
    await scene.settled()
    const other = await open('lax')
    await scene.settled()
    forge.closePullRequest(repo, other, 'forker')
    await forge.reopenPullRequest(repo, number, 'forker')
    await expectConclusion({ repo, sha }).toBe('failure')
  })

  it('passes again when the one that blocked it is closed', async () => {
    const { repo } = await createRepository()
    const sha = await pushTopic(repo, leak)
    const strict = await openPull(repo, 'main')
    await scene.settled()
    await openPull(repo, 'lax')
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('failure')
    scene.forge.closePullRequest(repo, strict)
    await expectConclusion({ repo, sha }).toBe('success')
  })

  it("passes again when a stranger's draft that blocked it is closed", async () => {
    const { repo } = await createRepository('reviews: { drafts: skip }\n')
    const sha = await pushTopic(repo, clean)
    await openPull(repo, 'main')
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('success')
    const number = await (await createFork(repo, 'stranger')).open('main', { draft: true })
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('action_required')
    scene.forge.closePullRequest(repo, number, 'alice')
    await expectConclusion({ repo, sha }).toBe('success')
  })

  it("is not lost to a stranger's pull request that is closed during its review", async () => {
    const { repo } = await createRepository()
    const sha = await pushTopic(repo, clean)
    await openPull(repo, 'main')
    await scene.settled()
    const held = holdComparison(repo)
    const number = await (await createFork(repo, 'stranger')).open('main')
    await held.arrived
    scene.forge.closePullRequest(repo, number, 'stranger')
    await allAnswered()
    held.release()
    await expectConclusion({ repo, sha }).toBe('success')
    await scene.settled()
    expect(conclusionOf({ repo, sha })).toBe('success')
  })

  it('stays that of one pull request when the other one is pushed to', async () => {
    const { forge } = scene
    const { repo } = await createRepository()
    const commit = { author: 'alice', message: 'Same', date: new Date('2026-01-01T00:00:00Z') }
    const sha = await forge.push(repo, 'stays', clean, commit)
    await forge.openPullRequest({ repo, head: 'stays', author: 'alice' })
    await scene.settled()
    expect(await forge.push(repo, 'moves', clean, commit)).toBe(sha)
    const held = holdComparison(repo)
    await forge.openPullRequest({ repo, head: 'moves', author: 'alice' })
    await held.arrived
    await forge.push(repo, 'moves', { 'src/a.ts': 'export const a = 2\n' }, { author: 'alice' })
    held.release()
    await scene.settled()
    await expectConclusion({ repo, sha }).toBe('success')
  })
})

describe('the status of a head in two pull requests, without an App', () => {
  let single: Scenario
  beforeAll(async () => {
    single = await startScenario({ env: frequent })
  })
  afterAll(() => single[Symbol.asyncDispose]())

  it('case 89: blocks again when its author reopens the one that was blocked', async () => {
    const { forge } = single
    await forge.push(shop, 'lax', lax, { author: 'alice' })
    const sha = await forge.push(shop, 'topic', leak, { author: 'alice' })
    const pull = { repo: shop, head: 'topic', author: 'alice' }
    const number = await forge.openPullRequest({ ...pull, base: 'main' })
    await single.waitUntilSettled()
    const stateOf = () => forge.pullRequest(shop, number).statuses[sha]?.at(-1)?.state
    expect(stateOf()).toBe('failure')
    forge.closePullRequest(shop, number)
    await single.waitUntilSettled()
    const other = await forge.openPullRequest({ ...pull, base: 'lax' })
    await single.waitUntilSettled()
    expect(stateOf()).toBe('success')
    forge.closePullRequest(shop, other)
    await forge.reopenPullRequest(shop, number)
    await expect.poll(stateOf).toBe('failure')
  })
})
