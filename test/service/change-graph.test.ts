// What is known around a pull request: whom it reaches, what it breaks, which tests reach it, who else is at work there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChangeGraph } from '../../src/domain/change-graph.ts'
import { type ChangeGraphScene, startChangeGraphScene } from '../change-graph-scene.ts'

let scene: ChangeGraphScene
beforeAll(async () => {
  scene = await startChangeGraphScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

const price = `export const rate = 2

export function priceOf(count: number): number {
  return count * rate
}

export function nameOf(count: number): string {
  return count === 1 ? 'one' : 'many'
}
`
const files = {
  'src/price.ts': price,
  'src/index.ts': "export * from './price.ts'\n",
  'src/cart.ts': `import { priceOf, rate } from './price.ts'

export class Cart {
  total(count: number): number {
    return priceOf(count) + rate
  }
}
`,
  'src/shop.ts': "import { priceOf as cost } from './index.ts'\n\nexport const least = cost(1)\n",
  'src/other.ts': 'const priceOf = (text: string) => text.length\nexport const size = priceOf("abc")\n',
  'src/alone.ts': 'export function alone(): number {\n  return 1\n}\n',
  'src/kinds.ts': 'export interface Kind {\n  name: string\n}\n',
  'test/cart.test.ts': "import { Cart } from '../src/cart.ts'\n\nnew Cart().total(1)\n",
  'shop/__init__.py': '',
  'shop/money.py': 'def add(one, other):\n    return one + other\n',
  'shop/till.py': 'from shop.money import add\n\n\ndef pay():\n    return add(1, 2)\n',
  'go.mod': 'module example.org/shop\n\ngo 1.24\n',
  'bill/bill.go': 'package bill\n\nfunc Sum(count int) int {\n\treturn count\n}\n',
  'bill/print.go': 'package bill\n\nfunc Print() int {\n\treturn Sum(2)\n}\n',
  'main.go': 'package main\n\nimport "example.org/shop/bill"\n\nfunc main() {\n\tbill.Sum(1)\n}\n',
  'java/src/main/java/acme/Tax.java':
    'package acme;\n\npublic class Tax {\n  public static int of(int count) {\n    return count;\n  }\n}\n',
  'java/src/main/java/acme/Bill.java':
    'package acme;\n\npublic class Bill {\n  int total() {\n    return Tax.of(1);\n  }\n}\n',
  'lib/shelf.rb': 'class Shelf\n  def fill(count)\n    count\n  end\nend\n',
  'lib/store.rb': "require_relative 'shelf'\n\nshelf = Shelf.new\nshelf.fill(1)\n",
}

let repo: string
beforeAll(async () => {
  repo = await scene.createRepository(files)
})

/** Looks at a pull request of the shared repository, or of another one. */
async function lookAt(change: Parameters<ChangeGraphScene['propose']>[1], name = repo): Promise<ChangeGraph> {
  const graph = await scene.look(name, await scene.propose(name, change))
  if (graph === null) throw new Error('Nothing is known')
  return graph
}

const callersOf = ({ callers, symbols }: ChangeGraph) =>
  callers.map(({ path, line, symbol }) => `${path}:${line} ${symbols[symbol]?.name}`).sort()

describe('a changed signature', () => {
  it('shows its callers in other files, under any name, over files that pass it on, and nobody else', async () => {
    const graph = await lookAt({
      'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
    })
    expect(graph.symbols).toMatchObject([
      {
        path: 'src/price.ts',
        name: 'priceOf',
        change: 'signature',
        exported: true,
        parametersBefore: { least: 1, most: 1 },
        parameters: { least: 2, most: 2 },
      },
    ])
    expect(callersOf(graph)).toEqual(['src/cart.ts:5 priceOf', 'src/shop.ts:3 priceOf'])
    expect(graph.callers).toMatchObject([
      { path: 'src/cart.ts', within: 'Cart.total', kind: 'call', arguments: 1, inChange: false, isTest: false },
      { path: 'src/shop.ts', within: 'least', text: 'export const least = cost(1)' },
    ])
    expect(graph.callers.every(({ confidence }) => confidence >= 0.8)).toBe(true)
    expect(graph.counts).toMatchObject({ callers: 2, callingFiles: 2 })
  })

  it.each([
    ['Python', 'shop/money.py', 'one, other', 'one, other, more', ['shop/till.py:5 add']],
    ['Go', 'bill/bill.go', 'count int', 'count int, more int', ['bill/print.go:4 Sum', 'main.go:6 Sum']],
    [
      'Java',
      'java/src/main/java/acme/Tax.java',
      'int count',
      'int count, int more',
      ['java/src/main/java/acme/Bill.java:5 Tax.of'],
    ],
    ['Ruby', 'lib/shelf.rb', 'fill(count)', 'fill(count, more)', ['lib/store.rb:4 Shelf.fill']],
  ] as const)('shows its callers in %s', async (_language, path, before, after, callers) => {
    const graph = await lookAt({ [path]: files[path].replace(before, after) })
    expect(graph.symbols.map(({ change }) => change)).toEqual(['signature'])
    expect(callersOf(graph)).toEqual(callers)
  })

  it('shows callers in the changed files that the change leaves as they are, and not those that it mends', async () => {
    const cart = files['src/cart.ts']
    const graph = await lookAt({
      'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
      'src/cart.ts': `// A cart.\n${cart.replace('  total', '  twice = (count: number) => priceOf(count, 2)\n  total')}`,
    })
    expect(graph.callers.filter(({ path }) => path === 'src/cart.ts')).toMatchObject([
      { line: 7, inChange: true, text: 'return priceOf(count) + rate' },
    ])
  })
})

describe('what a change takes away', () => {
  it('is missed by those that import it, also over files that pass it on', async () => {
    const graph = await lookAt({ 'src/price.ts': price.replace(/export const rate.*\n\n/, 'const rate = 3\n\n') })
    expect(graph.brokenImports).toEqual([
      { path: 'src/cart.ts', line: 1, from: './price.ts', name: 'rate', target: 'src/price.ts', inChange: false },
    ])
    const gone = await lookAt({ 'src/price.ts': price.replace(/export function priceOf[^}]*}\n/, '') })
    expect(gone.brokenImports.map(({ path, name }) => `${path} ${name}`).sort()).toEqual([
      'src/cart.ts priceOf',
      'src/shop.ts priceOf',
    ])
    expect(gone.symbols).toMatchObject([{ name: 'priceOf', change: 'removed', parameters: null }])
    expect(callersOf(gone)).toEqual(['src/cart.ts:5 priceOf', 'src/shop.ts:3 priceOf'])
  })

  it('is not missed where it only moved to where it is passed on from', async () => {
    const [, moved = ''] = /(export function nameOf[^}]*}\n)/.exec(price) ?? []
    const graph = await lookAt({
      'src/price.ts': price.replace(moved, "export { nameOf } from './names.ts'\n"),
      'src/names.ts': moved,
    })
    expect(graph.brokenImports).toEqual([])
  })

  it('breaks imports of a file that is deleted or renamed, but not those that follow', async () => {
    const graph = await lookAt({
      'src/price.ts': null,
      'src/cost.ts': price,
      'src/index.ts': "export * from './cost.ts'\n",
    })
    expect(graph.brokenImports).toEqual([
      { path: 'src/cart.ts', line: 1, from: './price.ts', name: null, target: null, inChange: false },
    ])
    expect(graph.symbols).toEqual([])
  })

  it('breaks imports in Python', async () => {
    const graph = await lookAt({ 'shop/money.py': 'def plus(one, other):\n    return one + other\n' })
    expect(graph.brokenImports).toMatchObject([{ path: 'shop/till.py', line: 1, name: 'add', target: 'shop/money.py' }])
  })
})

