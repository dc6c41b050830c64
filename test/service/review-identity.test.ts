// Tests reviews of a pull request by several accounts, one after the other.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import { waitUntilSettled } from '../review-scenario.ts'

let scene: ConnectScenario
beforeAll(async () => {
  // Without these layers no scan runs that could consume the faults.
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

/** A line that the static reviewer reports. */
const problem = 'export function start() {\n  debugger\n}\n'

/** Opens a pull request with a problem, which is reviewed with alice's token. */
async function reviewAsAlice(): Promise<{ repo: string; number: number }> {
  const repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
  const sha = await push(repo, { 'src/start.ts': problem })
  const number = await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await waitForReview(repo, sha)
  return { repo, number }
}

const push = (repo: string, files: Record<string, string>) =>
  scene.forge.push(repo, 'topic', files, { author: 'alice', message: JSON.stringify(files) })

/**
 * Waits until a delivery named the head, and all reviews ended. Equal files that are pushed to two
 * repositories within a second have one commit id.
 */
async function waitForReview(repo: string, sha: string): Promise<void> {
  await scene.forge.waitForDelivery(({ payload }) => {
    const { pull_request: pull, repository } = payload as {
      pull_request?: { head: { sha: string } }
      repository?: { full_name: string }
    }
    return repository?.full_name === repo && pull?.head.sha === sha
  })
  await waitUntilSettled(scene.app)
}

/** Bob's connection is the newest, so his token is used from now on. */
async function continueAsBob(repo: string, files: Record<string, string>): Promise<void> {
  expect(await scene.connect('bob', repo)).toMatchObject({ status: 200 })
  await waitForReview(repo, await push(repo, files))
}

/** The author and the number of edits of each comment. */
function listComments({ repo, number }: { repo: string; number: number }) {
  const { comments, inlineComments } = scene.forge.pullRequest(repo, number)
  const describeEach = (all: readonly { author: string; edits: number }[]) =>
    all.map(({ author, edits }) => `${author}, ${edits > 0 ? 'edited' : 'unchanged'}`)
  return { summaries: describeEach(comments), inline: describeEach(inlineComments) }
}

describe("a review with another account's token", () => {
  it('edits the comments that were posted with the former token', async () => {
    const reviewed = await reviewAsAlice()
    await continueAsBob(reviewed.repo, { 'src/other.ts': 'export const other = 1\n' })
    expect(listComments(reviewed)).toMatchObject({
      summaries: ['alice, edited'],
      inline: [expect.stringMatching(/^alice/)],
    })
  })

  it('resolves the threads of the former account when the code is fixed', async () => {
    const reviewed = await reviewAsAlice()
    await continueAsBob(reviewed.repo, { 'src/start.ts': 'export function start() {}\n' })
    const { threads } = scene.forge.pullRequest(reviewed.repo, reviewed.number)
    expect(threads).toMatchObject([{ resolved: true }])
  })

  it('posts once where the host refuses to edit them, and edits its own from then on', async () => {
    const reviewed = await reviewAsAlice()
    const isEdit = { method: 'PATCH', path: /\/comments\/\d+$/ }
    scene.forge.faults.add({
      match: (request) =>
        request.login === 'bob' &&
        request.method === isEdit.method &&
        isEdit.path.test(request.path),
      times: 2,
      action: replyWith(403, { message: 'Resource not accessible by integration' }),
    })
    // The finding moves down by a line, so that its comment changes too.
    await continueAsBob(reviewed.repo, { 'src/start.ts': `\n${problem}` })
    const doubled = listComments(reviewed)
    expect(doubled.summaries).toEqual(['alice, edited', 'bob, unchanged'])
    scene.forge.faults.clear()
    const { repo } = reviewed
    await waitForReview(repo, await push(repo, { 'src/start.ts': `\n\n${problem}` }))
    expect(listComments(reviewed).summaries).toEqual(['alice, edited', 'bob, edited'])
  })

  it("doesn't edit a stranger's comment that copies a marker", async () => {
    const reviewed = await reviewAsAlice()
    const { repo, number } = reviewed
    const [summary] = scene.forge.pullRequest(repo, number).comments
    scene.forge.comment(repo, number, 'carol', summary!.body)
    await continueAsBob(repo, { 'src/other.ts': 'export const other = 2\n' })
    expect(listComments(reviewed).summaries).toEqual(['alice, edited', 'carol, unchanged'])
  })
})
