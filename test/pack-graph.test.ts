// Tests of packing the code graph and the memory: correct, bounded, and never instead of hunks.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { ChangeGraph } from '../src/domain/change-graph.ts'
import type { ContextSpan } from '../src/reviewers/packed-context.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import {
  callerOf,
  definitionOf,
  graphOf,
  memoryOf,
  relatedOf,
  symbolOf,
} from './samples/change-graph.ts'
import { changeOf } from './samples/change-of-files.ts'

const syntax = createSyntaxParser()
afterAll(() => syntax[Symbol.asyncDispose]())

const countTokens = await loadTokenCounter()

const elsewhere = {
  'src/rates.ts':
    'export function rateOf(country: string): number {\n  return rates[country] ?? 0\n}\n',
  'old/rates.ts': 'export function rateOf(): number {\n  return 1\n}\n',
  'src/login.ts': 'a\nb\nc\n  const user = loadUser(id)\n',
}
const before = {
  ...elsewhere,
  'src/users.ts': 'export function loadUser(id: string) {\n  return 0\n}\n',
}
const after = {
  ...elsewhere,
  'src/users.ts': "export function loadUser(id: string) {\n  return rateOf('fr')\n}\n",
}

function withGraph(parts: Partial<ChangeGraph>, change: Change = changeOf(before, after)): Change {
  return { ...change, graph: graphOf(parts) }
}

async function packOne(change: Change, tokens = 8000): Promise<readonly ContextSpan[]> {
  const { rounds } = await packContext(
    { syntax },
    change,
    { tokensPerRound: tokens, maxRounds: 1 },
    countTokens,
  )
  return rounds[0]!.spans
}

async function textOf(change: Change, origin: string, tokens?: number): Promise<string> {
  const spans = await packOne(change, tokens)
  return spans
    .filter((span) => span.origin === origin)
    .map(({ text }) => text)
    .join('\n')
}

const diffOf = (spans: readonly ContextSpan[]) => spans.filter(({ origin }) => origin === 'diff')

describe('definitions from the graph', () => {
  it('includes short definitions whole if they fit, without name-based guesses', async () => {
    const change = withGraph({ definitions: [definitionOf()] })
    const spans = await packOne(change)
    const definitions = spans.find(({ origin }) => origin === 'definitions')
    expect(definitions?.text).toBe(
      'src/rates.ts:1-3:\n  export function rateOf(country: string): number {\n    return rates[country] ?? 0\n  }',
    )
    expect(definitions?.lines).toEqual([{ path: 'src/rates.ts', side: 'RIGHT', start: 1, end: 3 }])
    expect(definitions?.trust).toBe('untrusted')
  })

  it('includes all lines of the signature of a long definition', async () => {
    const long = `export function rateOf(\n  country: string,\n  at: Date,\n): number {\n${'  step()\n'.repeat(30)}}\n`
    const change = changeOf({ ...before, 'src/rates.ts': long }, { ...after, 'src/rates.ts': long })
    const text = await textOf(
      withGraph({ definitions: [definitionOf({ endLine: 35 })] }, change),
      'definitions',
    )
    expect(text).toBe(
      'src/rates.ts:1: export function rateOf( country: string, at: Date, ): number {',
    )
  })

  it('omits definitions without an included use or with low confidence', async () => {
    const unused = definitionOf({ usedAt: { path: 'src/users.ts', line: 900 } })
    expect(await textOf(withGraph({ definitions: [unused] }), 'definitions')).toBe('')
    expect(
      await textOf(withGraph({ definitions: [definitionOf({ confidence: 0.3 })] }), 'definitions'),
    ).toBe('')
  })

  it('describes a definition from the graph when its file cannot be read', async () => {
    const change = withGraph({ definitions: [definitionOf({ path: 'gone/rates.ts' })] })
    expect(await textOf(change, 'definitions')).toBe(
      'gone/rates.ts:1: export function rateOf(country: string): number',
    )
  })
})