describe('what a change writes', () => {
  it('is told where its imports lead nowhere, and not where they lead to what is there', async () => {
    const graph = await lookAt({
      'src/new.ts': `import { priceOf, priceOff } from './price.ts'
import { gone } from './gone.ts'
import fs from 'node:fs'
import react from 'react'
export const all = [priceOf(1), priceOff, gone, fs, react]
`,
    })
    expect(graph.brokenImports).toEqual([
      { path: 'src/new.ts', line: 1, from: './price.ts', name: 'priceOff', target: 'src/price.ts', inChange: true },
      { path: 'src/new.ts', line: 2, from: './gone.ts', name: null, target: null, inChange: true },
    ])
  })

  it('shows what it uses of files that it leaves alone', async () => {
    const graph = await lookAt({
      'src/new.ts': `import { priceOf } from './index.ts'
import { Cart } from './cart.ts'
export class Big extends Cart {}
export const one = priceOf(1)
export const two = priceOf(2)
`,
    })
    expect(graph.definitions).toMatchObject([
      {
        path: 'src/price.ts',
        line: 3,
        endLine: 5,
        name: 'priceOf',
        signature: expect.stringContaining('priceOf(count: number): number'),
        usedAt: { path: 'src/new.ts', line: 4 },
      },
      { path: 'src/cart.ts', line: 3, name: 'Cart', usedAt: { path: 'src/new.ts', line: 3 } },
    ])
  })
})

describe('tests of a change', () => {
  it('are those that reach it, the nearest first; what none reaches is named', async () => {
    const graph = await lookAt({
      'src/price.ts': price.replace('count * rate', 'count * rate * 1'),
      'src/alone.ts': 'export function alone(): number {\n  return 2\n}\n',
      'src/kinds.ts': 'export interface Kind {\n  title: string\n}\n',
      'lib/shelf.rb': 'class Shelf\n  def fill(count)\n    count + 1\n  end\nend\n',
    })
    expect(graph.tests).toEqual([{ path: 'test/cart.test.ts', distance: 2, reaches: ['src/price.ts'] }])
    // Types alone have nothing to test, and nobody tests Ruby here.
    expect(graph.untested).toEqual(['src/alone.ts'])
    expect(graph.counts).toMatchObject({ tests: 1, reachedFiles: 5 })
  })

  it('may come with it', async () => {
    const graph = await lookAt({
      'src/alone.ts': 'export function alone(): number {\n  return 3\n}\n',
      'test/alone.test.ts': "import { alone } from '../src/alone.ts'\n\nalone()\n",
    })
    expect(graph.tests).toEqual([{ path: 'test/alone.test.ts', distance: 1, reaches: ['src/alone.ts'] }])
    expect(graph.untested).toEqual([])
  })
})
