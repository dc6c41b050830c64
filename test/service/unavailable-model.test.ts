// An unavailable model: the review stays incomplete and runs again when the model responds.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasPendingRedos } from '../../src/work/redo-reviews.ts'
import {
  type ModelRequest,
  type ModelServer,
  type Reply,
  type Script,
  startModelServer,
} from '../fakes/models/model-server.ts'
import { ownComments, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

const key = 'sk-test-0123456789'
const providerMessage = 'Your organization org-4711 was suspended'
const refused: Reply = {
  status: 401,
  body: { error: { message: providerMessage, type: 'invalid_request_error' } },
}
const files = { 'src/sum.ts': 'export const sum = (a: number, b: number) => a + b\n' }
const nothing: Reply = { json: { summary: 'It adds numbers.', findings: [] } }

let server: ModelServer
let scenario: Scenario
beforeEach(async () => {
  server = await startModelServer({ protocol: 'openai-chat', script: () => refused })
  scenario = await start()
})
afterEach(async () => {
  await scenario[Symbol.asyncDispose]()
  await server.close()
})

function start(env: Record<string, string> = {}) {
  const model = { MODEL: 'compatible:local', MODEL_BASE_URL: server.url, MODEL_API_KEY: key }
  // The worker checks every two seconds whether the model is back.
  const timing = { REVIEW_LEASE_SECONDS: '6', REVIEW_MAX_ATTEMPTS: '2', REVIEW_RETRY_SECONDS: '1' }
  return startScenario({ env: { ...model, ...timing, ...env } })
}

async function review(branch: string, changed: Record<string, string> = files) {
  const number = await scenario.openPullRequest(changed, { branch })
  await scenario.waitUntilSettled()
  return { number, ...(await show(number)) }
}

async function show(number: number) {
  const view = scenario.forge.pullRequest(repo, number)
  const runs = await runsOf(scenario.app, number)
  return {
    runs,
    run: runs.at(-1)!,
    summary: ownComments(view).summaries[0]?.body ?? '',
    state: view.statuses[view.headSha]?.at(-1)?.state,
  }
}

/** Waits until a pull request has this many completed reviews. */
async function waitForReviews(number: number, times: number) {
  for (;;) {
    const runs = await runsOf(scenario.app, number)
    if (runs.filter(({ status }) => status === 'completed').length >= times) return show(number)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until the model received this many matching requests. */
async function waitForRequests(matches: (request: ModelRequest) => boolean, times: number) {
  while (server.requests.filter(matches).length < times)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

it('case 47: reports a refused key and does not use it until it is accepted', async () => {
  const first = await review('first')
  expect(first.run).toMatchObject({ status: 'completed', verdict: 'NEEDS_DISCUSSION', error: null })
  expect(first.summary).toMatch(/^### ⚪ Incomplete: /m)
  expect(first.state).toBe('error')
  expect(first.summary).toContain('The configured model took no part')
  for (const detail of [providerMessage, 'org-4711', key])
    expect(first.summary).not.toContain(detail)
  // The hash of a commit may contain these digits.
  expect(first.summary).not.toMatch(/\b401\b/)
  expect(first.run.warnings).toMatchObject([
    { code: 'model_unauthorized', message: expect.stringContaining('does not accept the key') },
  ])

  const requestsBefore = server.requests.filter(({ text }) => text.includes('src/sum.ts')).length
  const second = await review('second')
  expect(server.requests.filter(({ text }) => text.includes('src/sum.ts'))).toHaveLength(
    requestsBefore,
  )
  expect(second.run.warnings).toMatchObject([{ code: 'model_unauthorized' }])

  server.respondWith(() => nothing)
  for (const { number } of [first, second]) {
    const { run, summary, state } = await waitForReviews(number, 2)
    expect(run).toMatchObject({ verdict: 'APPROVE', warnings: [], redoWhen: null })
    expect(summary).toContain('🟢')
    expect(state).toBe('success')
  }
})

it('the API returns the cause to people who can read the review', async () => {
  const { number } = await review('seen')
  const { bearer } = await signInWithToken(scenario.app, 'ghp_token_of_alice')
  const { id } = await scenario.app.db
    .selectFrom('events')
    .select('id')
    .where('prNumber', '=', number)
    .where('wantsReview', '=', true)
    .executeTakeFirstOrThrow()
  const answer = await fetch(`${scenario.app.url}/api/v1/reviews/${id}`, { headers: bearer })
  expect(await answer.json()).toMatchObject({
    status: 'completed',
    error: null,
    ends: ['incomplete'],
    warnings: [
      { code: 'model_unauthorized', message: expect.stringContaining('does not accept the key') },
    ],
  })
})

it('case 47: completes a review later when the model stays away past the retries', async () => {
  server.respondWith(() => ({ status: 529, headers: { 'retry-after-ms': '1' } }))
  const { number, run, summary } = await review('away')
  expect(run).toMatchObject({
    attempts: 2,
    status: 'completed',
    verdict: 'NEEDS_DISCUSSION',
    error: null,
  })
  expect(summary).toContain('The configured model took no part')
  server.respondWith(() => nothing)
  expect((await waitForReviews(number, 2)).run).toMatchObject({ verdict: 'APPROVE', warnings: [] })
})

it('case 47: uses a fast model again when its key is accepted again', async () => {
  await scenario[Symbol.asyncDispose]()
  scenario = await start({ REVIEW_MODE: 'parallel', MODEL_FAST: 'compatible:small' })
  const answer: Script = ({ system }) =>
    system.startsWith('Several specialists')
      ? { json: { summary: 'It adds numbers.', dropped: [] } }
      : nothing
  server.respondWith((request) => (request.model === 'small' ? refused : answer(request)))
  const { number, run } = await review('parallel')
  expect(run.warnings).toMatchObject([{ code: 'model_unauthorized' }])

  const before = server.requests.length
  await waitForRequests((request) => request.number > before && request.model === 'small', 2)
  expect(await runsOf(scenario.app, number)).toHaveLength(1)
  server.respondWith(answer)
  const { run: again, runs } = await waitForReviews(number, 2)
  expect(again).toMatchObject({ verdict: 'APPROVE', warnings: [], redoWhen: null })
  expect(runs).toHaveLength(2)
})

it('case 47: repeats the review of a blocked change in limits, and of no other', async () => {
  server.respondWith(({ text }) =>
    text.includes('src/blocked.ts') ? { status: 403, body: 'Forbidden' } : nothing,
  )
  const { number, run } = await review('blocked', {
    'src/blocked.ts': 'export const blocked = true\n',
  })
  expect(run.warnings).toMatchObject([{ code: 'model_unauthorized' }])
  const other = await review('other')
  expect(other.runs).toMatchObject([{ verdict: 'APPROVE', warnings: [] }])

  // These are the first review and five more.
  await waitForReviews(number, 6)
  while ((await show(number)).run.redoWhen !== null)
    await new Promise((resolve) => setTimeout(resolve, 50))
  expect((await show(number)).runs).toHaveLength(6)
}, 60_000)

it('case 47: calls no model while only closed pull requests wait for it', async () => {
  const { number } = await review('left')
  scenario.forge.closePullRequest(repo, number)
  await scenario.waitUntilSettled()
  const { db } = scenario.app
  const waits = () =>
    db.selectFrom('workflowRuns').select('id').where('redoWhen', '=', 'model').execute()
  expect(await waits()).toHaveLength(1)
  expect(await hasPendingRedos(db, 'model')).toBe(false)
  scenario.forge.reopenPullRequest(repo, number)
  server.respondWith(() => nothing)
  expect((await waitForReviews(number, 2)).run).toMatchObject({
    verdict: 'APPROVE',
    redoWhen: null,
  })
})

it('case 89: skips a closed pull request and reviews it when it reopens', async () => {
  const { forge, app } = scenario
  const answered = Promise.withResolvers<void>()
  server.respondWith(async () => {
    await answered.promise
    return nothing
  })
  const number = await scenario.openPullRequest(files, { branch: 'closed' })
  await server.arrived(1)
  forge.closePullRequest(repo, number)
  answered.resolve()
  await scenario.waitUntilSettled()
  const skipped = await show(number)
  expect(skipped.run).toMatchObject({ status: 'completed', verdict: null, redoWhen: 'reopened' })
  expect(skipped.run.summary).toMatch(
    /^UNKNOWN\nConfidence: 1\/5\n\nSkipped: closed before its review/,
  )
  expect(skipped.summary).toBe('')
  const rows = await app.db.selectFrom('pullRequests').select(['verdict', 'confidence']).execute()
  expect(rows).toEqual([{ verdict: null, confidence: null }])

  forge.reopenPullRequest(repo, number)
  const { run, state } = await waitForReviews(number, 2)
  expect(run).toMatchObject({ verdict: 'APPROVE', redoWhen: null })
  expect(state).toBe('success')
})
