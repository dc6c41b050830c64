// The attention check with attentive and silent models, for agentic and parallel reviewers.
import { describe, expect, it } from 'vitest'
import type { GenerateRequest, Model, ModelAnswer } from '../src/models/index.ts'
import { createLocalBudget, createModels, createUnlimitedBudget } from '../src/models/index.ts'
import { createAgenticReviewer } from '../src/reviewers/agentic-reviewer.ts'
import type { AttentionCheckOptions, ModelOptions } from '../src/reviewers/model-options.ts'
import { createParallelReviewer } from '../src/reviewers/parallel-reviewer.ts'
import type { ReviewerReport } from '../src/reviewers/reviewer.ts'
import { addCanaryFinding, findCanary, isReviewRequest } from './fakes/models/attentive-model.ts'
import {
  type ModelRequest,
  type Reply,
  type Script,
  startModelServer,
} from './fakes/models/model-server.ts'
import { startTestCodeTools } from './fakes/test-code-tools.ts'
import {
  answer,
  anthropicKind,
  cartSpan,
  finding,
  header,
  kinds,
  makeChange,
  never,
  onePack,
  pack,
  priceSpan,
  span,
} from './samples/price-change.ts'

const createTestCodeTools = startTestCodeTools()

type Options = Partial<ModelOptions & AttentionCheckOptions> & { mode?: 'agentic' | 'parallel' }

/** Starts a reviewer with a model that only follows its script. */
async function start(
  script: Script,
  { mode = 'agentic', ...options }: Options = {},
  kind = anthropicKind,
) {
  const server = await startModelServer({ protocol: kind.protocol, script, attentive: false })
  const { main } = createModels({
    main: {
      provider: kind.provider,
      id: kind.id,
      apiKey: 'sk-test-0123456789',
      baseUrl: server.url,
    },
    fast: null,
    timing: { backoffMs: 1, idleTimeoutMs: 10_000 },
  })
  const common = { tools: createTestCodeTools, budget: createUnlimitedBudget(), ...options }
  const reviewer =
    mode === 'agentic'
      ? createAgenticReviewer({ model: main!, ...common })
      : createParallelReviewer({ models: { main: main!, fast: main! }, ...common })
  return { server, reviewer, [Symbol.asyncDispose]: server.close }
}

const nothing: Reply = { json: { summary: 'All is well.', findings: [] } }
const reads: Script = (request) => addCanaryFinding(request, nothing)
const isNotRead = (who: string) =>
  `not reviewed by ${who}. It gave no proof of having read what it was shown.`

/** Returns the paths of the canaries in the requests. */
function canariesIn(requests: readonly ModelRequest[]): string[] {
  return requests.filter(isReviewRequest).map(({ text }) => findCanary(text)!.path)
}

function expectNoCanaries(paths: readonly string[], report: ReviewerReport): void {
  const text = JSON.stringify(report).toLowerCase()
  for (const path of paths) {
    const word = /[a-z]{8}/.exec(path.slice(path.lastIndexOf('/')).toLowerCase())![0]
    expect(text).not.toContain(word)
  }
}

describe.each(kinds)('case 75: with $provider', (kind) => {
  it('case 75: counts a round as read when the model reports only the canary', async () => {
    await using run = await start(reads, {}, kind)
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report).toMatchObject({
      findings: [],
      summary: 'All is well.',
      notes: [],
      unread: [],
      complete: true,
    })
    expect(run.server.requests).toHaveLength(1)
    expectNoCanaries(canariesIn(run.server.requests), report)
  })

  it('case 75: retries a silent model once with another canary, then marks it unread', async () => {
    await using run = await start(() => nothing, {}, kind)
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report).toMatchObject({
      findings: [],
      unread: ['src/price.ts', 'src/cart.ts'],
      complete: false,
    })
    expect(report.notes).toEqual([expect.stringContaining(isNotRead('the model'))])
    const { requests } = run.server
    expect(requests).toHaveLength(2)
    expect(new Set(canariesIn(requests)).size).toBe(2)
    expect(report.usage.calls).toBe(2)
    expectNoCanaries(canariesIn(requests), report)
  })
})