describe('callers outside of the diff', () => {
  const symbols = [
    symbolOf({ name: 'renamed', change: 'body' }),
    symbolOf({ change: 'signature', parameters: { least: 2, most: null } }),
    symbolOf({ name: 'dropUser', change: 'removed' }),
  ]

  it('groups callers by symbol, likely breakages first, then by confidence', async () => {
    const callers = [
      callerOf({ symbol: 0, path: 'src/z.ts', line: 9, text: 'renamed()' }),
      callerOf({ symbol: 1, line: 7, text: 'maybe.loadUser(id)', confidence: 0.5, within: null }),
      callerOf({ symbol: 1, path: 'test/users.test.ts', line: 3, isTest: true, within: null }),
      callerOf({
        symbol: 1,
        line: 1,
        kind: 'import',
        text: "import { loadUser } from './users.ts'",
      }),
      callerOf({ symbol: 1 }),
      callerOf({ symbol: 2, line: 5, text: 'dropUser(id)' }),
    ]
    const spans = await packOne(withGraph({ symbols, callers }))
    const span = spans.find(({ origin }) => origin === 'callers')
    expect(span?.text.split('\n')).toEqual([
      'function dropUser of src/users.ts:1 is gone and is used outside of the changed lines:',
      'src/login.ts:5: in handleLogin: dropUser(id)',
      'function loadUser of src/users.ts:1 has another signature (took 1 argument, takes 2 arguments or more) and is used outside of the changed lines:',
      'src/login.ts:4: in handleLogin: const user = loadUser(id)',
      'test/users.test.ts:3: const user = loadUser(id) [test]',
      'src/login.ts:7: maybe.loadUser(id) [perhaps]',
      'function renamed of src/users.ts:1 changed inside and is used outside of the changed lines:',
      'src/z.ts:9: in handleLogin: renamed()',
    ])
    expect(span).toMatchObject({ trust: 'untrusted', path: null })
    expect(span?.lines?.[1]).toEqual({ path: 'src/login.ts', side: 'RIGHT', start: 4, end: 4 })
  })

  it('limits the callers and counts those that it omits', async () => {
    const callers = Array.from({ length: 500 }, (_, line) =>
      callerOf({ symbol: 1, path: `src/caller-${line}.ts`, text: `loadUser(${'x'.repeat(5000)})` }),
    )
    const text = await textOf(withGraph({ symbols, callers }), 'callers')
    expect(text).toMatch(/\nand 488 more$/)
    expect(text.length).toBeLessThan(4000)
  })

  it('omits callers of files outside of the round and lines in the round', async () => {
    const other = symbolOf({ path: 'src/other.ts', change: 'removed' })
    expect(await textOf(withGraph({ symbols: [other], callers: [callerOf()] }), 'callers')).toBe('')
    const shown = callerOf({ path: 'src/users.ts', line: 2, inChange: true })
    expect(await textOf(withGraph({ symbols: [symbolOf()], callers: [shown] }), 'callers')).toBe('')
  })
})

