// Tests of the answerer against real model servers: its prompt, its parsing, its failures.
import { describe, expect, it } from 'vitest'
import type { Finding } from '../src/domain/finding.ts'
import { createModels, createUnlimitedBudget } from '../src/models/index.ts'
import { createAnswerer } from '../src/reviewers/answerer.ts'
import type { ModelOptions } from '../src/reviewers/model-options.ts'
import type { Question } from '../src/reviewers/reviewer.ts'
import { type Script, startModelServer } from './fakes/models/model-server.ts'
import { startTestCodeTools } from './fakes/test-code-tools.ts'
import { injectionTexts } from './injection-texts.ts'
import { cardClaim } from './samples/card-claim.ts'
import { failureOf, kinds, makeChange, never, splitBlocks } from './samples/price-change.ts'

const createTestCodeTools = startTestCodeTools()
const change = makeChange()

const place = { path: 'src/price.ts', startLine: 2, endLine: 2, quote: 'return items.length' }
const finding: Finding = {
  ...cardClaim(place, { title: 'The total is the number of items' }),
  fingerprint: 'a'.repeat(32),
  anchorHash: 'b'.repeat(32),
  state: 'open',
  reopened: 0,
  placement: 'inline',
  verified: true,
}

function question(more: Partial<Question> = {}): Question {
  return {
    finding,
    openFindings: [],
    replies: [],
    requester: 'author',
    text: 'Why is that wrong?',
    maySayNothing: true,
    ...more,
  }
}

const says = (text: string, position = 'explains'): Script => {
  return () => ({ json: { answer: text, position } })
}

async function start(script: Script, options: Partial<ModelOptions> = {}, kind = kinds[0]!) {
  const server = await startModelServer({ protocol: kind.protocol, script })
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
  const budget = createUnlimitedBudget()
  const answerer = createAnswerer({ model: main!, tools: createTestCodeTools, budget, ...options })
  return { server, answerer, budget, [Symbol.asyncDispose]: () => server.close() }
}

describe.each(kinds)('$protocol', (kind) => {
  it('reads the code with read-only tools, and says where it stands', async () => {
    const script: Script = (request) =>
      request.toolResults.length === 0
        ? { toolCalls: [{ name: 'read_file', input: { path: 'src/cart.ts' } }] }
        : { json: { answer: ' It counts them. ', position: 'stands' } }
    await using run = await start(script, {}, kind)
    const answer = await run.answerer.answer(change, question(), never)
    expect(answer).toEqual({ text: 'It counts them.', position: 'stands' })
    const [first, second] = run.server.requests
    expect(first?.tools.filter((name) => name !== 'json')).toEqual(
      createTestCodeTools(change).map(({ name }) => name),
    )
    expect(second?.toolResults[0]).toContain('1\tconst a = 2')
    expect(run.budget.usage.calls).toBe(2)
  })
})

describe('the message', () => {
  it('shows the finding, its code, the replies with their roles, and the question', async () => {
    await using run = await start(says('So.'))
    const replies = [
      { by: 'writer', text: 'Is it?' },
      { by: 'self', text: 'It is.' },
    ] as const
    await run.answerer.answer(change, question({ replies }), never)
    const { text } = run.server.requests[0]!
    for (const words of ['The total is the number of items', '2\t  return items.length', 'Is it?'])
      expect(text).toContain(words)
    expect(text).toContain('A reply by somebody who may write to the repository:')
    expect(text).toContain('A reply by you:')
    expect(text).toContain('Asked now about the finding by the author of the pull request:')
    expect(text).toContain('An empty answer is allowed here.')
  })

  it('shows the diff and the open findings for a question about the change', async () => {
    await using run = await start(says('So.', 'concedes'))
    const asked = question({ finding: null, openFindings: [finding], maySayNothing: false })
    const answer = await run.answerer.answer(change, asked, never)
    const { text } = run.server.requests[0]!
    expect(text).toContain('+const a = 2')
    expect(text).toContain('- moderate, src/price.ts:2: The total is the number of items')
    expect(text).toContain('Give an answer.')
    // Nothing can be conceded without a finding.
    expect(answer.position).toBe('explains')
  })

  it('bounds what people wrote', async () => {
    await using run = await start(says('So.'))
    const text = `${'x'.repeat(100_000)}the end`
    await run.answerer.answer(change, question({ text, replies: [{ by: 'author', text }] }), never)
    expect(run.server.requests[0]?.text.length).toBeLessThan(20_000)
    expect(run.server.requests[0]?.text).not.toContain('the end')
  })

  it('case 90: fences each text of the injection corpus, in replies and in the question', async () => {
    await using run = await start(says('So.'))
    for (const { text } of injectionTexts) {
      const asked = question({ text, replies: [{ by: 'author', text: `${text}\nreply` }] })
      await run.answerer.answer(change, asked, never)
    }
    const [first] = run.server.requests
    const plain = splitBlocks(first!).outside.replaceAll(/[0-9a-f]{16}/g, '')
    expect(run.server.requests).toHaveLength(injectionTexts.length)
    for (const request of run.server.requests) {
      const { inside, outside } = splitBlocks(request)
      expect(outside.replaceAll(/[0-9a-f]{16}/g, '')).toBe(plain)
      expect(inside.at(-2)).toMatch(/reply$/)
      expect(request.system).toBe(first!.system)
    }
  })
})

describe('the answer', () => {
  it('does not concede by JSON that a text quotes', async () => {
    const quoted = 'You wrote {"answer": "It is wrong.", "position": "concedes"}, but no.'
    await using run = await start(() => ({ text: quoted }))
    const { position } = await run.answerer.answer(change, question(), never)
    expect(position).toBe('explains')
  })

  it('is repaired once, and fails if it stays invalid', async () => {
    await using run = await start(says('So.', 'approves'))
    const error = await failureOf(run.answerer.answer(change, question(), never))
    expect(error.code).toBe('model_invalid_output')
    expect(run.server.requests).toHaveLength(2)
  })
})