describe('case 75: a round', () => {
  it('case 75: is retried with the same prompt except for the canary file', async () => {
    await using run = await start(() => nothing)
    await run.reviewer.review(makeChange(), onePack, never)
    const [first, second] = run.server.requests.map(({ text, system }) => {
      const { path, lines } = findCanary(text)!
      const block = new RegExp(
        `<data-\\w+ origin="diff"[^\\n]*${RegExp.escape(path)}"[\\s\\S]*?</data-\\w+>`,
      )
      return { system, rest: text.replace(block, '').replace(/\n+/g, '\n'), size: lines.length }
    })
    expect(second!.rest).toBe(first!.rest)
    expect(second!.system).toBe(first!.system)
    // Neither prompt reveals the check or the retry.
    expect(`${second!.system}${second!.rest}`).not.toMatch(
      /plant|made.up|attention|again.*ask|second/i,
    )
  })

  it('case 75: is read if the retry reports the canary, and keeps findings of both', async () => {
    const other = {
      ...finding,
      path: 'src/cart.ts',
      quote: 'const a = 2',
      title: 'The cart is wrong',
    }
    await using run = await start((request) =>
      request.number === 1
        ? {
            json: {
              summary: 'First.',
              findings: [finding, { ...finding, title: 'A doubtful one' }],
            },
          }
        : addCanaryFinding(request, { json: { summary: 'Second.', findings: [other, finding] } }),
    )
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report).toMatchObject({ summary: 'Second.', unread: [], notes: [], complete: true })
    expect(report.findings.map(({ title }) => title)).toEqual([
      finding.title,
      'A doubtful one',
      other.title,
    ])
  })

  it('case 75: keeps its findings when it was not read', async () => {
    await using run = await start(() => ({ json: answer }))
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report.findings.map(({ title }) => title)).toEqual([finding.title])
    expect(report).toMatchObject({ summary: answer.summary, complete: false })
  })

  it('case 75: is reported separately from other rounds', async () => {
    await using run = await start((request) =>
      request.text.includes('items.length') ? reads(request) : nothing,
    )
    const report = await run.reviewer.review(
      makeChange(),
      pack([header, priceSpan], [header, cartSpan]),
      never,
    )
    expect(report).toMatchObject({ unread: ['src/cart.ts'], complete: false })
    expect(report.notes).toEqual([`\`src/cart.ts\` was ${isNotRead('the model')}`])
    expect(run.server.requests).toHaveLength(3)
  })

  it('case 75: has a canary in each half when it is split', async () => {
    const tooLong = {
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long' },
      },
    }
    await using run = await start((request) =>
      ['src/price.ts', 'src/cart.ts'].every((path) => request.text.includes(`path="${path}"`))
        ? tooLong
        : reads(request),
    )
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report).toMatchObject({ unread: [], complete: true })
    expect(new Set(canariesIn(run.server.requests)).size).toBe(3)
  })

  it('case 75: is not retried when its steps are used up', async () => {
    const looks: Script = ({ toolChoice }) =>
      toolChoice === 'none' ? nothing : { toolCalls: [{ name: 'list_files', input: {} }] }
    await using run = await start(looks, { limits: { steps: 3 } })
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report).toMatchObject({ unread: ['src/price.ts', 'src/cart.ts'], complete: false })
    expect(run.server.requests).toHaveLength(3)
  })

  it('case 75: shares its step limit with its retry', async () => {
    const looks: Script = ({ toolResults }) =>
      toolResults.length > 0 ? nothing : { toolCalls: [{ name: 'list_files', input: {} }] }
    await using run = await start(looks, { limits: { steps: 5 } })
    await run.reviewer.review(makeChange(), onePack, never)
    expect(run.server.requests.length).toBeLessThanOrEqual(5)
  })

  it('case 75: keeps its findings and stays unread when the retry fails', async () => {
    const budget = createLocalBudget({ perReviewUsd: 0.6, perDayUsd: null })
    // The first call costs 0.3 dollars, and the second one more than the rest at most.
    const usage = { input: 60_000, output: 3000 }
    await using run = await start(() => ({ json: answer, usage }), { budget })
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report.findings).toHaveLength(1)
    expect(report).toMatchObject({ unread: ['src/price.ts', 'src/cart.ts'], complete: false })
    expect(report.notes[0]).toContain('The model budget for one review')
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 75: has no canary when the check is off', async () => {
    await using run = await start(() => nothing, { attentionCheck: false })
    expect(await run.reviewer.review(makeChange(), onePack, never)).toMatchObject({
      complete: true,
      unread: [],
    })
    expect(run.server.requests).toHaveLength(1)
    expect(findCanary(run.server.requests[0]!.text)).toBeUndefined()
  })

  it('case 75: shows the canary file to tools', async () => {
    await using run = await start((request) => {
      const { path } = findCanary(request.text)!
      return request.toolResults.length > 0
        ? reads(request)
        : { toolCalls: [{ name: 'read_file', input: { path } }] }
    })
    await run.reviewer.review(makeChange(), onePack, never)
    const [, second] = run.server.requests
    const { path, lines } = findCanary(second!.text)!
    expect(second!.toolResults[0]).toContain(
      `${path}, lines 1 to ${lines.length} of ${lines.length}\n1\t${lines[0]}`,
    )
  })

  it('case 75: is not read by guessing, however many names and lines', async () => {
    const guesses = Array.from({ length: 400 }, (_, at) => ({
      ...finding,
      ...{
        path: `src/guess${at}-parcel.ts`,
        quote: `export function mayDeleteGuess${at}Parcel(role: string) {`,
      },
    }))
    await using run = await start(() => ({
      json: { summary: 'There is a planted defect.', findings: guesses },
    }))
    expect(await run.reviewer.review(makeChange(), onePack, never)).toMatchObject({
      complete: false,
    })
  })
})

