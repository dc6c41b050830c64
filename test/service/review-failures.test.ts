// The main job while the platform fails, refuses, or changes under it: nothing twice, nothing lost, a reason where it ends.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  applyThenDrop,
  drop,
  hold,
  htmlPage,
  replyWith,
  type SeenRequest,
} from '../fakes/forge/forge.ts'
import {
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
  // A short lease makes the look for stranded reviews frequent.
  scenario = await startScenario({ env: { REVIEW_LEASE_SECONDS: '2', REVIEW_MAX_ATTEMPTS: '3' } })
})
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => scenario.forge.faults.clear())

/** A line that the static reviewer reports. */
function leak(letter: string): string {
  return `export const key${letter} = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s${letter}'\n`
}

const findings = { 'src/one.ts': leak('a'), 'src/two.ts': leak('b'), 'src/three.ts': leak('c') }

const isRead = (number: number) => (request: SeenRequest) =>
  request.method === 'GET' && request.path.endsWith(`/pulls/${number}`)
const isReview = (request: SeenRequest) =>
  request.method === 'POST' && request.path.endsWith('/reviews')
const isSummary = (request: SeenRequest) =>
  request.method === 'POST' && /\/issues\/\d+\/comments$/.test(request.path)
const isComparison = (request: SeenRequest) => request.path.includes('/compare/')

/** The number that the next pull request will have. */
function nextNumber(): number {
  const opened = scenario.forge.deliveries.filter((delivery) => delivery.action === 'opened')
  return Math.max(0, ...opened.map((delivery) => Number(delivery.payload.number))) + 1
}

