// The code graph of scans, compared with graphs made by hand and built from scratch.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  listEdgesOf,
  readGraphRows,
  type ScanScenario,
  startScanScenario,
} from '../scan-scenario.ts'

let scene: ScanScenario
beforeAll(async () => {
  scene = await startScanScenario()
})
afterAll(() => scene[Symbol.asyncDispose]())

const shop = {
  'README.md': '# Shop\n',
  'package.json': '{ "name": "shop" }\n',
  'src/cart.ts': `import { priceOf } from './price.ts'

export class Cart extends Basket {
  total(): number {
    return priceOf('apple') + priceOf('pear')
  }
}

class Basket {}
`,
  'src/price.ts': `export function priceOf(name: string): number {
  return name.length > 4 ? 1 : 2
}
`,
  'test/cart.test.ts': `import { Cart } from '../src/cart.ts'

new Cart().total()
`,
  'tools/report.py': `from tools.lines import read_lines


def report():
    return read_lines()
`,
  'tools/lines.py': `def read_lines():
    return []
`,
  'tools/__init__.py': '',
  'go.mod': 'module acme.example/shop\n',
  'stock/stock.go': `package stock

func Count() int { return 1 }
`,
  'main.go': `package main

import "acme.example/shop/stock"

func main() { stock.Count() }
`,
  'vendor/left.js': 'module.exports = 1\n',
  'logo.png': new Uint8Array([0x89, 0x50, 0, 1]),
}

describe('a first scan', () => {
  it('stores the files, symbols and edges of the default branch', async () => {
    const repo = await scene.createScannedRepository(shop)
    const { files, symbols, strays } = await readGraphRows(scene.app.db, repo)
    const described = files.map(({ path, language, kind, isTest, lines, complexity }) =>
      [path, language, kind, isTest ? 'test' : '-', lines, complexity].join(' '),
    )
    expect(described).toEqual([
      'README.md Markdown source - 1 ',
      'go.mod Go Module source - 1 ',
      'logo.png  binary -  ',
      'main.go Go source - 5 2',
      'package.json JSON source - 1 ',
      'src/cart.ts TypeScript source - 9 2',
      'src/price.ts TypeScript source - 3 3',
      'stock/stock.go Go source - 3 2',
      'test/cart.test.ts TypeScript source test 3 1',
      'tools/__init__.py Python source - 0 1',
      'tools/lines.py Python source - 2 2',
      'tools/report.py Python source - 5 2',
      'vendor/left.js JavaScript vendored - 1 ',
    ])
    const named = symbols.map((s) => {
      const name = s.container === '' ? s.name : `${s.container}.${s.name}`
      return `${s.path}:${s.startLine}-${s.endLine} ${s.kind} ${name}`
    })
    expect(named).toEqual([
      'main.go:5-5 function main',
      'src/cart.ts:3-7 class Cart',
      'src/cart.ts:4-6 method Cart.total',
      'src/cart.ts:9-9 class Basket',
      'src/price.ts:1-3 function priceOf',
      'stock/stock.go:3-3 function Count',
      'tools/lines.py:1-2 function read_lines',
      'tools/report.py:4-5 function report',
    ])
    expect(strays).toEqual([{ count: 0 }])
  })

  it('stores which file uses which', async () => {
    const repo = await scene.createScannedRepository(shop)
    expect(await listEdgesOf(scene.app.db, repo)).toEqual([
      'main.go → stock/stock.go call',
      'main.go → stock/stock.go import',
      'src/cart.ts → src/price.ts call',
      'src/cart.ts → src/price.ts import',
      'test/cart.test.ts → src/cart.ts call',
      'test/cart.test.ts → src/cart.ts import',
      'tools/report.py → tools/lines.py call',
      'tools/report.py → tools/lines.py import',
    ])
  })

  it('stores all edges of many files, which a worker thread resolves', async () => {
    const indexes = Array.from({ length: 450 }, (_, index) => index)
    const nameOf = (index: number) => `src/step${String(index).padStart(3, '0')}.ts`
    const steps = indexes.map((index) => {
      const next = (index + 1) % indexes.length
      const call = `export const step${index} = () => step${next}()`
      const text = `import { step${next} } from '../${nameOf(next)}'\n${call}\n`
      return [nameOf(index), text]
    })
    const repo = await scene.createScannedRepository(Object.fromEntries(steps))
    expect(await listEdgesOf(scene.app.db, repo)).toEqual(
      indexes
        .flatMap((index) =>
          ['call', 'import'].map((kind) => [index, (index + 1) % indexes.length, kind] as const),
        )
        .map(([from, to, kind]) => `${nameOf(from)} → ${nameOf(to)} ${kind}`),
    )
  })
})

describe('a scan after a push', () => {
  it('of an empty commit changes only the commit of the graph', async () => {
    const repo = await scene.createScannedRepository({ 'README.md': '# Shop\n' })
    const before = await readGraphRows(scene.app.db, repo)
    await scene.forge.push(repo, 'main', {})
    await scene.rescan(repo)
    expect(await readGraphRows(scene.app.db, repo)).toEqual(before)
    const head = (await scene.forge.branches(repo)).get('main')
    const graph = scene.app.db.selectFrom('codeGraphs').select('commitSha').where('repo', '=', repo)
    expect(await graph.executeTakeFirst()).toEqual({ commitSha: head })
  })

  it('has the same result as a scan from scratch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 3 }), async (pushes) => {
        const tree = new Map(Object.entries(startTree))
        const repo = await scene.createScannedRepository(startTree)
        for (const push of pushes) {
          const changed = applyEdits(tree, push)
          if (Object.keys(changed).length === 0) continue
          await scene.forge.push(repo, 'main', changed)
          await scene.rescan(repo)
        }
        const fresh = await scene.createScannedRepository(Object.fromEntries(tree))
        expect(await readGraphRows(scene.app.db, repo)).toEqual(
          await readGraphRows(scene.app.db, fresh),
        )
      }),
      { numRuns: 6 },
    )
  }, 300_000)
})

