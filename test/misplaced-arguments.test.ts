// Tests of the static reviewer on calls whose arguments no longer fit the changed parameters.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { compareSymbols } from '../src/knowledge/change/compare-symbols.ts'
import { callerOf, graphOf } from './samples/change-graph.ts'
import { changeOf, emptyContext } from './samples/change-of-files.ts'
import { createStaticReviewer } from './samples/static-reviewer.ts'

const reviewer = createStaticReviewer()
const syntax = createSyntaxParser()
afterAll(() => Promise.all([reviewer[Symbol.asyncDispose](), syntax[Symbol.asyncDispose]()]))

/** Renders a function with these parameters, and a file that calls it. */
const languages = {
  ts: [
    (list: string) => `export function load(${list}): number {\n  return 1\n}\n`,
    (call: string) => `${call}\n`,
  ],
  arrow: [
    (list: string) => `export const load = async (${list}) => {\n  return 1\n}\n`,
    (call: string) => `${call}\n`,
  ],
  js: [
    (list: string) => `export function load(${list}) {\n  return 1\n}\n`,
    (call: string) => `${call}\n`,
  ],
  py: [(list: string) => `def load(${list}):\n    return 1\n`, (call: string) => `${call}\n`],
  go: [
    (list: string) => `package shop\n\nfunc load(${list}) int {\n\treturn 1\n}\n`,
    (call: string) => `package shop\n\nfunc use() {\n\t${call}\n}\n`,
  ],
  java: [
    (list: string) => `class Shop {\n  static int load(${list}) {\n    return 1;\n  }\n}\n`,
    (call: string) => `class Till {\n  void use() {\n    ${call};\n  }\n}\n`,
  ],
  cs: [
    (list: string) => `static class Shop {\n  static int Load(${list}) {\n    return 1;\n  }\n}\n`,
    (call: string) => `class Till {\n  void Use() {\n    ${call};\n  }\n}\n`,
  ],
  php: [
    (list: string) => `<?php\nfunction load(${list}) {\n  return 1;\n}\n`,
    (call: string) => `<?php\n${call};\n`,
  ],
  c: [
    (list: string) => `int load(${list}) {\n  return 1;\n}\n`,
    (call: string) => `int use(void) {\n  return ${call};\n}\n`,
  ],
} as const

type Language = keyof typeof languages

/** Returns the findings about a call that the change left unmodified. */
async function check(language: Language, before: string, after: string, call: string) {
  const [define, use] = languages[language]
  const extension = language === 'arrow' ? 'ts' : language
  const [path, till] = [`src/shop.${extension}`, `src/till.${extension}`]
  const version = async (list: string) => {
    const text = define(list)
    return { path, text, fileIndex: (await syntax.indexFile(path, text))! }
  }
  const [old, now] = [await version(before), await version(after)]
  const symbols = compareSymbols(old, now).filter(({ change }) => change === 'signature')
  expect(symbols).toHaveLength(1)
  const facts = (await syntax.indexFile(till, use(call)))!
  const reference = facts.references.find(
    ({ name, kind }) => kind === 'call' && /^load$/i.test(name),
  )!
  expect(reference.arguments).not.toBeNull()
  const caller = callerOf({
    path: till,
    line: reference.line,
    text: call,
    arguments: reference.arguments,
  })
  const change = changeOf(
    { [path]: old.text, [till]: use(call) },
    { [path]: now.text, [till]: use(call) },
  )
  const graph = graphOf({ symbols, callers: [caller] })
  const { findings } = await reviewer.review(
    { ...change, graph },
    emptyContext,
    AbortSignal.timeout(60_000),
  )
  expect(findings.every(({ rule }) => rule === 'changed-signature')).toBe(true)
  return findings.map(({ severity, body }) => `${severity}: ${body.replace(/^.*?, it /, '')}`)
}

const elsewhere = 'it does something else, if it can be run at all.'

