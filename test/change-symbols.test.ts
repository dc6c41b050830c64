// Changed definitions and moved lines, computed from two versions of a file.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { FileDiff } from '../src/domain/diff.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { createLineMap } from '../src/knowledge/change/changed-lines.ts'
import { compareSymbols, type FileVersion } from '../src/knowledge/change/compare-symbols.ts'

const syntax = createSyntaxParser()
afterAll(() => syntax[Symbol.asyncDispose]())

async function versionOf(path: string, text: string | null): Promise<FileVersion | null> {
  if (text === null) return null
  const facts = await syntax.indexFile(path, text)
  if (facts === undefined) throw new Error(`${path} has no facts`)
  return { path, text, fileIndex: facts }
}

async function compare(path: string, before: string | null, after: string | null) {
  const changes = compareSymbols(await versionOf(path, before), await versionOf(path, after))
  return changes.map(({ name, change }) => `${change} ${name}`)
}

describe('definitions of two versions', () => {
  const shop = `export function price(count: number): number {
  return count * 2
}

export class Till {
  #coins = 0

  pay(amount: number): void {
    this.#coins += amount
  }
}
`

  it('are split into changes of the interface and of the body', async () => {
    const path = 'src/shop.ts'
    expect(await compare(path, shop, shop)).toEqual([])
    expect(await compare(path, shop, shop.replace('count * 2', 'count * 3'))).toEqual([
      'body price',
    ])
    expect(
      await compare(path, shop, shop.replace('count: number)', 'count: number, rate: number)')),
    ).toEqual(['signature price'])
    expect(await compare(path, shop, shop.replace('export function', 'function'))).toEqual([
      'signature price',
    ])
    expect(await compare(path, shop, shop.replace('price', 'cost'))).toEqual([
      'removed price',
      'added cost',
    ])
  })

  it('report changes of a class only outside its methods', async () => {
    const path = 'src/shop.ts'
    expect(await compare(path, shop, shop.replace('+= amount', '-= amount'))).toEqual([
      'body Till.pay',
    ])
    expect(
      await compare(path, shop, shop.replace('class Till {', 'class Till extends Box {')),
    ).toEqual(['signature Till'])
  })

  it('are equal when they only moved or changed indentation', async () => {
    const [price, till] = shop.split('\n\nexport class')
    expect(await compare('src/shop.ts', shop, `export class${till}\n${price}\n`)).toEqual([])
    const flat = 'def pay(coins):\n    if coins:\n        take(coins)\n'
    expect(await compare('shop.py', flat, `# A shop.\n\n\n${flat}`)).toEqual([])
    expect(await compare('shop.py', flat, flat.replace('        take', '    take'))).toEqual([
      'body pay',
    ])
  })

  it('treat the value of a constant as its body', async () => {
    expect(await compare('a.ts', 'export const limit = 1\n', 'export const limit = 2\n')).toEqual([
      'body limit',
    ])
    expect(
      await compare('a.ts', 'export const limit = 1\n', 'export const limit: bigint = 1n\n'),
    ).toEqual(['signature limit'])
  })

  it('are all added in a new file and all removed in a deleted one', async () => {
    expect(await compare('a.ts', null, 'export function f() {}\n')).toEqual(['added f'])
    expect(await compare('a.ts', 'export function f() {}\n', null)).toEqual(['removed f'])
  })

  it('report old and new parameter counts unless a name is ambiguous', async () => {
    const before = await versionOf('a.ts', 'export function f(a: number) {}\n')
    const after = await versionOf('a.ts', 'export function f(a: number, b: number, c = 1) {}\n')
    expect(compareSymbols(before, after)).toMatchObject([
      {
        change: 'signature',
        parametersBefore: { least: 1, most: 1 },
        parameters: { least: 2, most: 3 },
      },
    ])
    const java = (type: string) =>
      `class Till {\n  void pay(int a) {}\n  void pay(${type} a, int b) {}\n}\n`
    const changes = compareSymbols(
      await versionOf('Till.java', java('int')),
      await versionOf('Till.java', java('long')),
    )
    expect(changes).toMatchObject([
      { name: 'Till.pay', change: 'signature', parametersBefore: null, parameters: null },
    ])
  })
})

describe('lines of a changed file', () => {
  it('are mapped to the head, except deleted ones', () => {
    const diff = `diff --git a/a.txt b/a.txt
index 1111111..2222222 100644
--- a/a.txt
+++ b/a.txt
@@ -2,0 +3,2 @@
+new
+new
@@ -5,2 +6,0 @@
-old
-old
@@ -10,3 +10,3 @@
 same
-old
+new
 same
`
    const { added, toHead } = createLineMap(parseDiff(diff).files[0] as FileDiff)
    expect([...added]).toEqual([3, 4, 11])
    const places = Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 20].map((line) => [line, toHead(line) ?? null]),
    )
    expect(places).toEqual({
      1: 1,
      2: 2,
      3: 5,
      4: 6,
      5: null,
      6: null,
      7: 7,
      10: 10,
      11: null,
      12: 12,
      20: 20,
    })
  })
})