/** Modules that import, call and extend each other. `forms` lists what a module can contain. */
const moduleNames = ['a', 'b', 'c', 'd/index', 'd/e'] as const
const joinLines = (...lines: string[]) => `${lines.join('\n')}\n`
const forms: readonly ((other: string, third: string) => string)[] = [
  () => 'export function run() { return 1 }\n',
  (other) => `import { run } from './${other}.ts'\nexport function go() { return run() }\n`,
  (other) =>
    joinLines(
      `import { Base } from './${other}.ts'`,
      'export class Base2 extends Base { go() { this.stop() } }',
    ),
  () => 'export class Base { stop() { return 2 }\n  run() { return this.stop() } }\n',
  (other, third) => `export * from './${other}.ts'\nexport { go as walk } from './${third}.ts'\n`,
  (other) =>
    joinLines(
      `import * as all from './${other}.ts'`,
      "import d from './d/index.ts'",
      'all.run(); all.walk(); d()',
    ),
  (other) =>
    joinLines(
      `import { Base } from './${other}.ts'`,
      'const base = new Base()',
      'base.run()',
      'export default base',
    ),
  (_, third) =>
    joinLines(
      `import { run, walk } from './${third}.ts'`,
      '',
      '',
      'export function go(at: number) { run(); walk() }',
    ),
]
const nested = (name: string) => (name.startsWith('d/') ? '../' : './')

function writeModule(name: string, form: number, other: number, third: number): string {
  const target = (index: number) => moduleNames[index % moduleNames.length]!
  return forms[form % forms.length]!(target(other), target(third)).replaceAll(
    "'./",
    `'${nested(name)}`,
  )
}

const startTree: Record<string, string> = {
  ...Object.fromEntries(
    moduleNames.map((name, index) => [
      `${name}.ts`,
      writeModule(name, index, index + 1, index + 2),
    ]),
  ),
  'p/__init__.py': '',
  'p/one.py': 'class One:\n    def act(self):\n        return 1\n',
  'p/two.py': 'from p.one import One\n\n\ndef use():\n    one = One()\n    return one.act()\n',
  'w/w.go': 'package w\n\nfunc Work() int { return help() }\n',
  'w/help.go': 'package w\n\nfunc help() int { return 1 }\n',
  'go.mod': 'module acme.example/w\n',
}

type Edit =
  | {
      readonly kind: 'write'
      readonly name: string
      readonly numbers: readonly [number, number, number]
    }
  | { readonly kind: 'remove' | 'touch'; readonly index: number }
  | { readonly kind: 'rename'; readonly index: number; readonly to: string }
  | { readonly kind: 'python' | 'go'; readonly form: number }

const small = fc.nat({ max: 9 })
const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        name: fc.constantFrom(...moduleNames, 'new'),
        numbers: fc.tuple(small, small, small),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), index: small }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('touch' as const), index: small }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('rename' as const),
        index: small,
        to: fc.constantFrom('a.ts', 'moved.ts', 'd/moved.ts', 'p/three.py'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('python' as const, 'go' as const),
        form: small,
      }),
    },
  ),
  { minLength: 1, maxLength: 3 },
)

/** Applies edits to a tree. Returns what to push. */
function applyEdits(
  tree: Map<string, string>,
  list: readonly Edit[],
): Record<string, string | null> {
  const before = new Map(tree)
  for (const edit of list) applyEdit(tree, edit)
  const changed: Record<string, string | null> = {}
  for (const [path, text] of tree) if (before.get(path) !== text) changed[path] = text
  for (const path of before.keys()) if (!tree.has(path)) changed[path] = null
  return changed
}

function applyEdit(tree: Map<string, string>, edit: Edit): void {
  const paths = [...tree.keys()].sort()
  const path = 'index' in edit ? paths[edit.index % paths.length]! : ''
  switch (edit.kind) {
    case 'write':
      tree.set(`${edit.name}.ts`, writeModule(edit.name, ...edit.numbers))
      break
    case 'remove':
      if (tree.size > 2) tree.delete(path)
      break
    case 'touch':
      tree.set(path, `${tree.get(path)}\n`)
      break
    case 'rename': {
      const text = tree.get(path)!
      tree.delete(path)
      tree.set(edit.to, text)
      break
    }
    case 'python': {
      const bodies = [
        'class One:\n    def act(self):\n        return 1\n',
        'class One:\n    pass\n',
        'def act():\n    return 2\n',
      ]
      tree.set('p/one.py', bodies[edit.form % bodies.length]!)
      break
    }
    case 'go': {
      const bodies = [
        'package w\n\nfunc help() int { return 1 }\n',
        'package w\n\nfunc Help() int { return Work() }\n',
      ]
      tree.set('w/help.go', bodies[edit.form % bodies.length]!)
    }
  }
}
