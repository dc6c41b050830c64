// Parallel mode: specialists of two models, one report, and the cost per model.
import { expect, it } from 'vitest'
import { type Script, startModelServer } from '../fakes/models/model-server.ts'
import { ownComments, repo, runsOf, startScenario } from '../review-scenario.ts'

const path = 'src/discount.ts'
const discount = `export function discountOf(count: number): number {
  // Ten and more get a tenth off.
  return count > 10 ? 0.1 : 0
}
`
const finding = {
  path,
  side: 'RIGHT',
  start_line: 3,
  end_line: 3,
  quote: 'return count > 10 ? 0.1 : 0',
  severity: 'moderate',
  category: 'correctness',
  title: 'Exactly ten articles get no discount',
  body: 'When `count` is 10, then the discount is 0.',
  suggestion: null,
  evidence: [],
  confidence: 0.9,
}
const untested = {
  ...finding,
  ...{ start_line: 1, end_line: 1, quote: 'export function discountOf(count: number): number {' },
  ...{
    category: 'tests',
    title: 'Nothing tests the limit',
    body: 'A wrong comparison fails no test.',
  },
}

const main = 'claude-opus-5-5'
const fast = 'claude-haiku-4-5'
const key = 'sk-test-0123456789'

const confirm = (id: string | undefined) => ({
  id,
  outcome: 'confirmed',
  reason: 'So it is.',
  severity: 'moderate',
  evidence: [],
})

/** Correctness and tests report a finding each, and the synthesis drops neither. */
const script: Script = ({ text, system }) => {
  const field = /Your task: (\w+) alone\./.exec(text)?.[1]
  if (system.startsWith('Several specialists'))
    return { json: { summary: 'It adds discounts, wrong at ten.', dropped: [] } }
  if (field === undefined)
    return { json: { checks: [...text.matchAll(/^Claim (\S+):$/gm)].map(([, id]) => confirm(id)) } }
  const findingsOf: Record<string, object[]> = { correctness: [finding], tests: [untested] }
  const findings = findingsOf[field] ?? []
  return { json: { summary: `It adds discounts, says ${field}.`, findings } }
}

it("posts one report of both models' findings and records the cost per model", async () => {
  await using server = await startModelServer({ protocol: 'anthropic', script })
  const env = {
    ...{ MODEL: `anthropic:${main}`, MODEL_FAST: `anthropic:${fast}`, MODEL_BASE_URL: server.url },
    ...{ ANTHROPIC_API_KEY: key, REVIEW_MODE: 'parallel' },
  }
  await using scenario = await startScenario({ env })
  const number = await scenario.openPullRequest({ [path]: discount }, { branch: 'discounts' })
  await scenario.waitUntilSettled()

  const { summaries, inline } = ownComments(scenario.forge.pullRequest(repo, number))
  expect(inline.map(({ line }) => line).toSorted()).toEqual([1, 3])
  expect(summaries).toHaveLength(1)
  expect(summaries[0]!.body).toContain('It adds discounts, wrong at ten.')
  expect(summaries[0]!.body).not.toContain('took no part')
  const tasks = server.requests.map(({ model, text }) => [
    /Your task: (\w+) alone\./.exec(text)?.[1],
    model,
  ])
  expect(tasks.filter(([field]) => field !== undefined).toSorted()).toEqual([
    ['correctness', main],
    ['maintainability', fast],
    ['performance', main],
    ['security', main],
    ['tests', fast],
  ])
  const [run] = await runsOf(scenario.app, number)
  expect(run).toMatchObject({
    status: 'completed',
    decision: { promptVersions: { specialists: 1, synthesis: 3 } },
  })
  const spent = await scenario.app.db
    .selectFrom('modelSpend')
    .select(['model', 'calls', 'costUsd'])
    .execute()
  expect(spent.map(({ model }) => model).toSorted()).toEqual([
    `anthropic:${fast}`,
    `anthropic:${main}`,
  ])
  expect(spent.reduce((sum, { calls }) => sum + calls, 0)).toBe(server.requests.length)
  expect(spent.every(({ costUsd }) => (costUsd ?? 0) > 0)).toBe(true)
})

it('calls no model in static mode and one reviewer in agentic mode', async () => {
  await using server = await startModelServer({
    protocol: 'anthropic',
    script: () => ({ json: { summary: 'One.', findings: [] } }),
  })
  const env = {
    MODEL: `anthropic:${main}`,
    MODEL_BASE_URL: server.url,
    ANTHROPIC_API_KEY: key,
    REVIEW_MODE: 'parallel',
  }
  await using scenario = await startScenario({ env })
  const settings = async (mode: string) => {
    const message = `Review ${mode}`
    await scenario.forge.push(
      repo,
      'main',
      { '.umpire.yml': `mode: ${mode}\n` },
      { author: 'alice', message },
    )
  }
  await settings('static')
  const first = await scenario.openPullRequest({ [path]: discount }, { branch: 'first' })
  await scenario.waitUntilSettled()
  expect(server.requests).toHaveLength(0)
  expect(ownComments(scenario.forge.pullRequest(repo, first)).summaries).toHaveLength(1)

  await settings('agentic')
  await scenario.openPullRequest({ [path]: discount }, { branch: 'second' })
  await scenario.waitUntilSettled()
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]!.text).toContain('in all fields')
})

it('reviews with the fast model what the settings give to it, by repository and by size', async () => {
  const script: Script = ({ text, system }) =>
    system.includes('Claim') || text.includes('Claim ')
      ? { json: { checks: [...text.matchAll(/^Claim (\S+):$/gm)].map(([, id]) => confirm(id)) } }
      : { json: { summary: 'It adds discounts.', findings: [finding] } }
  await using server = await startModelServer({ protocol: 'anthropic', script })
  const env = {
    ...{ MODEL: `anthropic:${main}`, MODEL_FAST: `anthropic:${fast}`, MODEL_BASE_URL: server.url },
    ...{ ANTHROPIC_API_KEY: key, REVIEW_MODE: 'agentic' },
  }
  await using scenario = await startScenario({ env })
  const lines = discount.split('\n').length - 1
  const cases = [
    ['model: main', main],
    ['model: fast', fast],
    [`fast_lines: ${lines}`, fast],
    [`fast_lines: ${lines - 1}`, main],
  ] as const
  for (const [index, [settings, expected]] of cases.entries()) {
    const files = { '.umpire.yml': `${settings}\n` }
    await scenario.forge.push(repo, 'main', files, { author: 'alice', message: settings })
    const before = server.requests.length
    await scenario.openPullRequest({ [path]: discount }, { branch: `size-${index}` })
    await scenario.waitUntilSettled()
    const asked = server.requests.slice(before)
    expect(asked.length).toBeGreaterThan(1)
    expect([...new Set(asked.map(({ model }) => model))], settings).toEqual([expected])
  }
})
