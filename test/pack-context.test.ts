// What a model is shown: in rounds under the budget, nothing left out silently, and no input that stops the process.
import { afterAll, describe, expect, it } from 'vitest'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import { createSyntax } from '../src/workspace/syntax.ts'
import { changeOf } from './samples/change-of-files.ts'

const syntax = createSyntax()
afterAll(() => syntax[Symbol.asyncDispose]())

const countTokens = await loadTokenCounter()
const budget = { tokensPerRound: 4000, maxRounds: 3 }
const lines = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text} ${n}`).join('\n')

describe('packing', () => {
  it('shows a small change whole, in one round, with its line numbers', async () => {
    const change = changeOf({ 'src/a.ts': 'one\ntwo\n' }, { 'src/a.ts': 'one\ntwo!\n' })
    const { rounds, omitted } = await packContext({ syntax }, change, budget, countTokens)
    expect(omitted).toEqual([])
    expect(rounds).toHaveLength(1)
    const shown = rounds[0]?.spans.find((span) => span.path === 'src/a.ts')?.text
    expect(shown).toContain('    2       -two\n')
    expect(shown).toContain('          2 +two!')
  })

  it('keeps every round under its budget, shows all that fits, and names the rest', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`src/f${n}.ts`, lines(120 * (n + 1), 'x = y')]),
    )
    const { rounds, omitted } = await packContext({ syntax }, changeOf({}, files), budget, countTokens)
    expect(rounds).toHaveLength(3)
    for (const round of rounds) expect(round.tokens).toBeLessThanOrEqual(budget.tokensPerRound)
    const shown = new Set(rounds.flatMap((round) => round.spans.map((span) => span.path)))
    const named = new Set(omitted.map((file) => file.path))
    expect(Object.keys(files).filter((path) => !shown.has(path) && !named.has(path))).toEqual([])
    expect(omitted.every((file) => file.matters)).toBe(true)
  })

  it('is not crowded out by what the author chooses: long paths, a long title, a long description', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${'d/'.repeat(100)}${n}.ts`, 'x\n']))
    const change = changeOf({}, files)
    const pullRequest = { ...change.pullRequest, title: '𓀀'.repeat(500), body: '🧪𓀀'.repeat(5000) }
    const { rounds } = await packContext({ syntax }, { ...change, pullRequest }, budget, countTokens)
    expect(rounds.length).toBeGreaterThan(0)
    for (const round of rounds) {
      expect(round.spans.some((span) => span.origin === 'diff')).toBe(true)
      expect(round.spans[0]?.tokens).toBeLessThanOrEqual(budget.tokensPerRound / 4)
    }
  })

  it.each([
    ['one unbroken line of a million letters', 'x'.repeat(1_000_000)],
    ['two hundred thousand lines', 'x\n'.repeat(200_000)],
    ['a line of characters of many tokens each', '𓀀'.repeat(100_000)],
  ])('names %s as not shown, without counting it', async (_what, text) => {
    const change = changeOf({}, { 'src/big.ts': text, 'src/small.ts': 'x\n' })
    const { rounds, omitted } = await packContext({ syntax }, change, budget, countTokens)
    expect(omitted.map((file) => file.path)).toEqual(['src/big.ts'])
    expect(rounds.flatMap((round) => round.spans.map((span) => span.path))).toContain('src/small.ts')
  })
})
