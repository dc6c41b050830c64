// Tests of packing: rounds within the budget, no silent omissions, no crash on any input.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { DiffHunk } from '../src/domain/diff.ts'
import type { Snapshot } from '../src/domain/snapshot.ts'
import { blobIdOf } from '../src/git/blob-id.ts'
import { identifyLines } from '../src/git/hunk-identity.ts'
import type { ContextRound } from '../src/reviewers/packed-context.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import { changeOf } from './samples/change-of-files.ts'

const syntax = createSyntaxParser()
afterAll(() => syntax[Symbol.asyncDispose]())

const countTokens = await loadTokenCounter()
const budget = { tokensPerRound: 4000, maxRounds: 3 }
const lines = (count: number, text: string) =>
  Array.from({ length: count }, (_, n) => `${text} ${n}`).join('\n')

/** Returns the change as git diff prints it, with the given number of context lines. */
function withContext(change: Change, context: number): Change {
  const files = change.files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => cutContext(hunk, context)),
  }))
  return { ...change, files, diff: { ...change.diff, files } }
}

function cutContext(hunk: DiffHunk, context: number): DiffHunk {
  const first = hunk.lines.findIndex(({ kind }) => kind !== 'context')
  const from = Math.max(0, first - context)
  return {
    ...hunk,
    oldStart: hunk.oldStart + from,
    oldCount: hunk.oldCount - from,
    newStart: hunk.newStart + from,
    newCount: hunk.newCount - from,
    lines: hunk.lines.slice(from),
  }
}

/** Returns the change with a search like git grep over its files at the head. */
function searchable(change: Change, files: Readonly<Record<string, string>>): Change {
  const search: Snapshot['search'] = async (pattern) =>
    Object.entries(files).flatMap(([path, text]) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          new RegExp(pattern).test(line) ? [{ path, line: index + 1, text: line }] : [],
        ),
    )
  return { ...change, head: { ...change.head, search } }
}

const shownText = ({ spans }: ContextRound) =>
  spans
    .filter(({ origin }) => origin === 'diff')
    .map(({ text }) => text)
    .join('\n')

/** Counts the lines of a file at the head that a round contains. */
function countShown({ spans }: ContextRound, path: string): number {
  const ranges = spans
    .flatMap(({ lines = [] }) => lines)
    .filter((range) => range.path === path && range.side === 'RIGHT')
  return ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0)
}

