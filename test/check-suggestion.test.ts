// Suggestions are applied in memory and parsed before anyone can commit them with one click.
import { afterAll, describe, expect, it } from 'vitest'
import { readFilesOf } from '../src/workflows/judging/change-files.ts'
import { createSuggestionCheck } from '../src/workflows/judging/check-suggestion.ts'
import { createSyntax } from '../src/workspace/syntax.ts'
import { addedFiles } from './samples/change-of-files.ts'

const syntax = createSyntax()
afterAll(() => syntax[Symbol.asyncDispose]())

interface Offer {
  readonly path: string
  readonly lines: readonly string[]
  readonly at: number | readonly [number, number]
  readonly suggestion: string
  readonly rule?: string
  readonly side?: 'LEFT' | 'RIGHT'
}

function offer({ path, lines, at, suggestion, rule, side = 'RIGHT' }: Offer): Promise<string | null> {
  const check = createSuggestionCheck(syntax, readFilesOf(addedFiles({ [path]: `${lines.join('\n')}\n` })))
  const [startLine, endLine] = typeof at === 'number' ? [at, at] : at
  return check({ rule: rule ?? null, path, side, startLine, endLine, suggestion })
}

const script = [
  'export function pay(user: User) {',
  '  const total = sum(user.items)',
  '  if (total > 0) {',
  '    charge(user.card, total)',
  '  }',
  '}',
]
const inScript = (at: Offer['at'], suggestion: string, more: Partial<Offer> = {}) =>
  offer({ path: 'src/pay.ts', lines: script, at, suggestion, ...more })

describe('a suggestion in a language with a grammar', () => {
  it.each([
    [4, '    charge(user.card, total, key)'],
    [4, '    // it is (fine\n    charge(user.card, total)'],
    [[3, 5], "  charge(user.card, total, { '(': 1 })"],
    [[2, 5], '  charge(user.card, sum(user.items))'],
  ] as const)('is offered for %j: %j', async (at, suggestion) => {
    expect(await inScript(at, suggestion)).toBe(suggestion)
  })

  it.each([
    ['that no longer parses', 4, '    charge(user.card, total'],
    ['that leaves a block open', 3, '  if (total > 0 && user.card) {{'],
    ['that leaves out the end of its range', [3, 5], '  if (total > 0) {\n    charge(user.card, total)'],
    ['that closes more than it opens', 4, '    charge(user.card, total)\n  }'],
    ['at another indentation', 4, 'charge(user.card, total, key)'],
    ['without a change', 4, '    charge(user.card, total)'],
    ['that changes white space at the end only', 4, '    charge(user.card, total)  '],
    ['beyond the end of the file', 7, 'more()'],
  ] as const)('is not offered %s', async (_name, at, suggestion) => {
    expect(await inScript(at, suggestion)).toBeNull()
  })

  it('is not offered for deleted lines', async () => {
    expect(await inScript(4, '    charge(user.card, total, key)', { side: 'LEFT' })).toBeNull()
  })

  it('of a rule is parsed too', async () => {
    expect(await inScript(4, '    charge(user.card', { rule: 'some-rule' })).toBeNull()
    expect(await inScript(4, '    await charge(user.card, total)', { rule: 'some-rule' })).toContain('await')
  })

  it('is offered where it mends what did not parse', async () => {
    const lines = ['call(a', 'more()']
    expect(await offer({ path: 'a.ts', lines, at: 1, suggestion: 'call(a)' })).toBe('call(a)')
    expect(await offer({ path: 'a.ts', lines, at: 2, suggestion: 'more(]' })).toBeNull()
  })

  it.each([
    ['a.py', ['def f(x):', '    return x'], 2, '    return (x', '    return x or 0'],
    ['a.go', ['package a', 'func f() int {', '\treturn 1', '}'], 3, '\treturn 1 }', '\treturn 2'],
    ['A.java', ['class A {', '  int f() { return 1; }', '}'], 2, '  int f() { return ; ;', '  int f() { return 2; }'],
    ['a.rb', ['def f', '  g(1)', 'end'], 2, '  g(1) if', '  g(2)'],
    ['a.json', ['{', '  "a": 1', '}'], 2, '  "a": 1,', '  "a": 2'],
    ['a.yml', ['a:', '  b: 1'], 2, '  b: "1', '  b: 2'],
  ] as const)('is parsed in %s', async (path, lines, at, broken, sound) => {
    expect(await offer({ path, lines, at, suggestion: broken })).toBeNull()
    expect(await offer({ path, lines, at, suggestion: sound })).toBe(sound)
  })
})

describe('a suggestion that repeats the lines around its range', () => {
  it.each([
    ['before', '  if (total > 0) {\n    charge(user.card, total, key)', '    charge(user.card, total, key)'],
    ['after', '    charge(user.card, total, key)\n  }\n}', '    charge(user.card, total, key)'],
    [
      'before and after',
      '  const total = sum(user.items)\n  if (total > 0) {\n    charge(user.card, total, key)\n  }',
      '    charge(user.card, total, key)',
    ],
  ])('is mended: %s', async (_name, suggestion, mended) => {
    expect(await inScript(4, suggestion)).toBe(mended)
  })

  it('is mended though it would parse', async () => {
    const lines = ['begin()', 'work()', 'end()']
    const mend = (suggestion: string) => offer({ path: 'a.ts', lines, at: 2, suggestion })
    expect(await mend('work(1)\nend()')).toBe('work(1)')
    expect(await mend('begin()\nwork(1)')).toBe('work(1)')
    expect(await mend('begin()\nwork()\nend()')).toBeNull()
  })

  it('is left alone where the code repeats itself, and where a bracket only looks like the next one', async () => {
    const same = ['push(0)', 'push(0)', 'push(0)']
    for (const at of [2, [1, 2]] as const)
      expect(await offer({ path: 'a.ts', lines: same, at, suggestion: 'push(1)\npush(0)' })).toBe('push(1)\npush(0)')
    const nested = ['f(() => {', 'if (a) {', 'b()', '}', '})']
    const wrapped = 'if (c) {\nb()\n}'
    expect(await offer({ path: 'a.ts', lines: nested, at: 3, suggestion: wrapped })).toBe(wrapped)
  })
})

describe('a suggestion in a language without a grammar', () => {
  const lines = ['fun f(x: Int): Int {', '    if (x > 1)', '        return g(x,', '            1)', '    return x', '}']
  const inOther = (at: Offer['at'], suggestion: string) => offer({ path: 'a.kt', lines, at, suggestion })

  it.each([
    [5, '    return x + 1'],
    [5, "    return f(x, [1]) ?: '('"],
    [3, '        return h(x,'],
    [5, '    // it is fine\n    return x'],
  ])('is offered for line %i: %j', async (at, suggestion) => {
    expect(await inOther(at, suggestion)).toBe(suggestion)
  })

  it.each([
    [5, 'return x + 1'],
    [5, '    return x + ('],
    [5, '\treturn y'],
    [5, "    return 'x"],
    [5, '    return x)'],
    [3, '        return g(x, 1)'],
  ])('is not offered for line %i: %j', async (at, suggestion) => {
    expect(await inOther(at, suggestion)).toBeNull()
  })

  it('is offered where it adds the bracket that is missing', async () => {
    expect(await offer({ path: 'a.kt', lines: ['call(a', 'more()'], at: 1, suggestion: 'call(a)' })).toBe('call(a)')
  })
})
