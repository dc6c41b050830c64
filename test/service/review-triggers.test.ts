// Tests when reviews start with the App, and what the settings of the base branch and people skip.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold } from '../fakes/forge/forge.ts'
import {
  type InstalledScenario,
  type Reviewed,
  slug,
  startInstalledScenario,
} from '../installed-app-scenario.ts'
import { reviewerLogin } from '../review-scenario.ts'

let scene: InstalledScenario
beforeAll(async () => {
  scene = await startInstalledScenario()
  scene.forge.createUser('renovate[bot]', { type: 'Bot' })
  scene.forge.createUser('helper[bot]', { type: 'Bot' })
  for (const login of ['stranger', 'triager']) scene.forge.createUser(login)
})
afterAll(() => scene[Symbol.asyncDispose]())

const clean = { 'src/a.ts': 'export const a = 1\n' }
const noGate = 'gate: []\n'

const eventTypesOf = async ({ repo, number }: Reviewed) => {
  const rows = await scene.app.db
    .selectFrom('events')
    .select('eventType')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('wantsReview', '=', true)
    .orderBy('id')
    .execute()
  return rows.map(({ eventType }) => eventType)
}

async function summaryOf({ repo, number }: Reviewed): Promise<string | null> {
  const [latest] = await scene.app.db
    .selectFrom('workflowRuns')
    .select('summary')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .orderBy('id', 'desc')
    .execute()
  return latest?.summary ?? null
}

describe('a review starts by itself', () => {
  it('when a pull request is reopened, ready for review, or changes its base or title', async () => {
    const { forge } = scene
    const reviewed = await scene.review(clean, { draft: true })
    const { repo, number } = reviewed
    await forge.push(repo, 'other', { 'docs/b.md': 'b\n' }, { author: 'alice' })
    forge.closePullRequest(repo, number)
    await scene.settled()
    await forge.reopenPullRequest(repo, number)
    await scene.settled()
    forge.markReadyForReview(repo, number)
    await scene.settled()
    await forge.editPullRequest(repo, number, { base: 'other' })
    await scene.settled()
    await forge.editPullRequest(repo, number, { title: 'Another title' })
    await scene.settled()
    await forge.editPullRequest(repo, number, { body: 'Another text' })
    forge.convertToDraft(repo, number)
    await scene.settled()
    expect(await eventTypesOf(reviewed)).toEqual([
      'pull_request.opened',
      'pull_request.reopened',
      'pull_request.ready_for_review',
      'pull_request.edited',
      'pull_request.edited',
    ])
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'success' })
  })

  it('not by these actions on a closed pull request', async () => {
    const reviewed = await scene.review(clean)
    const { repo, number } = reviewed
    scene.forge.closePullRequest(repo, number)
    await scene.settled()
    await scene.forge.editPullRequest(repo, number, { title: 'Another title' })
    scene.forge.addLabel(repo, number, 'umpire-review', 'alice')
    await scene.settled()
    expect(await eventTypesOf(reviewed)).toEqual(['pull_request.opened'])
    expect(await scene.auditOf(reviewed)).toEqual([])
  })

  it("not by a repository's webhook, which brings them too", async () => {
    const reviewed = await scene.review(clean, { draft: true })
    const { repo, number } = reviewed
    scene.forge.markReadyForReview(repo, number)
    await scene.settled()
    const { payload } = scene.forge.deliveries.findLast(
      ({ action }) => action === 'ready_for_review',
    )!
    const before = await eventTypesOf(reviewed)
    const answer = await scene.app.deliver(payload, { event: 'pull_request' })
    expect(answer).toMatchObject({ status: 200 })
    await scene.settled()
    expect(await eventTypesOf(reviewed)).toEqual(before)
  })
})

