// Reviews while the platform fails, refuses or changes: nothing is lost or posted twice.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { repeatFailureChecks } from '../../src/work/failure-checks.ts'
import {
  applyThenDrop,
  drop,
  hold,
  htmlPage,
  replyWith,
  type SeenRequest,
} from '../fakes/forge/forge.ts'
import {
  endRefusals,
  ownComments,
  repo,
  reviewerLogin,
  reviewerToken,
  runsOf,
  type Scenario,
  startScenario,
} from '../review-scenario.ts'

let scenario: Scenario
beforeAll(async () => {
  // A short lease makes the search for stranded reviews frequent.
  scenario = await startScenario({ env: { REVIEW_LEASE_SECONDS: '2', REVIEW_MAX_ATTEMPTS: '3' } })
})
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => scenario.forge.faults.clear())

/** Returns a line that the static reviewer reports. */
function leak(letter: string): string {
  return `export const key${letter} = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s${letter}'\n`
}

const findings = { 'src/one.ts': leak('a'), 'src/two.ts': leak('b'), 'src/three.ts': leak('c') }

/** Its line is linked. */
const claimOnTwo =
  /^\*\*🔴 Critical · security \(CWE-798\)\*\*: .* \(\[`src\/two\.ts:1`\]\(http\S+\)\)$/m

const isRead = (number: number) => (request: SeenRequest) =>
  request.method === 'GET' && request.path.endsWith(`/pulls/${number}`)
const isReview = (request: SeenRequest) =>
  request.method === 'POST' && request.path.endsWith('/reviews')
const isSummary = (request: SeenRequest) =>
  request.method === 'POST' && /\/issues\/\d+\/comments$/.test(request.path)
const isComparison = (request: SeenRequest) => request.path.includes('/compare/')

/** Returns the number that the next pull request will have. */
function nextNumber(): number {
  const opened = scenario.forge.deliveries.filter((delivery) => delivery.action === 'opened')
  return Math.max(0, ...opened.map((delivery) => Number(delivery.payload.number))) + 1
}

/** Ends the refusals and all waits of the queue, as if the time had passed. */
async function endWaits(): Promise<void> {
  await endRefusals(scenario.app)
  await scenario.app.db
    .updateTable('workItems')
    .set({ dueAt: sql<Date>`now() - interval '10 seconds'` })
    .execute()
}

/** Repeats requests for the checks of failed reviews that were dropped after their last attempt. */
async function repeatDropped(): Promise<void> {
  await endRefusals(scenario.app)
  await scenario.app.db.deleteFrom('workItems').execute()
  await repeatFailureChecks(scenario.app.db)
}

async function show(number: number) {
  const view = scenario.forge.pullRequest(repo, number)
  const events = (await scenario.app.events()).filter((event) => event.prNumber === number)
  const runs = await runsOf(scenario.app, number)
  return {
    view,
    ...ownComments(view),
    events,
    runs,
    run: runs.at(-1),
    statuses: view.statuses[view.headSha] ?? [],
  }
}