async function show(number: number) {
  const view = scenario.forge.pullRequest(repo, number)
  const events = (await scenario.app.events()).filter((event) => event.pr_number === number)
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
  it('case 52: a comment whose line is refused goes into the summary, the others stay on their lines', async () => {
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
    // Told in full: with the claim and what follows from it, not only in the table.
    expect(summaries[0]?.body).toMatch(/^\*\*🔴 Critical · security\*\*: .* \(`src\/two\.ts:1`\)$/m)
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it('case 53: where lists show late what was written, a refused line leads to nothing that stands twice', async () => {
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
    expect(summaries[0]?.body).toMatch(/^\*\*🔴 Critical · security\*\*: .* \(`src\/two\.ts:1`\)$/m)
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it.each([
    ['the review', isReview],
    ['the summary', isSummary],
    ['the status', (request: SeenRequest) => request.path.includes('/statuses/')],
  ])(
    'case 53: where the answer to %s is lost, it is found again and not written twice',
    async (name, match) => {
      let met = 0
      scenario.forge.faults.add({
        match: (request) => {
          if (request.method === 'POST' && match(request)) met += 1
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
      expect(met).toBeGreaterThan(0)
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
})

describe('refusals', () => {
  it('case 51: a token that is not accepted ends the review with the reason, at once', async () => {
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
        error_code: 'platform_unauthorized',
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
  ])(
    'case 51: %s, then all is well: the review is tried again and completed',
    async (name, action) => {
      scenario.forge.faults.add({ match: isComparison, times: 1, action })
      const number = await scenario.openPullRequest(findings, { branch: name.replaceAll(' ', '-') })
      await scenario.waitUntilSettled()
      const { runs, events, summaries } = await show(number)
      expect(runs).toMatchObject([
        { status: 'completed', attempts: 2, error: null, error_code: null, retry_at: null },
      ])
      expect(events.map((event) => event.status)).toEqual(['completed'])
      expect(summaries).toHaveLength(1)
    },
  )

  it('case 51: a rate limit is waited for as long as the platform says, whatever comes in meanwhile', async () => {
    const { forge, app } = scenario
    const limited = replyWith(
      403,
      { message: 'You have exceeded a secondary rate limit' },
      { 'retry-after': '1800' },
    )
    const removeFault = forge.faults.add({ match: isComparison, times: 1, action: limited })
    const number = await scenario.openPullRequest(findings, { branch: 'limited' })
    const put = await waitForRun(number, (run) => run.retry_at !== null)
    expect(put).toMatchObject({
      status: 'pending',
      attempts: 1,
      error_code: 'platform_rate_limited',
    })
    const wait = await app.db
      .selectFrom('workflow_runs')
      .select(sql<number>`extract(epoch from retry_at - now())::float8`.as('seconds'))
      .where('pr_number', '=', number)
      .executeTakeFirstOrThrow()
    expect(wait.seconds).toBeGreaterThan(1700)
    expect(wait.seconds).toBeLessThanOrEqual(1800)
    removeFault()

    // A push wakes the worker, which must leave it alone. That another one is reviewed shows that it had its turn.
    await forge.push(repo, 'limited', { 'src/four.ts': leak('d') }, { author: 'alice' })
    await forge.waitForDelivery(
      (one) => one.action === 'synchronize' && one.payload.number === number,
    )
    const other = await scenario.openPullRequest(findings, { branch: 'beside' })
    await waitForRun(other, (run) => run.status === 'completed')
    expect((await runsOf(app, number)).at(-1)).toMatchObject({ status: 'pending', attempts: 1 })

    // The time has come.
    await app.db
      .updateTable('workflow_runs')
      .set({ retry_at: sql<Date>`now() - interval '10 seconds'` })
      .where('pr_number', '=', number)
      .execute()
    await scenario.waitUntilSettled()
    const { runs, summaries } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', attempts: 2 }])
    expect(summaries[0]?.body).toContain('4 critical')
  })

  it('case 65: a review that always fails ends as failed after its tries, with the reason on the commit', async () => {
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
        error_code: 'platform_unavailable',
        error: 'Server Error',
        lease_until: null,
      },
    ])
    expect(events.map((event) => event.status)).toEqual(['failed'])
    expect(statuses.at(-1)).toMatchObject({
      state: 'error',
      description: 'Review failed: Server Error',
    })
    expect(summaries).toEqual([])
  })

  it('case 56: where git does not answer, the diff of the platform stands in, and the review says so', async () => {
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
    expect(run).toMatchObject({ status: 'completed', files_analyzed: 3 })
  })
})

describe('case 55: what happens to a pull request during its review', () => {
  /** Opens a pull request and lets `happen` come between the first look at its head and the last one. */
  async function interrupt(branch: string, happen: (number: number) => unknown): Promise<number> {
    const { forge } = scenario
    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await scenario.openPullRequest({ [`src/${branch}.ts`]: leak('a') }, { branch })
    await held.arrived
    await happen(number)
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
  ])(
    'case 55: it is %s: nothing is posted, and nothing stays in progress',
    async (word, happen) => {
      const number = await interrupt(`is-${word}`, happen)
      const { events, runs, summaries, inline, statuses } = await show(number)
      expect(events.filter((event) => event.event_type === 'pull_request.opened')).toMatchObject([
        { status: 'completed' },
      ])
      expect(runs).toMatchObject([{ status: 'completed', verdict: null }])
      expect([...summaries, ...inline]).toEqual([])
      expect(statuses.map((status) => status.state)).toEqual(['pending', 'error'])
      expect(statuses.at(-1)?.description).toContain(`the pull request was ${word}`)
    },
  )

  it('case 55: it is closed before its review begins: nothing is posted at all', async () => {
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

  it('case 55: it is turned into a draft, and the hook is removed: it is reviewed all the same', async () => {
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

  it('case 55: its branch is deleted, which closes it', async () => {
    const number = await interrupt('deleted-branch', () =>
      scenario.forge.deleteBranch(repo, 'deleted-branch'),
    )
    const { runs, summaries } = await show(number)
    expect(runs).toMatchObject([{ status: 'completed', verdict: null }])
    expect(summaries).toEqual([])
  })

  it('case 55: its repository is renamed: it is reviewed at its new address', async () => {
    const { forge } = scenario
    const number = await interrupt('renamed', () => forge.renameRepository(repo, 'acme/store'))
    const words = ownComments(forge.pullRequest('acme/store', number))
    const runs = await runsOf(scenario.app, number)
    forge.renameRepository('acme/store', repo)
    expect(runs).toMatchObject([{ status: 'completed', verdict: 'REQUEST_CHANGES' }])
    expect(words.summaries).toHaveLength(1)
    expect(words.inline).toHaveLength(1)
  })

  it('case 55: its repository is removed: it ends with the reason', async () => {
    const number = await interrupt('removed', () => scenario.forge.removeRepository(repo))
    const runs = await runsOf(scenario.app, number)
    expect(runs).toMatchObject([
      { status: 'failed', attempts: 1, error_code: 'platform_not_found', error: 'Not Found' },
    ])
    const events = (await scenario.app.events()).filter((event) => event.pr_number === number)
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