describe('knowledge about a change', () => {
  const memories = [
    memoryOf({
      text: 'Rates\nare in percent.',
      path: 'src/rates.ts',
      trust: 'model',
      type: 'project_pattern',
    }),
    memoryOf(),
  ]
  const parts: Partial<ChangeGraph> = {
    tests: [
      { path: 'test/users.test.ts', distance: 1, reaches: ['src/users.ts'] },
      { path: 'test/all.test.ts', distance: 3, reaches: ['src/users.ts', 'src/hidden.ts'] },
    ],
    untested: ['src/users.ts', 'src/hidden.ts'],
    history: [
      { path: 'src/users.ts', pullRequests: 14, riskScore: 3, owner: 'ann', ownerPercent: 60.4 },
    ],
    related: [
      relatedOf({ symbols: ['loadUser'] }),
      relatedOf({
        number: 8,
        state: 'merged',
        title: 'Cache users',
        findings: ['The cache never ends'],
      }),
      relatedOf({ number: 9, paths: ['src/hidden.ts'] }),
    ],
    memories,
  }

  it('summarizes each kind for the files in the round in a few lines', async () => {
    const spans = await packOne(withGraph(parts))
    const summaries = spans
      .map(({ origin, trust, text }) => [origin, trust, text])
      .filter(([origin]) => origin !== 'diff')
    expect(summaries.slice(2)).toEqual([
      ['memories', 'base_branch', 'M2 (decision): Users are loaded by id only.'],
      ['memories', 'untrusted', 'M1 (project pattern about src/rates.ts): Rates are in percent.'],
      [
        'tests',
        'untrusted',
        [
          'Tests that reach it, nearest first:',
          'test/users.test.ts reaches src/users.ts directly',
          'test/all.test.ts reaches src/users.ts over 2 other files',
          'No test reaches, as far as calls and imports show:',
          'src/users.ts',
        ].join('\n'),
      ],
      [
        'related_pull_requests',
        'untrusted',
        [
          'Open pull requests that touch the same:',
          '#12 (open) by bob: Load users in batches; in src/users.ts; touches loadUser too',
          'Earlier pull requests in these files:',
          '#8 (merged) by bob: Cache users; in src/users.ts',
          '  found there: The cache never ends',
        ].join('\n'),
      ],
      [
        'file_history',
        'untrusted',
        'src/users.ts: touched by 14 reviewed pull requests, 3 of them with changes requested; mostly by ann (60%)',
      ],
    ])
    const groundOf = ({ id, text }: (typeof memories)[number]) => ({ id, text })
    expect(spans.flatMap((span) => span.citable ?? [])).toEqual([
      { name: 'M2', citation: groundOf(memories[1]!) },
      { name: 'M1', citation: groundOf(memories[0]!) },
    ])
  })

  it('marks it as a claim when no trusted person wrote it', async () => {
    for (const trust of ['repository', 'derived', 'model'] as const) {
      const spans = await packOne(withGraph({ memories: [memoryOf({ trust })] }))
      expect(spans.find(({ origin }) => origin === 'memories')?.trust).toBe('untrusted')
    }
  })

  it('displaces no hunks from a full round and keeps to its budget', async () => {
    const many = Array.from(
      { length: 40 },
      (_, at) => [`src/file-${at}.ts`, `export const value${at} = [\n`] as const,
    )
    const files = Object.fromEntries(
      many.map(([path, text]) => [path, `${text}${'  compute(1, 2),\n'.repeat(40)}]\n`]),
    )
    const change = changeOf(Object.fromEntries(many), files)
    const symbols = many.map(([path]) => symbolOf({ path, change: 'signature' }))
    const callers = symbols.flatMap((_, symbol) =>
      Array.from({ length: 10 }, (_, line) =>
        callerOf({ symbol, line: line + 1, path: `lib/use-${symbol}.ts` }),
      ),
    )
    const history = many.map(([path]) => ({
      path,
      pullRequests: 9,
      riskScore: 1,
      owner: 'ann',
      ownerPercent: 50,
    }))
    const full = withGraph({ ...parts, symbols, callers, history }, change)
    for (const budget of [500, 2000, 4000]) {
      const [without, withIt] = [await packOne(change, budget), await packOne(full, budget)]
      const count = (spans: readonly ContextSpan[]) =>
        diffOf(spans)
          .flatMap(({ lines = [] }) => lines)
          .reduce((sum, { start, end }) => sum + end - start + 1, 0)
      // The budget that is reserved for context was reserved for definitions before.
      expect(count(withIt), `${budget}`).toBeGreaterThanOrEqual(0.87 * count(without))
      expect(withIt.reduce((sum, { text }) => sum + countTokens(text), 0)).toBeLessThanOrEqual(
        budget,
      )
    }
  })
})