describe('writes', () => {
  it('case 52: moves a comment whose line is refused into the summary', async () => {
    scenario.forge.faults.add({
      match: (request) => isReview(request) && request.body.includes('src/two.ts'),
      action: replyWith(422, {
        message: 'Unprocessable Entity',
        errors: ['Line could not be resolved'],
      }),
    })
    const number = await scenario.openPullRequest(findings, { branch: 'refused-line' })
    await scenario.waitUntilSettled()
    const { summaries, inline, run } = await show(number)
    expect(inline.map((comment) => comment.path).sort()).toEqual(['src/one.ts', 'src/three.ts'])
    expect(summaries).toHaveLength(1)
    expect(summaries[0]?.body).toContain('3 critical')
    // The summary has the full claim, not only a list item.
    expect(summaries[0]?.body).toMatch(claimOnTwo)
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it('case 53: posts nothing twice when a line is refused and lists lag', async () => {
    const { forge } = scenario
    forge.faults.add({
      match: (request) => isReview(request) && request.body.includes('src/two.ts'),
      action: replyWith(422, {
        message: 'Unprocessable Entity',
        errors: ['Line could not be resolved'],
      }),
    })
    forge.lists.showUntil = performance.now()
    const number = await scenario.openPullRequest(findings, { branch: 'late-lists' })
    await scenario.waitUntilSettled()
    forge.lists.showUntil = Number.POSITIVE_INFINITY
    const { summaries, inline, run } = await show(number)
    expect(inline.map((comment) => comment.path).sort()).toEqual(['src/one.ts', 'src/three.ts'])
    expect(summaries).toHaveLength(1)
    expect(summaries[0]?.body).toMatch(claimOnTwo)
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it('case 53: posts nothing twice when it is repeated before lists show its posts', async () => {
    const { forge } = scenario
    forge.faults.add({
      match: ({ method, path, body }) =>
        method === 'POST' && path.includes('/statuses/') && !body.includes('"pending"'),
      times: 1,
      action: replyWith(502),
    })
    forge.lists.lagMs = 2000
    const number = await scenario.openPullRequest(findings, { branch: 'repeated-late' })
    await scenario.waitUntilSettled()
    forge.lists.lagMs = 0
    const { summaries, inline, view, run } = await show(number)
    expect(run?.status).toBe('completed')
    // A slow machine can need another attempt.
    expect(run?.attempts).toBeGreaterThan(1)
    expect(summaries).toHaveLength(1)
    expect(view.reviews).toHaveLength(1)
    expect(inline).toHaveLength(3)
  })

  it('case 53: edits the summary of the head before while lists do not show it yet', async () => {
    const { forge } = scenario
    forge.lists.showUntil = performance.now()
    const branch = 'late-summary'
    const number = await scenario.openPullRequest(findings, { branch })
    await scenario.waitUntilSettled()
    await forge.push(repo, branch, { 'src/one.ts': null }, { author: 'alice' })
    await scenario.waitUntilSettled()
    forge.lists.showUntil = Number.POSITIVE_INFINITY
    const { summaries, view, runs } = await show(number)
    expect(runs).toHaveLength(2)
    expect(summaries).toHaveLength(1)
    expect(summaries[0]?.body).toContain(`head=${view.headSha} `)
  })

  it.each([
    ['the review', isReview],
    ['the summary', isSummary],
    ['the status', (request: SeenRequest) => request.path.includes('/statuses/')],
  ])(
    'case 53: finds %s again when its response is lost, and does not write it twice',
    async (name, match) => {
      let matchCount = 0
      scenario.forge.faults.add({
        match: (request) => {
          if (request.method === 'POST' && match(request)) matchCount += 1
          return request.method === 'POST' && match(request)
        },
        times: 1,
        action: applyThenDrop(),
      })
      const number = await scenario.openPullRequest(findings, {
        branch: `lost-${name.replace(' ', '-')}`,
      })
      await scenario.waitUntilSettled()
      const { summaries, inline, run, statuses, view } = await show(number)
      expect(matchCount).toBeGreaterThan(0)
      expect(summaries).toHaveLength(1)
      expect(inline.map((comment) => comment.path).sort()).toEqual([
        'src/one.ts',
        'src/three.ts',
        'src/two.ts',
      ])
      expect(view.reviews).toHaveLength(1)
      expect(statuses.at(-1)).toMatchObject({ state: 'failure' })
      expect(run).toMatchObject({ status: 'completed', error: null })
    },
  )
  it.each([
    ['resolves the threads of fixed findings after a broken connection', 1, true, 2],
    ['ends with threads that it could not resolve in any attempt', 3, false, 3],
  ])('%s', async (name, times, resolved, attempts) => {
    const { forge } = scenario
    const branch = name.replaceAll(' ', '-')
    const flaw = { 'src/one.ts': 'export const isBad = (one: number) => one === NaN\n' }
    const number = await scenario.openPullRequest(flaw, { branch })
    await scenario.waitUntilSettled()
    forge.faults.add({
      match: ({ body }) => body.includes('resolveReviewThread'),
      times,
      action: drop(),
    })
    const fix = { 'src/one.ts': 'export const one = 1\n' }
    await forge.push(repo, branch, fix, { author: 'alice' })
    await scenario.waitUntilSettled()
    const { view, run, summaries } = await show(number)
    expect(run).toMatchObject({ status: 'completed', attempts })
    expect(view.threads).toMatchObject([{ resolved }])
    expect(summaries).toHaveLength(1)
  })
})

describe('refusals', () => {
  it('case 51: fails a review at once when the token is not accepted', async () => {
    const { forge } = scenario
    forge.revokeToken(reviewerToken)
    const number = await scenario.openPullRequest(findings, { branch: 'revoked' })
    await scenario.waitUntilSettled()
    forge.createUser(reviewerLogin, { token: reviewerToken })
    const { runs, events, summaries } = await show(number)
    expect(runs).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        errorCode: 'platform_unauthorized',
        error: 'Bad credentials',
      },
    ])
    expect(events.map((event) => event.status)).toEqual(['failed'])
    expect(summaries).toEqual([])
  })

  it.each([
    ['5xx', replyWith(502, '<html>Bad Gateway</html>')],
    ['a page instead of data', htmlPage()],
    ['a connection that breaks', drop()],
  ])('case 51: retries and completes a review after %s', async (name, action) => {
    scenario.forge.faults.add({ match: isComparison, times: 1, action })
    const number = await scenario.openPullRequest(findings, { branch: name.replaceAll(' ', '-') })
    await scenario.waitUntilSettled()
    const { runs, events, summaries } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', attempts: 2, error: null, errorCode: null }])
    expect(events.map((event) => event.status)).toEqual(['completed'])
    expect(summaries).toHaveLength(1)
  })

  it('case 51: waits out a rate limit for as long as the platform specifies', async () => {
    const { forge, app } = scenario
    const limited = replyWith(
      403,
      { message: 'You have exceeded a secondary rate limit' },
      { 'retry-after': '1800' },
    )
    const removeFault = forge.faults.add({ match: isComparison, times: 1, action: limited })
    const number = await scenario.openPullRequest(findings, { branch: 'limited' })
    const requeued = await waitForRun(number, (run) => run.status === 'pending')
    expect(requeued).toMatchObject({ attempts: 1, errorCode: 'platform_rate_limited' })
    const wait = await app.db
      .selectFrom('workItems')
      .select('status')
      .select(sql<number>`extract(epoch from due_at - now())::float8`.as('seconds'))
      .where('number', '=', number)
      .executeTakeFirstOrThrow()
    expect(wait.status).toBe('pending')
    expect(wait.seconds).toBeGreaterThan(1700)
    expect(wait.seconds).toBeLessThanOrEqual(1800)
    removeFault()

    // A push notifies the worker, which must skip this run. The review of another pull request
    // proves that the worker was notified: it waits too, because it writes with the same account.
    await forge.push(repo, 'limited', { 'src/four.ts': leak('d') }, { author: 'alice' })
    await forge.waitForDelivery(
      (one) => one.action === 'synchronize' && one.payload.number === number,
    )
    const other = await scenario.openPullRequest(findings, { branch: 'other' })
    await waitForRun(other, (run) => run.errorCode === 'platform_rate_limited')
    expect((await runsOf(app, number)).at(-1)).toMatchObject({ status: 'pending', attempts: 1 })

    // These move the retry time into the past.
    await endRefusals(app)
    await app.db
      .updateTable('workItems')
      .set({ dueAt: sql<Date>`now() - interval '10 seconds'` })
      .where('number', 'in', [number, other])
      .execute()
    await scenario.waitUntilSettled()
    const { runs, summaries } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', attempts: 2 }])
    expect(summaries[0]?.body).toContain('4 critical')
  })

  it('case 65: fails a review after its last attempt, with an error status', async () => {
    scenario.forge.faults.add({
      match: isComparison,
      action: replyWith(500, { message: 'Server Error' }),
    })
    const number = await scenario.openPullRequest(findings, { branch: 'always-fails' })
    await scenario.waitUntilSettled()
    const { runs, events, statuses, summaries } = await show(number)
    expect(runs).toMatchObject([
      {
        status: 'failed',
        attempts: 3,
        errorCode: 'platform_unavailable',
        error: 'Server Error',
      },
    ])
    expect(events.map((event) => event.status)).toEqual(['failed'])
    expect(statuses.at(-1)).toMatchObject({
      state: 'error',
      description: 'Review failed: Server Error',
    })
    expect(summaries).toEqual([])
  })

  const patient = { timeout: 15_000 }

  /** Opens a pull request whose review fails, and whose check can't show that yet. */
  async function failWithCheckInProgress(branch: string): Promise<number> {
    const { forge, app } = scenario
    const limited = replyWith(
      403,
      { message: 'You have exceeded a secondary rate limit' },
      { 'retry-after': '1800' },
    )
    const removeFault = forge.faults.add({ match: isSummary, action: limited })
    const number = await scenario.openPullRequest(findings, { branch })
    for (const attempts of [1, 2]) {
      await waitForRun(number, (run) => run.status === 'pending' && run.attempts === attempts)
      await endWaits()
    }
    await waitForRun(number, (run) => run.status === 'failed')
    removeFault()
    await expect
      .poll(() => app.db.selectFrom('workItems').select(['kind', 'errorCode']).execute(), patient)
      .toEqual([{ kind: 'request', errorCode: 'platform_rate_limited' }])
    expect((await show(number)).statuses.at(-1)).toMatchObject({ state: 'pending' })
    return number
  }

  it.each([
    ['at its next attempt', endWaits],
    ['when it is repeated after its last attempt', repeatDropped],
  ])('case 65: shows a failure after writes were refused: %s', async (name, goOn) => {
    const number = await failWithCheckInProgress(name.replaceAll(' ', '-'))
    await goOn()
    await expect
      .poll(async () => (await show(number)).statuses.at(-1), patient)
      .toMatchObject({
        state: 'error',
        description: 'Review failed: You have exceeded a secondary rate limit',
      })
    const requests = scenario.app.db
      .selectFrom('platformRequests')
      .select('id')
      .where(sql<boolean>`request->>'number' = ${String(number)}`)
    await expect.poll(() => requests.execute(), patient).toEqual([])
  })

  it('case 65: leaves the check of a failed review to a later one', async () => {
    const { forge, app } = scenario
    const number = await failWithCheckInProgress('reviewed-later')
    await endRefusals(app)
    const opened = forge.deliveries.find(
      ({ action, payload }) => action === 'opened' && payload.number === number,
    )!
    await forge.redeliver(opened.id)
    await waitForRun(number, (run) => run.status === 'completed')
    const { statuses } = await show(number)
    expect(statuses.at(-1)).toMatchObject({ state: 'failure' })
    await endWaits()
    await expect
      .poll(() => app.db.selectFrom('workItems').select('kind').execute(), patient)
      .toEqual([])
    await repeatFailureChecks(app.db)
    expect(await app.db.selectFrom('workItems').select('kind').execute()).toEqual([])
    expect((await show(number)).statuses).toEqual(statuses)
  })

  it('case 56: uses the platform diff when git fails, and notes it in the summary', async () => {
    scenario.forge.faults.add({
      match: (request) => request.path.endsWith('/info/refs'),
      action: replyWith(403, 'no'),
    })
    const number = await scenario.openPullRequest(findings, { branch: 'no-git' })
    await scenario.waitUntilSettled()
    const { summaries, inline, run } = await show(number)
    expect(inline.map((comment) => comment.path).sort()).toEqual([
      'src/one.ts',
      'src/three.ts',
      'src/two.ts',
    ])
    expect(summaries[0]?.body).toContain('- The repository could not be fetched with git')
    expect(run).toMatchObject({ status: 'completed', filesAnalyzed: 3 })
  })
})

describe('case 55: a pull request that changes during its review', () => {
  /** Opens a pull request and runs `change` between the first and the last read of its head. */
  async function interrupt(branch: string, change: (number: number) => unknown): Promise<number> {
    const { forge } = scenario
    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await scenario.openPullRequest({ [`src/${branch}.ts`]: leak('a') }, { branch })
    await held.arrived
    await change(number)
    held.release()
    await scenario.waitUntilSettled()
    return number
  }

  it.each([
    [
      'closed',
      async (number: number): Promise<unknown> => scenario.forge.closePullRequest(repo, number),
    ],
    ['merged', (number: number): Promise<unknown> => scenario.forge.mergePullRequest(repo, number)],
  ])('case 55: posts nothing and leaves no pending status when it is %s', async (word, change) => {
    const number = await interrupt(`is-${word}`, change)
    const { events, runs, summaries, inline, statuses } = await show(number)
    expect(events.filter((event) => event.eventType === 'pull_request.opened')).toMatchObject([
      { status: 'completed' },
    ])
    expect(runs).toMatchObject([{ status: 'completed', verdict: null }])
    expect([...summaries, ...inline]).toEqual([])
    expect(statuses.map((status) => status.state)).toEqual(['pending', 'error'])
    expect(statuses.at(-1)?.description).toContain(`Skipped: ${word} before`)
  })

  it('case 55: posts nothing at all when it is closed before its review begins', async () => {
    const { forge } = scenario
    const held = hold()
    const number = nextNumber()
    forge.faults.add({ match: isRead(number), times: 1, action: held })
    expect(await scenario.openPullRequest({ 'src/early.ts': leak('e') }, { branch: 'early' })).toBe(
      number,
    )
    await held.arrived
    forge.closePullRequest(repo, number)
    held.release()
    await scenario.waitUntilSettled()
    const { runs, summaries, statuses } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', verdict: null }])
    expect(summaries).toEqual([])
    expect(statuses).toEqual([])
  })

  it('case 55: reviews it after it became a draft and its webhook was removed', async () => {
    const { forge } = scenario
    const [hook] = forge.webhooks(repo)
    const number = await interrupt('draft', (at) => {
      forge.convertToDraft(repo, at)
      forge.removeWebhook(repo, hook!.id)
    })
    forge.addWebhook(repo, hook!)
    const { runs, summaries } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', verdict: 'REQUEST_CHANGES' }])
    expect(summaries).toHaveLength(1)
  })

  it('case 55: posts nothing when its branch is deleted, which closes it', async () => {
    const number = await interrupt('deleted-branch', () =>
      scenario.forge.deleteBranch(repo, 'deleted-branch'),
    )
    const { runs, summaries } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', verdict: null }])
    expect(summaries).toEqual([])
  })

  it('case 55: reviews it at its new address when its repository is renamed', async () => {
    const { forge } = scenario
    const number = await interrupt('renamed', () => forge.renameRepository(repo, 'acme/store'))
    const posted = ownComments(forge.pullRequest('acme/store', number))
    const runs = await runsOf(scenario.app, number)
    forge.renameRepository('acme/store', repo)
    expect(runs).toMatchObject([{ status: 'completed', verdict: 'REQUEST_CHANGES' }])
    expect(posted.summaries).toHaveLength(1)
    expect(posted.inline).toHaveLength(1)
  })

  it('case 55: fails with the reason when its repository is removed', async () => {
    const number = await interrupt('removed', () => scenario.forge.removeRepository(repo))
    const runs = await runsOf(scenario.app, number)
    expect(runs).toMatchObject([
      { status: 'failed', attempts: 1, errorCode: 'platform_not_found', error: 'Not Found' },
    ])
    const events = (await scenario.app.events()).filter((event) => event.prNumber === number)
    expect(events.map((event) => event.status)).toEqual(['failed'])
  })
})

type Run = Awaited<ReturnType<typeof runsOf>>[number]

/** Waits until the latest run of a pull request is as expected. */
async function waitForRun(number: number, isThere: (run: Run) => boolean): Promise<Run> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const run = (await runsOf(scenario.app, number)).at(-1)
    if (run && isThere(run)) return run
    if (performance.now() > deadline)
      throw new Error(`The run is ${run?.status} after ${run?.attempts} attempts`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