describe('a person with write permission requests a review', () => {
  const settings = 'reviews: { start: on_request }\n'

  it('with the label of the settings, where reviews start on request', async () => {
    const skipped = await scene.review(clean, { settings })
    const { repo, number } = skipped
    expect(scene.checkOf(skipped)).toMatchObject({
      conclusion: 'action_required',
      title: 'Skipped: this repository is reviewed on request (reviews.start).',
      actions: [{ identifier: 'review' }],
    })
    expect(await summaryOf(skipped)).toMatch(/^UNKNOWN\nConfidence: 1\/5\n\nSkipped: /)
    expect(scene.forge.pullRequest(repo, number).comments).toEqual([])
    scene.forge.addLabel(repo, number, 'other', 'carol')
    await scene.settled()
    expect(await scene.runsOf(skipped)).toHaveLength(1)
    scene.forge.addLabel(repo, number, 'umpire-review', 'carol')
    await scene.settled()
    expect(scene.checkOf(skipped)).toMatchObject({ conclusion: 'success' })
    expect(await scene.auditOf(skipped)).toEqual([{ login: 'carol', action: 'review_retried' }])
    // The request was for one review.
    const sha = await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'action_required' })
  })

  it('by requesting the machine account as reviewer, also again', async () => {
    const skipped = await scene.review(clean, { settings })
    const { repo, number } = skipped
    scene.forge.requestReview(repo, number, 'bob', 'carol')
    await scene.settled()
    expect(await scene.runsOf(skipped)).toHaveLength(1)
    scene.forge.requestReview(repo, number, reviewerLogin, 'carol')
    await scene.settled()
    expect(scene.checkOf(skipped)).toMatchObject({ conclusion: 'success' })
    scene.forge.requestReview(repo, number, reviewerLogin, 'carol')
    await scene.settled()
    expect(await scene.runsOf(skipped)).toHaveLength(3)
  })

  it('with the button of the check', async () => {
    const skipped = await scene.review(clean, { settings })
    scene.forge.pressCheckButton(skipped.repo, scene.checkOf(skipped).id, 'review', 'carol')
    await scene.settled()
    expect(scene.checkOf(skipped)).toMatchObject({ conclusion: 'success' })
  })

  it('and nobody else does', async () => {
    const skipped = await scene.review(clean, { settings })
    const { repo, number } = skipped
    scene.forge.addLabel(repo, number, 'umpire-review', 'stranger')
    scene.forge.requestReview(repo, number, reviewerLogin, 'stranger')
    await scene.settled()
    expect(await scene.runsOf(skipped)).toHaveLength(1)
    const refused = { login: 'stranger', action: 'request_refused' }
    expect(await scene.auditOf(skipped)).toEqual([refused, refused])
  })
})

describe('a skipped review', () => {
  it.each([
    ['a draft', 'reviews: { drafts: skip }', { draft: true }],
    ['a title', 'reviews: { skip: { titles: "[WIP]" } }', { title: '[WIP] Carts' }],
    ['a branch', 'reviews: { skip: { branches: "try/*" } }', { branch: 'try/carts' }],
    ['the size', 'reviews: { skip: { lines: 1 } }', {}],
    ['the paths', 'reviews: { skip: { paths: "src/" } }', {}],
  ])(
    'case 89: blocks a required check if its author chose %s',
    async (_what, settings, options) => {
      const files = { ...clean, 'src/b.ts': 'export const b = 1\n' }
      const skipped = await scene.review(files, { ...options, settings: noGate + settings })
      expect(scene.checkOf(skipped)).toMatchObject({
        conclusion: 'action_required',
        title: expect.stringMatching(/^Skipped: /),
      })
    },
  )

  it('case 89: blocks also if another pull request with the same head passes', async () => {
    const { forge } = scene
    const settings = 'reviews: { drafts: skip }'
    const skipped = await scene.review(clean, { settings, draft: true })
    const { repo } = skipped
    await forge.push(repo, 'other', { 'docs/b.md': 'b\n' }, { author: 'alice' })
    await forge.openPullRequest({ repo, head: 'topic', base: 'other', author: 'alice' })
    await scene.settled()
    expect(scene.checkOf(skipped)).toMatchObject({
      conclusion: 'action_required',
      title: `Skipped in #${skipped.number}, which has the same head`,
    })
  })

  it('is neutral if the settings skip its author, and the gate lets that pass', async () => {
    const skip = 'reviews: { skip: { bots: true } }'
    const author = 'renovate[bot]'
    const passing = await scene.review(clean, { author, settings: `${noGate}${skip}` })
    expect(scene.checkOf(passing)).toMatchObject({ conclusion: 'neutral' })
    const blocking = await scene.review(clean, { author, settings: skip })
    expect(scene.checkOf(blocking)).toMatchObject({ conclusion: 'action_required' })
  })

  it('is made when the reason is gone', async () => {
    const settings = 'reviews: { drafts: skip, skip: { titles: WIP } }'
    const skipped = await scene.review(clean, { settings, draft: true, title: 'WIP: carts' })
    const { repo, number } = skipped
    scene.forge.markReadyForReview(repo, number)
    await scene.settled()
    expect(scene.checkOf(skipped).title).toMatch(/^Skipped: its title/)
    await scene.forge.editPullRequest(repo, number, { title: 'Carts' })
    await scene.settled()
    expect(scene.checkOf(skipped)).toMatchObject({ conclusion: 'success' })
  })

  it('is made when its title changes while it is being skipped', async () => {
    const settings = 'reviews: { skip: { titles: WIP } }'
    const skipped = await scene.review(clean, { settings, title: 'WIP' })
    const { repo, number } = skipped
    const held = hold()
    scene.forge.faults.add({
      match: ({ path }) => path.includes('/check-runs'),
      times: 1,
      action: held,
    })
    await scene.forge.editPullRequest(repo, number, { title: 'Carts, WIP' })
    await held.arrived
    await scene.forge.editPullRequest(repo, number, { title: 'Carts' })
    await scene.forge.waitFor(() => scene.forge.deliveries.every(({ status }) => status !== null))
    held.release()
    await scene.settled()
    expect(scene.checkOf(skipped)).toMatchObject({ conclusion: 'success' })
  })

  it('case 89: does not replace a review of the same head by what its author chooses', async () => {
    const ports = 'export const ports = { http: 80, admin: 81, http: 8080 }\n'
    const settings = 'reviews: { drafts: skip, skip: { titles: WIP } }'
    const reviewed = await scene.review({ 'src/ports.ts': ports }, { settings })
    const { repo, number } = reviewed
    const before = scene.checkOf(reviewed)
    expect(before).toMatchObject({ conclusion: 'failure' })
    scene.forge.convertToDraft(repo, number)
    await scene.forge.editPullRequest(repo, number, { title: 'WIP' })
    await scene.settled()
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'failure', title: before.title })
  })
})

