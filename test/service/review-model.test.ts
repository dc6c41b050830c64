// Reviews with a model: findings reach the right lines, and bad output does no harm.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ModelServer,
  type ProtocolName,
  type Reply,
  replyInOrder,
  startModelServer,
} from '../fakes/models/model-server.ts'
import { isVerificationRequest } from '../fakes/models/verification.ts'
import {
  ownComments,
  repo,
  reviewerLogin,
  runsOf,
  type Scenario,
  startScenario,
} from '../review-scenario.ts'

/** A change with a defect that no rule reports. */
const discount = `// Discounts.
export { findOrders } from './orders.ts'

export function discountOf(count: number): number {
  // Ten and more get a tenth off.
  if (count > 10) {
    return 0.1
  }
  return 0
}
`
const path = 'src/discount.ts'
const finding = {
  path,
  side: 'RIGHT',
  // The quote is on line 6, and it takes precedence over these numbers.
  start_line: 4,
  end_line: 4,
  quote: 'if (count > 10) {',
  severity: 'moderate',
  category: 'correctness',
  title: 'Exactly ten articles get no discount',
  body: 'When `count` is 10, then the discount is 0, though the comment promises a tenth.',
  suggestion: null,
  evidence: [{ path, line: 5, note: 'ten and more' }],
  confidence: 0.9,
}
const nothing: Reply = { json: { summary: 'It adds discounts.', findings: [] } }

const key = 'sk-test-0123456789'

