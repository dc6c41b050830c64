// Pull requests that try to break the service: each is reviewed, and so is the next one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replyWith } from '../fakes/forge/forge.ts'
import { startModelServer } from '../fakes/models/model-server.ts'
import { ownComments, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

let scenario: Scenario
beforeAll(async () => {
  scenario = await startScenario({ env: { REVIEW_MAX_ATTEMPTS: '2' } })
})
afterAll(() => scenario[Symbol.asyncDispose]())

async function review(branch: string, files: Record<string, string>) {
  const number = await scenario.openPullRequest(files, { branch })
  await scenario.waitUntilSettled()
  const view = scenario.forge.pullRequest(repo, number)
  const [run] = await runsOf(scenario.app, number)
  return { number, view, run, summary: ownComments(view).summaries[0]?.body ?? '' }
}

describe('without a model', () => {
  it('stores a finding on a line with a NUL character', async () => {
    const padding = '// padding\n'.repeat(900)
    const text = `${padding}export function f(a: Date) {\n  return a === new Date('\0')\n}\n`
    const { run, summary } = await review('nul', { 'src/nul.ts': text })
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
    expect(summary).toContain('src/nul.ts:902')
  })

  it('stores the first of three thousand findings, posts few and counts all', async () => {
    const text = `export function f() {\n${'  debugger\n'.repeat(3000)}}\n`
    const { run, view, number, summary } = await review('many', { 'src/many.ts': text })
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
    const stored = await scenario.app.db
      .selectFrom('findings')
      .select('id')
      .where('prNumber', '=', number)
      .execute()
    expect(stored).toHaveLength(100)
    expect(summary).toMatch(/2,?900/)
    expect(view.inlineComments.length).toBeLessThanOrEqual(30)
  })

  it('does not approve a change that it could not read', async () => {
    const { run, view, summary } = await review('unseen', { 'src/auth.bin': 'auth\0' })
    expect(run).toMatchObject({ verdict: 'NEEDS_DISCUSSION', confidence: 1 })
    expect(view.statuses[view.headSha]?.at(-1)?.state).toBe('error')
    expect(summary).not.toMatch(/nothing found/i)
  })

  it('reviews a deleted file', async () => {
    const number = await scenario.openPullRequest({ 'src/mail.ts': null }, { branch: 'deletes' })
    await scenario.waitUntilSettled()
    const [run] = await runsOf(scenario.app, number)
    expect(run?.coverage).toMatchObject({ filesTotal: 1, filesReviewed: 1, skipped: [] })
  })

  it('completes a review when the token cannot write statuses', async () => {
    const remove = scenario.forge.faults.add({
      match: (request) => request.path.includes('/statuses/'),
      action: replyWith(403, { message: 'Resource not accessible by personal access token' }),
    })
    const { run, summary } = await review('no-status', { 'src/a.ts': 'export const a = 1\n' })
    remove()
    expect(run).toMatchObject({ status: 'completed', attempts: 1, verdict: 'APPROVE' })
    expect(summary).toContain('nothing found in 1 file')
  })
})

describe('with a model', () => {
  it('reports a file that is too large to read, and continues', async () => {
    await using server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: { summary: 'Fine.', findings: [] } }),
    })
    await using own = await startScenario({
      env: { MODEL: 'compatible:local', MODEL_BASE_URL: server.url },
    })
    const files = {
      'src/data.ts': `export const data = '${'x'.repeat(1_100_000)}'\n`,
      'src/a.ts': 'export const a = 1\n',
    }
    const number = await own.openPullRequest(files)
    await own.waitUntilSettled()
    const [run] = await runsOf(own.app, number)
    expect(run).toMatchObject({
      status: 'completed',
      verdict: 'NEEDS_DISCUSSION',
      filesAnalyzed: 1,
    })
    expect(ownComments(own.forge.pullRequest(repo, number)).summaries[0]?.body).toContain(
      'over the token budget',
    )
  })

  it('stores model output with NUL characters and lone surrogates', async () => {
    const finding = {
      path: 'src/a.ts',
      side: 'RIGHT',
      start_line: 1,
      end_line: 1,
      quote: 'export const a = 1',
      severity: 'minor',
      category: 'correctness',
      title: 'One\0is odd',
      body: 'When\0then.',
      suggestion: null,
      evidence: [{ path: 'src/a.ts', line: 1, note: 'half \ud800 of\0it' }],
      confidence: 0.9,
    }
    await using server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: { summary: 'Sum\0mary \udc00.', findings: [finding] } }),
    })
    await using own = await startScenario({
      env: { MODEL: 'compatible:local', MODEL_BASE_URL: server.url },
    })
    const number = await own.openPullRequest({ 'src/a.ts': 'export const a = 1\n' })
    await own.waitUntilSettled()
    const [run] = await runsOf(own.app, number)
    expect(run).toMatchObject({ status: 'completed', attempts: 1 })
    expect(own.forge.pullRequest(repo, number).inlineComments).toHaveLength(1)
  })

  it('stops within the grace time while reviews wait, and starts none', async () => {
    await using server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ hang: true }),
    })
    const own = await startScenario({
      env: {
        MODEL: 'compatible:local',
        MODEL_BASE_URL: server.url,
        REVIEW_CONCURRENCY: '1',
        SHUTDOWN_GRACE_SECONDS: '0',
      },
    })
    for (const branch of ['one', 'two', 'three'])
      await own.openPullRequest({ [`src/${branch}.ts`]: 'x\n' }, { branch })
    await server.arrived(1)
    await own[Symbol.asyncDispose]()
    expect(server.requests).toHaveLength(1)
  })

  it('applies the budget of one review to all its attempts', async () => {
    // Each attempt costs about a dollar, which exceeds the budget, and then fails.
    await using server = await startModelServer({
      protocol: 'anthropic',
      script: (request) =>
        request.number % 2 === 1
          ? {
              toolCalls: [{ name: 'list_files', input: {} }],
              usage: { input: 200_000, output: 4_000 },
            }
          : {
              status: 529,
              body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
            },
    })
    await using own = await startScenario({
      env: {
        MODEL: 'anthropic:claude-opus-5',
        MODEL_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-test-0123456789',
        REVIEW_BUDGET_USD: '1.2',
        REVIEW_MAX_ATTEMPTS: '5',
      },
    })
    const number = await own.openPullRequest({ 'src/a.ts': 'export const a = 1\n' })
    await own.waitUntilSettled()
    const runs = await runsOf(own.app, number)
    expect(runs).toHaveLength(1)
    const spend = await own.app.db.selectFrom('modelSpend').select('calls').execute()
    // The first call used up the budget, so later attempts make no call.
    expect(spend.reduce((sum, row) => sum + row.calls, 0)).toBe(1)
  })
})