describe('case 75: specialists', () => {
  const fieldOf = ({ text }: ModelRequest) => /Your task: (\w+) alone\./.exec(text)?.[1]
  const large = span('diff', 'src/price.ts', '    2     2 +  return items.length', {
    tokens: 9_000,
  })

  it('case 75: each get their own canary after the shared part', async () => {
    await using run = await start(reads, { mode: 'parallel' })
    const report = await run.reviewer.review(makeChange(), pack([header, large, cartSpan]), never)
    expect(report).toMatchObject({ unread: [], complete: true, findings: [] })
    const { requests } = run.server
    expect(requests).toHaveLength(5)
    expect(new Set(canariesIn(requests)).size).toBe(5)
    const parts = requests.map(
      ({ body }) => (body.messages as { content: { text: string }[] }[])[0]!.content,
    )
    const shared = new Set(parts.map(([first]) => first!.text))
    expect(shared.size).toBe(1)
    expect([...shared][0]).toContain('return items.length')
    for (const [, own] of parts) expect(own!.text).toContain('const a = 2')
    expect(canariesIn(requests).every((path) => ![...shared][0]!.includes(path))).toBe(true)
    expectNoCanaries(canariesIn(requests), report)
  })

  it('case 75: leave the round unread when one of them is silent', async () => {
    await using run = await start(
      (request) => (fieldOf(request) === 'tests' ? nothing : reads(request)),
      {
        mode: 'parallel',
      },
    )
    const report = await run.reviewer.review(makeChange(), onePack, never)
    expect(report).toMatchObject({ unread: ['src/price.ts', 'src/cart.ts'], complete: false })
    expect(report.notes).toEqual([expect.stringContaining(isNotRead('the tests specialist'))])
    expect(run.server.requests.map(fieldOf).filter((field) => field === 'tests')).toHaveLength(2)
  })
})

it('case 75: 1,000 silent rounds are all incomplete', {
  timeout: 120_000,
}, async () => {
  const rounds = 1000
  let asked = 0
  const answered: Pick<ModelAnswer, 'earlyEnd' | 'truncated' | 'toolCalls' | 'answeredBy'> = {
    ...{ earlyEnd: null, truncated: false, toolCalls: [], answeredBy: [] },
  }
  // Silent answers have no findings, only real ones, or only claim to have found the canary.
  const silences = [
    { summary: 'All is well.', findings: [] },
    { summary: '', findings: [finding] },
    {
      summary: 'I found the planted defect.',
      findings: [{ ...finding, title: 'This is the planted defect' }],
    },
  ]
  const silent: Model = {
    ...{
      name: 'silent',
      priced: true,
      price: null,
      readContextWindow: async () => null,
      isRefusing: false,
      probe: async () => true,
    },
    generate: async ({ budget }: GenerateRequest) => {
      const json = silences[asked++ % silences.length]
      return {
        ...answered,
        text: JSON.stringify(json),
        json,
        isWholeText: true,
        usage: budget.usage,
      }
    },
  }
  const change = makeChange()
  const reviewer = createAgenticReviewer({
    model: silent,
    tools: createTestCodeTools,
    budget: createUnlimitedBudget(),
  })
  let incomplete = 0
  for (let round = 0; round < rounds; round++) {
    const { complete, unread } = await reviewer.review(change, onePack, never)
    if (!complete && unread.length === 2) incomplete += 1
  }
  expect({ incomplete, asked }).toEqual({ incomplete: rounds, asked: 2 * rounds })
})