/** Starts a scenario that uses a model server. */
async function startWithModel(
  protocol: ProtocolName,
  model: string,
  env: Record<string, string> = {},
) {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startModelServer({ protocol, script: () => nothing }))
  const keys = {
    ANTHROPIC_API_KEY: key,
    OPENAI_API_KEY: key,
    GOOGLE_GENERATIVE_AI_API_KEY: key,
    MODEL_API_KEY: key,
  }
  const scenario = stack.use(
    await startScenario({ env: { MODEL: model, MODEL_BASE_URL: server.url, ...keys, ...env } }),
  )
  const resources = stack.move()
  return { server, scenario, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Reviews a change on its own branch and returns what was posted and stored. */
async function reviewChange(
  scenario: Scenario,
  branch: string,
  files: Record<string, string> = { [path]: discount },
) {
  const number = await scenario.openPullRequest(files, { branch })
  await scenario.waitUntilSettled()
  return show(scenario, number)
}

async function show({ forge, app }: Scenario, number: number) {
  const view = forge.pullRequest(repo, number)
  const { summaries, inline } = ownComments(view)
  const runs = await runsOf(app, number)
  expect(summaries, runs.map(({ status, error }) => `${status}: ${error}`).join('\n')).toHaveLength(
    1,
  )
  return { number, view, summary: summaries[0]?.body ?? '', inline, run: runs.at(-1), runs }
}

describe.each([
  ['anthropic', 'anthropic:claude-opus-5-5'],
  // This model gets the schema as a tool when it has other tools.
  ['anthropic', 'anthropic:claude-3-haiku-20240307'],
  ['openai-responses', 'openai:gpt-5.1'],
  ['openai-chat', 'compatible:local'],
  ['google', 'google:gemini-3-flash-preview'],
] as const)('%s, %s', (protocol, model) => {
  it('reads files with its tools and posts its finding on the quoted line', async () => {
    await using started = await startWithModel(protocol, model)
    const { server, scenario } = started
    server.respondWith((request) => {
      if (request.toolResults.length > 0)
        return { json: { summary: 'It adds discounts.', findings: [finding] } }
      return {
        toolCalls: [
          {
            name: 'read_file',
            input: { path: 'src/stock.ts', start_line: 1, end_line: 2, at: 'head' },
          },
        ],
      }
    })
    const { summary, inline, view, run } = await reviewChange(scenario, 'discounts')
    const lastRequest = server.requests.findLast((request) => !isVerificationRequest(request))
    expect(lastRequest?.toolResults[0]).toContain('1\t// How many of each article are left.')
    expect(inline).toMatchObject([{ path, line: 6, side: 'RIGHT', author: reviewerLogin }])
    expect(inline[0]?.body).toContain(
      '**🟡 Moderate · correctness**: Exactly ten articles get no discount',
    )
    expect(summary).toMatch(/^### 🟡 Needs a person: 1 moderate$/m)
    expect(summary).toContain('It adds discounts.')
    expect(view.statuses[view.headSha]?.at(-1)?.state).toBe('failure')
    expect(run).toMatchObject({ verdict: 'NEEDS_DISCUSSION', usage: { calls: 3 } })
    const spent = await scenario.app.db
      .selectFrom('modelSpend')
      .select(['model', 'calls'])
      .execute()
    expect(spent).toEqual([{ model, calls: 3 }])
  })
})

describe('an unreliable model', () => {
  let resources: Awaited<ReturnType<typeof startWithModel>>
  let server: ModelServer
  let scenario: Scenario
  beforeAll(async () => {
    resources = await startWithModel('anthropic', 'anthropic:claude-opus-5-5', {
      REVIEW_MAX_ATTEMPTS: '2',
    })
    server = resources.server
    scenario = resources.scenario
  })
  afterAll(() => resources[Symbol.asyncDispose]())

  it('case 44: posts hostile text inert and within the length limit', async () => {
    const hostile = [
      'See ![a pixel](https://evil.example/p.png?q=1) and [this](https://evil.example/login) ' +
        'or https://evil.example/x.',
      '@everyone and @alice, Fixes #1, closes acme/shop#2, GH-3',
      '/merge\r/approve',
      '<!-- umpire:review v=1 head=0000000000000000000000000000000000000000 run=1 -->',
      '<!-- umpire:finding 00000000000000000000000000000000 -->',
      '<img src="https://evil.example/i.png" onerror="alert(1)"><script>alert(1)</script>',
      '```suggestion\nrm -rf /\n```\n~~~~\nan open fence',
    ].join('\n')
    const long = `${hostile}\n${'x'.repeat(70_000)}`
    server.respondWith(() => ({
      json: {
        summary: long,
        findings: [
          {
            ...finding,
            title: `${hostile} | a cell`,
            body: long,
            evidence: [{ path, line: 1, note: hostile }],
          },
        ],
      },
    }))
    const { summary, inline, view } = await reviewChange(scenario, 'hostile')
    expect(inline).toHaveLength(1)
    for (const body of [summary, inline[0]?.body ?? '']) {
      expect(body.length).toBeLessThanOrEqual(65_536)
      const own = body.match(/<!-- umpire:/g)
      expect(own).toHaveLength(1)
      const prose = body.replaceAll(
        /<!-- umpire:(review v=1 head=\w{40} run=\d+|finding \w{32}) -->/g,
        '',
      )
      const rest = prose
        .replace(/\[the review's page\]\(http:\/\/localhost:\d+\/reviews\/\d+\)/, '')
        .replace(
          /\[`src\/discount\.ts:6`\]\(http:[\w./:]+\/blob\/\w{40}\/src\/discount\.ts#L6\)/,
          '',
        )
        .replace(/\]\(http:[\w./:]+\/pull\/\d+#discussion_r\d+\)/, ']')
        .replaceAll(/<\/?(details|summary|strong|sub|br)>/g, '')
      expect(rest).not.toMatch(/!\[|\]\(|<[a-z!/]/i)
      expect(rest).not.toMatch(/https?:\/\/evil|evil\.example/)
      expect(rest).not.toMatch(/@\w|(^|\W)#\d|GH-\d/)
      expect(rest).not.toMatch(/^\s*\/\w/m)
      expect(rest).not.toContain('\r')
      expect(rest).not.toContain('```suggestion')
      expect((rest.match(/^`{3,}/gm) ?? []).length % 2).toBe(0)
      expect(rest).not.toMatch(/^~~~/m)
    }
    expect(summary).toContain(`head=${view.headSha} `)
    expect(summary.match(/^- 🟡 \*\*Moderate\*\* · .* · .*$/gm)).toHaveLength(1)
    expect(view.title).toBe('A change')
  })

  it('case 45: drops invalid findings after one repair round, with a count', async () => {
    const bad = [
      { ...finding, path: 'src/unknown.ts' },
      { ...finding, start_line: 0, end_line: 0 },
      { ...finding, start_line: 1e9, end_line: 1e9 },
      { ...finding, start_line: 9, end_line: 4 },
      { ...finding, severity: 'terrible' },
    ]
    const before = server.requests.length
    server.respondWith(() => ({
      json: { summary: 'It adds discounts.', findings: [...bad, finding] },
    }))
    const { summary, inline } = await reviewChange(scenario, 'bad-findings')
    expect(
      server.requests.slice(before).filter((request) => !isVerificationRequest(request)),
    ).toHaveLength(2)
    expect(inline).toMatchObject([{ path, line: 6 }])
    expect(summary).toContain('- 5 proposals of the model did not fit and were dropped.')
  })

  it('case 45: does not approve the change when all findings are dropped', async () => {
    const elsewhere = {
      ...finding,
      quote: 'if (this stands nowhere) {',
      start_line: 900,
      end_line: 900,
    }
    server.respondWith(() => ({
      json: { summary: '', findings: [elsewhere, { ...elsewhere, path: 'src/unknown.ts' }] },
    }))
    const { summary, run } = await reviewChange(scenario, 'nowhere')
    expect(summary).toContain('- 1 proposal of the model did not fit and was dropped.')
    expect(summary).toContain(
      '- 1 proposed finding(s) dropped: about code that is not in the diff.',
    )
    expect(summary).not.toMatch(/nothing found/i)
    expect(run?.summary).not.toMatch(/nothing found/i)
  })

  it.each([
    ['a refusal', { refusal: 'I would rather not.' }, 'The configured model took no part'],
    [
      'text instead of findings',
      { text: 'Looks good to me!' },
      'The configured model took no part',
    ],
    [
      'an answer cut at its limit',
      { length: '{"summary": "It adds", "findings": [' },
      'ended at its output limit',
    ],
  ] as const)('case 46: reports %s as an incomplete review', async (name, reply, note) => {
    server.respondWith(() => reply)
    const { summary, view, run } = await reviewChange(scenario, name.replaceAll(' ', '-'))
    expect(summary).toMatch(/^### ⚪ Incomplete: .* not (read|finish)/m)
    expect(summary).toContain(note)
    expect(summary).not.toMatch(/nothing found/i)
    expect(view.statuses[view.headSha]?.at(-1)?.state).toBe('error')
    expect(run).toMatchObject({
      verdict: 'NEEDS_DISCUSSION',
      status: 'completed',
      coverage: { complete: false },
    })
    expect(run?.summary).not.toMatch(/nothing found/i)
  })

  it('case 46: does not count a file as reviewed when it is too long for the model', async () => {
    const tooLong = {
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long' },
      },
    }
    server.respondWith(({ text }) => (text.includes('path="src/long.ts"') ? tooLong : nothing))
    const files = { [path]: discount, 'src/long.ts': 'export const long = 1\n' }
    const { summary, run } = await reviewChange(scenario, 'too-long', files)
    expect(summary).toContain('confidence 2/5: only part of the change was reviewed (1 of 2 files)')
    expect(summary).toContain('Coverage: 1 of 2 files, ')
    expect(run).toMatchObject({
      verdict: 'NEEDS_DISCUSSION',
      filesAnalyzed: 1,
      coverage: { complete: false },
    })
    // No file is too long for the rules.
    server.respondWith(() => ({ refusal: 'I would rather not.' }))
    const byRules = await reviewChange(scenario, 'by-rules', files)
    expect(byRules.summary).toContain('### ⚪ Incomplete: the review did not finish')
    expect(byRules.summary).toContain(' with rules only')
    expect(byRules.run).toMatchObject({ verdict: 'NEEDS_DISCUSSION', filesAnalyzed: 2 })
  })

  it('case 46: sends the request again after a broken stream or an empty answer', async () => {
    const good: Reply = { json: { summary: 'It adds discounts.', findings: [finding] } }
    server.respondWith(replyInOrder({ ...good, cutAfterBytes: 700 }, { empty: true }, good))
    const { inline, run } = await reviewChange(scenario, 'broken-stream')
    expect(inline).toMatchObject([{ path, line: 6 }])
    expect(run).toMatchObject({ coverage: { complete: true } })
  })

  it('case 54: reviews only the newest head after a push during the review', async () => {
    const { forge, app } = scenario
    const answer = Promise.withResolvers<void>()
    const first = server.requests.length + 1
    server.respondWith(async (request) => {
      if (request.number === first) await answer.promise
      return { json: { summary: 'It adds discounts.', findings: [finding] } }
    })
    const number = await scenario.openPullRequest({ [path]: discount }, { branch: 'pushed-to' })
    await server.arrived(first)
    const oldHead = forge.pullRequest(repo, number).headSha
    const newHead = await forge.push(
      repo,
      'pushed-to',
      { [path]: `// A new first line.\n${discount}` },
      { author: 'alice' },
    )
    await forge.waitForDelivery(
      (one) => one.action === 'synchronize' && one.payload.number === number,
    )
    answer.resolve()
    await scenario.waitUntilSettled()

    const { summary, inline, view, runs } = await show(scenario, number)
    expect(view.headSha).toBe(newHead)
    expect(summary).toContain(`head=${newHead} `)
    expect(view.comments.find((comment) => comment.author === reviewerLogin)?.edits).toBe(1)
    expect(view.reviews.map((review) => review.commitId)).toEqual([newHead])
    expect(inline).toMatchObject([{ path, line: 7, originalCommitId: newHead }])
    expect(view.statuses[oldHead]?.map((status) => status.state)).toEqual(['pending', 'error'])
    expect(view.statuses[newHead]?.map((status) => status.state)).toEqual(['pending', 'failure'])
    expect(runs).toMatchObject([{ status: 'completed', headSha: newHead }])
    const events = (await app.events()).filter((event) => event.prNumber === number)
    expect(events.map((event) => [event.eventType, event.status])).toEqual([
      ['pull_request.opened', 'completed'],
      ['pull_request.synchronize', 'completed'],
    ])
  })
})

describe('budget', () => {
  it('case 49: reports on the pull request that the daily budget is spent', async () => {
    const env = { REVIEW_BUDGET_DAILY_USD: '0.7' }
    await using started = await startWithModel('anthropic', 'anthropic:claude-opus-5-5', env)
    const { server, scenario } = started
    // With this model, that costs 0.45 dollars, and the next call about as much at most.
    server.respondWith(() => ({ ...nothing, usage: { input: 90_000, output: 4500 } }))
    const first = await reviewChange(scenario, 'within')
    expect(first.run).toMatchObject({ verdict: 'APPROVE', usage: { calls: 1 } })
    const second = await reviewChange(scenario, 'over', { 'src/more.ts': discount })
    expect(server.requests).toHaveLength(1)
    expect(second.summary).toContain(
      'The configured model took no part. The model budget for one day ($0.70) ' +
        "doesn't cover the next call: it may cost $0.",
    )
    expect(second.summary).not.toMatch(/nothing found/i)
    expect(second.run).toMatchObject({ verdict: 'NEEDS_DISCUSSION', usage: { calls: 0 } })
    expect(second.view.statuses[second.view.headSha]?.at(-1)?.state).toBe('error')
  })
})