describe('packing', () => {
  it('packs a small change whole into one round with line numbers', async () => {
    const change = changeOf({ 'src/a.ts': 'one\ntwo\n' }, { 'src/a.ts': 'one\ntwo!\n' })
    const { rounds, omitted } = await packContext({ syntax }, change, budget, countTokens)
    expect(omitted).toEqual([])
    expect(rounds).toHaveLength(1)
    const shown = rounds[0]?.spans.find((span) => span.path === 'src/a.ts')
    expect(shown?.text).toBe('@@\n1  one\n2 -two\n2 +two!')
    expect(shown?.lines).toEqual([
      { path: 'src/a.ts', side: 'RIGHT', start: 1, end: 2 },
      { path: 'src/a.ts', side: 'LEFT', start: 1, end: 2 },
    ])
  })

  it('labels each span with source and trust, and puts the constant spans first', async () => {
    const change = changeOf({}, { 'src/a.ts': 'one\n', 'docs/b.md': 'two\n' })
    const about = {
      settings: {
        ...change.settings,
        instructions: [
          { paths: [], text: 'Mind the locks.' },
          { paths: ['docs/**'], text: 'Plain words.' },
          { paths: ['web/**'], text: 'No colours.' },
        ],
      },
      commits: [
        {
          sha: 'c'.repeat(40),
          author: 'ann',
          message: 'Add one',
          committedAt: '2026-01-01T00:00:00Z',
        },
      ],
      issues: [
        {
          repo: 'acme/shop',
          number: 7,
          title: 'Two',
          body: 'It is missing.',
          state: 'open' as const,
          url: '',
        },
      ],
    }
    const { rounds } = await packContext({ syntax }, { ...change, ...about }, budget, countTokens)
    const spans = rounds[0]?.spans ?? []
    expect(spans.map(({ origin, trust }) => `${origin} ${trust}`)).toEqual([
      'instructions base_branch',
      'pull_request untrusted',
      'changed_files untrusted',
      'commits untrusted',
      'issues untrusted',
      'diff untrusted',
      'diff untrusted',
    ])
    expect(spans[0]?.text).toContain('Mind the locks.')
    expect(spans[0]?.text).toContain('Plain words.')
    expect(spans[0]?.text).not.toContain('No colours.')
    expect(spans[4]?.text).toContain('acme/shop#7')
  })

  it('includes the enclosing definitions of a hunk, and their code if it fits', async () => {
    const method = (body: string) =>
      `class Shop {\n  total(cart: Cart) {\n${body}\n    return sum\n  }\n}\n`
    const filler = lines(30, '    step()')
    const before = { 'src/shop.ts': method(`${filler}\n    let sum = 1`) }
    const after = { 'src/shop.ts': method(`${filler}\n    let sum = 2`) }
    const change = withContext(changeOf(before, after), 3)
    const roomy = await packContext(
      { syntax },
      change,
      { tokensPerRound: 8000, maxRounds: 1 },
      countTokens,
    )
    expect(shownText(roomy.rounds[0]!)).toContain('2    total(cart: Cart) {')
    const other = { 'src/other.ts': lines(400, 'const value = compute(1, 2)') }
    const full = withContext(
      changeOf(
        { ...before, ...other },
        {
          ...after,
          'src/other.ts': `${other['src/other.ts']}\n${lines(400, 'let other = compute(3)')}`,
        },
      ),
      3,
    )
    const tight = await packContext(
      { syntax },
      full,
      { tokensPerRound: 2000, maxRounds: 1 },
      countTokens,
    )
    expect(shownText(tight.rounds[0]!)).toContain('@@ total(cart: Cart)')
    expect(shownText(tight.rounds[0]!)).not.toContain('step() 10\n')
  })

  it('uses the parser for enclosing definitions when indentation is ambiguous', async () => {
    const flat = (value: string) =>
      `  class Shop {\n  total() {\n${lines(10, '  step()')}\n  return ${value}\n  }\n  }\n`
    const change = withContext(
      changeOf({ 'src/shop.ts': flat('1') }, { 'src/shop.ts': flat('2') }),
      1,
    )
    const { rounds } = await packContext({ syntax }, change, budget, countTokens)
    // The whole method fits, so only the class is left to name.
    expect(shownText(rounds[0]!)).toContain('@@ class Shop\n2    total() {')
  })

  it('includes definitions from other files, imported ones before namesakes', async () => {
    const files = {
      'lib/price.ts': 'export function priceOf(): string {\n  return "free"\n}\n',
      'web/price.ts':
        'export const rate = 2\n\nexport function priceOf(item: string): number {\n  return rate\n}\n',
    }
    const before = { ...files, 'src/cart.ts': "import { priceOf } from '../web/price.ts'\n" }
    const after = {
      ...files,
      'src/cart.ts': `${before['src/cart.ts']}\nexport const total = priceOf('tea')\n`,
    }
    const { rounds } = await packContext(
      { syntax },
      searchable(changeOf(before, after), after),
      budget,
      countTokens,
    )
    const definitions = rounds[0]?.spans.find(({ origin }) => origin === 'definitions')
    expect(definitions?.path).toBeNull()
    expect(definitions?.text.split('\n')[0]).toBe(
      'web/price.ts:3: export function priceOf(item: string): number {',
    )
    expect(definitions?.lines?.[0]).toEqual({
      path: 'web/price.ts',
      side: 'RIGHT',
      start: 3,
      end: 3,
    })
  })

  it('includes no definition that the parser does not see', async () => {
    const definitionIn = async (files: Record<string, string>, before: string, after: string) => {
      const [path = ''] = Object.keys(files)
      const head = { ...files, [path]: after }
      const change = searchable(changeOf({ ...files, [path]: before }, head), head)
      const { rounds } = await packContext({ syntax }, change, budget, countTokens)
      return rounds[0]?.spans.find(({ origin }) => origin === 'definitions')?.text
    }
    const sample = 'export const sample = `\nexport function priceOf(item: string) {\n}\n`\n'
    const source = "import { priceOf } from './prices.ts'\n"
    const script = { 'src/cart.ts': '', 'src/prices.ts': sample, 'lib/price.ts': '' }
    const use = `${source}priceOf('tea')\n`
    expect(await definitionIn(script, source, use)).toBeUndefined()
    const real = { ...script, 'lib/price.ts': 'export const priceOf = (item: string) => 2\n' }
    expect(await definitionIn(real, source, use)).toBe(
      'lib/price.ts:1: export const priceOf = (item: string) => 2',
    )
    const shell = { 'bin/run.sh': '', 'bin/lib.sh': 'load_rates() {\n  true\n}\n' }
    expect(await definitionIn(shell, 'true\n', 'load_rates now\n')).toBeUndefined()
  })

  it('finds definitions in the code graph, and parses only files that differ from it', async () => {
    const files = {
      'lib/price.ts': 'export function priceOf(item: string): number {\n  return 2\n}\n',
      'lib/rate.ts': '\nexport function rateOf(item: string): number {\n  return 2\n}\n',
    }
    const source =
      "import { priceOf } from '../lib/price.ts'\nimport { rateOf } from '../lib/rate.ts'\n"
    const head = { ...files, 'src/cart.ts': `${source}\npriceOf('tea') * rateOf('tea')\n` }
    const oid = blobIdOf(Buffer.from(files['lib/price.ts']), 40)
    const place = { oid, kind: 'function', startLine: 1, endLine: 3 }
    const searched: string[] = []
    const change: Change = {
      ...changeOf({ ...files, 'src/cart.ts': source }, head),
      findDefinitions: async (names) => {
        searched.push(...names)
        return new Map([
          ['priceOf', [{ ...place, path: 'lib/price.ts' }]],
          ['rateOf', [{ ...place, path: 'lib/rate.ts' }]],
        ])
      },
    }
    const parsed: string[] = []
    const counting: typeof syntax = {
      ...syntax,
      indexFile: (path, text) => {
        parsed.push(path)
        return syntax.indexFile(path, text)
      },
    }
    const { rounds } = await packContext({ syntax: counting }, change, budget, countTokens)
    const definitions = rounds[0]?.spans.find(({ origin }) => origin === 'definitions')
    expect(definitions?.text.split('\n').toSorted()).toEqual([
      'lib/price.ts:1: export function priceOf(item: string): number {',
      'lib/rate.ts:2: export function rateOf(item: string): number {',
    ])
    expect(searched.toSorted()).toEqual(['priceOf', 'rateOf'])
    expect(parsed.toSorted()).toEqual(['lib/rate.ts', 'src/cart.ts'])
  })

  it('names the definitions of names on deleted lines and in annotated code', async () => {
    const files = {
      'shop/Rates.java':
        'package shop;\n\npublic class Rates {\n  @Deprecated\n  @Checked\n  public static\n  int rateOf(String country) {\n    return 1;\n  }\n}\n',
    }
    const cart = (body: string) =>
      `package shop;\n\nclass Cart {\n  int once() {\n    return Rates.rateOf("fr");\n  }\n  int total() {\n${body}  }\n}\n`
    const change = changeOf(
      {
        ...files,
        'shop/Cart.java': cart('    int rate = Rates.rateOf("de");\n    return rate;\n'),
      },
      { ...files, 'shop/Cart.java': cart('    return 7;\n') },
    )
    const head = { ...files, 'shop/Cart.java': cart('    return 7;\n') }
    const shown = withContext(searchable(change, head), 0)
    const { rounds } = await packContext({ syntax }, shown, budget, countTokens)
    const definitions = rounds[0]?.spans.find(({ origin }) => origin === 'definitions')
    expect(definitions?.text.split('\n')).toContain(
      'shop/Rates.java:7: int rateOf(String country) {',
    )
  })

  it('prefers code to tests, and tests to prose', async () => {
    const text = lines(200, 'const total = compute(cart, 12)')
    const change = changeOf({}, { 'a.test.ts': text, 'docs/b.md': text, 'src/c.ts': text })
    const { rounds } = await packContext(
      { syntax },
      change,
      { tokensPerRound: 4000, maxRounds: 1 },
      countTokens,
    )
    const [tests = 0, prose = 0, program = 0] = change.files.map(({ path }) =>
      countShown(rounds[0]!, path),
    )
    expect(program).toBeGreaterThan(tests)
    expect(tests).toBeGreaterThan(prose)
  })

  it('prefers lines that no model has read to lines from an earlier review', async () => {
    const text = lines(200, 'const total = compute(cart, 12)')
    const change = changeOf({}, { 'src/a.ts': text, 'src/b.ts': text.replaceAll('total', 'count') })
    const seenLines = new Set(
      change.files[0]!.hunks.flatMap((hunk) => [...identifyLines(hunk).values()]),
    )
    const earlier = { ...change.earlier, seenLines }
    const small = { tokensPerRound: 4000, maxRounds: 1 }
    const { rounds } = await packContext({ syntax }, { ...change, earlier }, small, countTokens)
    expect(countShown(rounds[0]!, 'src/b.ts')).toBeGreaterThan(
      2 * countShown(rounds[0]!, 'src/a.ts'),
    )
  })

  it('marks a partially included file with its included range', async () => {
    const change = changeOf({}, { 'src/a.ts': lines(2000, 'const total = compute(cart, 12)') })
    const { rounds, omitted } = await packContext(
      { syntax },
      change,
      { tokensPerRound: 4000, maxRounds: 2 },
      countTokens,
    )
    const shown = new Set(
      rounds.flatMap((round) =>
        round.spans.flatMap(({ lines = [] }) =>
          lines.flatMap(({ start, end }) =>
            Array.from({ length: end - start + 1 }, (_, at) => start + at),
          ),
        ),
      ),
    )
    expect(shown.size).toBeGreaterThan(100)
    expect(omitted).toEqual([
      {
        path: 'src/a.ts',
        reason: `shown in part: ${shown.size} of 2000 changed lines, the rest over the token budget`,
        matters: true,
        lines: 2000 - shown.size,
      },
    ])
  })

  it('keeps each round within its budget, packs all that fits, and lists the rest', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`src/f${n}.ts`, lines(120 * (n + 1), 'x = y')]),
    )
    const { rounds, omitted } = await packContext(
      { syntax },
      changeOf({}, files),
      budget,
      countTokens,
    )
    expect(rounds).toHaveLength(3)
    for (const round of rounds) expect(round.tokens).toBeLessThanOrEqual(budget.tokensPerRound)
    const shown = new Set(rounds.flatMap((round) => round.spans.map((span) => span.path)))
    const named = new Set(omitted.map((file) => file.path))
    expect(Object.keys(files).filter((path) => !shown.has(path) && !named.has(path))).toEqual([])
    expect(omitted.every((file) => file.matters)).toBe(true)
  })

  it('bounds long paths, titles and descriptions that the author controls', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`${'d/'.repeat(100)}${n}.ts`, 'x\n']),
    )
    const change = changeOf({}, files)
    const pullRequest = { ...change.pullRequest, title: '𓀀'.repeat(500), body: '🧪𓀀'.repeat(5000) }
    const { rounds } = await packContext(
      { syntax },
      { ...change, pullRequest },
      budget,
      countTokens,
    )
    expect(rounds.length).toBeGreaterThan(0)
    for (const round of rounds) {
      expect(round.spans.some((span) => span.origin === 'diff')).toBe(true)
      expect(round.spans[0]?.tokens).toBeLessThanOrEqual(budget.tokensPerRound / 4)
    }
  })

  it('applies instructions whose glob is too costly to match', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`${'aa/'.repeat(60)}${n}.ts`, 'x\n']),
    )
    const change = changeOf({}, files)
    const instructions = Array.from({ length: 50 }, (_, n) => ({
      paths: Array.from({ length: 100 }, (_, m) => `${'**/*a*'.repeat(30)}${n}-${m}b`),
      text: `Instruction ${n}`,
    }))
    const settings = { ...change.settings, instructions }
    const { rounds } = await packContext({ syntax }, { ...change, settings }, budget, countTokens)
    expect(rounds[0]?.spans[0]?.text).toContain('Instruction 49')
  })

  it('names the old path of a file that was only renamed', async () => {
    const change = changeOf({}, { 'src/a.ts': 'one\n' })
    const file = {
      ...change.files[0]!,
      status: 'renamed' as const,
      oldPath: 'lib/b.ts',
      hunks: [],
      additions: 0,
    }
    const { rounds } = await packContext(
      { syntax },
      { ...change, files: [file] },
      budget,
      countTokens,
    )
    expect(rounds[0]?.spans.find(({ origin }) => origin === 'changed_files')?.text).toContain(
      'a.ts (renamed) from lib/b.ts',
    )
  })

  it.each([
    ['one unbroken line of a million letters', 'x'.repeat(1_000_000)],
    ['two hundred thousand lines', 'x\n'.repeat(200_000)],
    ['a line of characters of many tokens each', '𓀀'.repeat(100_000)],
  ])('lists %s as not included, without counting it', async (_what, text) => {
    const change = changeOf({}, { 'src/big.ts': text, 'src/small.ts': 'x\n' })
    const { rounds, omitted } = await packContext({ syntax }, change, budget, countTokens)
    expect(omitted.map((file) => file.path)).toEqual(['src/big.ts'])
    expect(rounds.flatMap((round) => round.spans.map((span) => span.path))).toContain(
      'src/small.ts',
    )
  })
})