describe('calls that keep their number of arguments', () => {
  it.each<[string, Language, [before: string, after: string, call: string], string]>([
    [
      'by a name that is gone',
      'py',
      ['id, at=None', 'id, when=None', 'load(3, at=now())'],
      'critical: passes `at` by name, and no parameter is taken by that name now: it fails with an error when it runs.',
    ],
    [
      'by position, where only names are taken',
      'py',
      ['id, at', 'id, *, at', 'load(3, now())'],
      'critical: passes 2 by position, and only 1 can be passed so now: it fails with an error when it runs.',
    ],
    [
      'by name, where only positions are taken',
      'py',
      ['id, at', 'id, at, /', 'load(3, at=now())'],
      'critical: passes `at` by name, and no parameter is taken by that name now: it fails with an error when it runs.',
    ],
    [
      'without one that must be passed by name',
      'py',
      ['id, at=None', 'id, at=None, *, zone', 'load(3, now())'],
      'critical: passes nothing for `zone`, and it must be passed now: it fails with an error when it runs.',
    ],
    [
      'by name and by position',
      'py',
      ['id, at=None', 'at, id=None', 'load(3, at=now())'],
      'critical: passes `at` by name, and another argument is taken for it by its position now: it fails with an error when it runs.',
    ],
    [
      'behind a parameter that came in front, in Python',
      'py',
      ['id, at=None', 'shop, id, at=None', 'load(3, now())'],
      `moderate: passes \`3\` for \`id\`, and it is taken for \`shop\` now: ${elsewhere}`,
    ],
    [
      'over several lines, with commas in brackets and in quotation marks',
      'py',
      ['id, at=None', 'shop, id, at=None', "load(\n    pick(3, ','),\n    [1, 2],\n)"],
      `moderate: passes \`pick(3, ',')\` for \`id\`, and it is taken for \`shop\` now: ${elsewhere}`,
    ],
    [
      'among comments',
      'py',
      ['id, at=None', 'shop, id, at=None', 'load(  # it\n  3, 4)'],
      `moderate: passes \`3\` for \`id\`, and it is taken for \`shop\` now: ${elsewhere}`,
    ],
    [
      'behind a parameter that came in the middle, in TypeScript',
      'ts',
      ['id: string, at?: Date', 'id: string, zone: string, at?: Date', 'load(name, new Date())'],
      `moderate: passes \`new Date()\` for \`at\`, and it is taken for \`zone\` now: ${elsewhere}`,
    ],
    [
      'to parameters in another order, in a function that is a value',
      'arrow',
      [
        'from: Map<string, number>, to: string',
        'to: string, from: Map<string, number>',
        'load(rates, name)',
      ],
      `moderate: passes \`rates\` for \`from\`, and it is taken for \`to\` now: ${elsewhere}`,
    ],
    [
      'to parameters in another order, in JavaScript',
      'js',
      ['from, to', 'to, from', 'load(3, 7)'],
      `moderate: passes \`3\` for \`from\`, and it is taken for \`to\` now: ${elsewhere}`,
    ],
    [
      'to parameters in another order, in Go',
      'go',
      ['from, to int', 'to, from int', 'load(3, 7)'],
      `moderate: passes \`3\` for \`from\`, and it is taken for \`to\` now: ${elsewhere}`,
    ],
    [
      'to parameters in another order, in Java',
      'java',
      [
        'final List<Integer> from, int to',
        'int to, final List<Integer> from',
        'Shop.load(rates, 7)',
      ],
      `moderate: passes \`rates\` for \`from\`, and it is taken for \`to\` now: ${elsewhere}`,
    ],
    [
      'to parameters in another order, in C',
      'c',
      ['const char *from, int to[]', 'int to[], const char *from', 'load(name, rates)'],
      `moderate: passes \`name\` for \`from\`, and it is taken for \`to\` now: ${elsewhere}`,
    ],
    [
      'by a name that is gone, in C#',
      'cs',
      ['int id, int at = 0', 'int id, int when = 0', 'Shop.Load(3, at: 7)'],
      'moderate: passes `at` by name, and no parameter is taken by that name now: it does not compile.',
    ],
    [
      'without the word that goes with a reference',
      'cs',
      ['int id, int at', 'int id, ref int at', 'Shop.Load(3, clock)'],
      'moderate: passes `clock`, and `at` is passed with `ref` now: it does not compile.',
    ],
    [
      'by a name that is gone, in PHP',
      'php',
      ['$id, $at = null', '$id, $when = null', 'load(3, at: now())'],
      'critical: passes `at` by name, and no parameter is taken by that name now: it fails with an error when it runs.',
    ],
  ])('reports %s', async (_, language, lists, expected) => {
    expect(await check(language, ...lists)).toEqual([expected])
  })

  it.each<[string, Language, [before: string, after: string, call: string]]>([
    [
      'that were renamed',
      'ts',
      ['id: string, at: Date', 'key: string, when: Date', 'load(name, now)'],
    ],
    [
      'that were renamed and are passed by position',
      'py',
      ['id, at', 'key, when', 'load(3, now())'],
    ],
    ['of other types', 'ts', ['id: string, at: Date', 'id: Key, at: Moment', 'load(name, now)']],
    ['taken by name in another order', 'py', ['id, at', 'at, id', 'load(id=3, at=now())']],
    ['behind all that are passed', 'py', ['id, at=None', 'id, zone=None, at=None', 'load(3)']],
    ['that any names can be given to', 'py', ['id, at=None', 'id, **others', 'load(3, at=now())']],
    ['that take what is left', 'py', ['id, at', 'id, *at', 'load(3, now())']],
    [
      'whose order was mended: the call has had it',
      'ts',
      ['to: number, from: number', 'from: number, to: number', 'load(range.from, end)'],
    ],
    [
      'that are taken apart',
      'ts',
      ['{ id }: Key, at: Date', 'at: Date, { id }: Key', 'load(key, now)'],
    ],
    ['that were taken apart into one', 'js', ['id, at', 'at, { id }', 'load(1, 2)']],
    ['that are swapped for others', 'go', ['from int, to int', 'a int, b int', 'load(3, 7)']],
    ['without names', 'go', ['int, string', 'string, int', 'load(3, "a")']],
    [
      'of a second call on the line',
      'py',
      ['id, at=None', 'shop, id, at=None', 'load(3, 4) or load(5, 6)'],
    ],
    [
      'that C# takes by name as before',
      'cs',
      ['int id, int at', 'int at, int id', 'Shop.Load(id: 3, at: 7)'],
    ],
    [
      'passed with their word as before',
      'cs',
      ['ref int id, int at', 'ref int key, int at', 'Shop.Load(ref clock, 7)'],
    ],
    ['that it did not fit before', 'py', ['id, *, at', 'id, *, when', 'load(3, 4)']],
    ['too many for PHP, which takes them', 'php', ['$id, $at', '$id, ...$more', 'load(3, 4)']],
  ])('reports nothing for parameters %s', async (_, language, lists) => {
    expect(await check(language, ...lists)).toEqual([])
  })

  it('stops reading unterminated calls without delay', async () => {
    const endless = `load(${'('.repeat(100_000)}`
    expect(await check('js', 'from, to', 'to, from', `load(3, 7); ${endless}`)).toEqual([])
  })
})