describe('a draft that rules alone review', () => {
  it('case 89: blocks until it was reviewed in full', async () => {
    const settings = `${noGate}reviews: { drafts: static }`
    const reviewed = await scene.review(clean, { settings, draft: true })
    const { repo, number } = reviewed
    expect(scene.checkOf(reviewed)).toMatchObject({
      conclusion: 'action_required',
      title: expect.stringMatching(/^Incomplete/),
      summary: expect.stringContaining('Rules alone reviewed this draft'),
    })
    const headline = /^### ⚪ Incomplete: rules alone reviewed this draft$/m
    expect(scene.checkOf(reviewed).summary).toMatch(headline)
    const { decision } = await scene.app.db
      .selectFrom('workflowRuns')
      .select('decision')
      .where('repo', '=', repo)
      .executeTakeFirstOrThrow()
    expect(decision).toMatchObject({ confidenceReason: 'rules alone reviewed this draft' })
    scene.forge.markReadyForReview(repo, number)
    await scene.settled()
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'success' })
    expect(scene.checkOf(reviewed).summary).not.toContain('Rules alone')
  })
})

describe('a label that skips reviews', () => {
  const settings = 'reviews: { skip: { labels: no-review } }'

  it('pauses them if a person with write permission adds it, until it is removed', async () => {
    const reviewed = await scene.review(clean, { settings })
    const { repo, number } = reviewed
    scene.forge.addLabel(repo, number, 'no-review', 'carol')
    await scene.settled()
    // The head was reviewed before.
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'success' })
    const sha = await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({
      conclusion: 'neutral',
      title: 'Skipped: carol paused its reviews.',
    })
    scene.forge.removeLabel(repo, number, 'no-review', 'carol')
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'success' })
    expect(await scene.auditOf(reviewed)).toEqual([
      { login: 'carol', action: 'reviews_paused' },
      { login: 'carol', action: 'reviews_resumed' },
    ])
  })

  it('case 89: pauses them only for the base whose settings say so', async () => {
    const { forge } = scene
    const reviewed = await scene.review(clean)
    const { repo, number } = reviewed
    await forge.push(repo, 'lax', { '.umpire.yml': settings }, { author: 'alice' })
    await forge.editPullRequest(repo, number, { base: 'lax' })
    await scene.settled()
    forge.addLabel(repo, number, 'no-review', 'carol')
    await scene.settled()
    await forge.editPullRequest(repo, number, { base: 'main' })
    await scene.settled()
    const ports = 'export const ports = { http: 80, admin: 81, http: 8080 }\n'
    const sha = await forge.push(repo, 'topic', { 'src/ports.ts': ports }, { author: 'alice' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'failure' })
    await forge.editPullRequest(repo, number, { base: 'lax' })
    await scene.settled()
    const next = await forge.push(repo, 'topic', { 'src/b.ts': '' }, { author: 'alice' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha: next })).toMatchObject({ conclusion: 'neutral' })
  })

  it.each(['triager', 'helper[bot]'])('ends the pause when %s removes it', async (login) => {
    const reviewed = await scene.review(clean, { settings })
    const { repo, number } = reviewed
    scene.forge.addLabel(repo, number, 'no-review', 'carol')
    await scene.settled()
    const sha = await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' })
    await scene.settled()
    scene.forge.removeLabel(repo, number, 'no-review', login)
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'success' })
    expect(await scene.auditOf(reviewed)).toEqual([
      { login: 'carol', action: 'reviews_paused' },
      { login, action: 'reviews_resumed' },
    ])
  })

  it('does not end a pause by a command', async () => {
    const reviewed = await scene.review(clean, { settings })
    const { repo, number } = reviewed
    scene.forge.comment(repo, number, 'carol', `@${slug} pause`)
    await scene.settled()
    scene.forge.addLabel(repo, number, 'no-review', 'carol')
    await scene.settled()
    scene.forge.removeLabel(repo, number, 'no-review', 'helper[bot]')
    await scene.settled()
    const sha = await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'neutral' })
  })

  it('case 89: blocks if somebody else added it', async () => {
    const reviewed = await scene.review(clean, { settings: `${noGate}${settings}` })
    const { repo, number } = reviewed
    scene.forge.addLabel(repo, number, 'no-review', 'stranger')
    await scene.settled()
    const sha = await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({
      conclusion: 'action_required',
      title: expect.stringMatching(/^Skipped: it has a label/),
    })
    expect(await scene.auditOf(reviewed)).toEqual([
      { login: 'stranger', action: 'request_refused' },
    ])
  })
})
