// Tests the change graph: callers, broken imports, tests and other pull requests of a change.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { toJson } from '../../src/db/sql-values.ts'
import type { ChangeGraph } from '../../src/domain/change-graph.ts'
import { blobIdOf } from '../../src/git/blob-id.ts'
import { createDefinitionFinder } from '../../src/workflows/gathering/gather-graph.ts'
import { type ChangeGraphScenario, startChangeGraphScenario } from '../change-graph-scenario.ts'
import { createTestDatabase, silentLog } from '../fakes/test-database.ts'

let scene: ChangeGraphScenario
beforeAll(async () => {
  scene = await startChangeGraphScenario()
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
  'src/other.ts':
    'const priceOf = (text: string) => text.length\nexport const size = priceOf("abc")\n',
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
    'package acme;\n\npublic class Tax {\n  public static int of(int count) {\n' +
    '    return count;\n  }\n}\n',
  'java/src/main/java/acme/Bill.java':
    'package acme;\n\npublic class Bill {\n  int total() {\n    return Tax.of(1);\n  }\n}\n',
  'lib/shelf.rb': 'class Shelf\n  def fill(count)\n    count\n  end\nend\n',
  'lib/store.rb': "require_relative 'shelf'\n\nshelf = Shelf.new\nshelf.fill(1)\n",
}

let repo: string
beforeAll(async () => {
  repo = await scene.createRepository(files)
})

/** Opens a pull request in the shared repository, or in `name`, and reads its change graph. */
async function readGraphOf(
  change: Parameters<ChangeGraphScenario['propose']>[1],
  name = repo,
): Promise<ChangeGraph> {
  const graph = await scene.readChangeGraph(name, await scene.propose(name, change))
  if (graph === null) throw new Error('The change graph is missing')
  return graph
}

const callersOf = ({ callers, symbols }: ChangeGraph) =>
  callers.map(({ path, line, symbol }) => `${path}:${line} ${symbols[symbol]?.name}`).sort()

describe('a changed signature', () => {
  it('lists its callers in other files, also through aliases and re-exports', async () => {
    const graph = await readGraphOf({
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
      {
        path: 'src/cart.ts',
        within: 'Cart.total',
        kind: 'call',
        arguments: 1,
        inChange: false,
        isTest: false,
      },
      { path: 'src/shop.ts', within: 'least', text: 'export const least = cost(1)' },
    ])
    expect(graph.callers.every(({ confidence }) => confidence >= 0.8)).toBe(true)
    expect(graph.counts).toMatchObject({ callers: 2, callingFiles: 2 })
  })

  it('lists callers whose object comes from a function in another file', async () => {
    const wallet = 'export class Wallet {\n  drain(sum: number) {\n    return sum\n  }\n}\n'
    const name = await scene.createRepository({
      'src/wallet.ts': wallet,
      'src/purse.ts': 'export class Purse {\n  drain(sum: number) {}\n}\n',
      'src/open.ts':
        "import { Wallet } from './wallet.ts'\nexport const openWallet = () => new Wallet()\n",
      'src/pay.ts':
        "import { openWallet } from './open.ts'\nconst own = openWallet()\nown.drain(1)\n",
    })
    const graph = await readGraphOf(
      { 'src/wallet.ts': wallet.replace('sum: number', 'sum: number, to: string') },
      name,
    )
    expect(graph.callers).toMatchObject([{ path: 'src/pay.ts', line: 3 }])
    expect(graph.callers[0]?.confidence).toBeGreaterThanOrEqual(0.8)
  })

  it.each([
    ['Python', 'shop/money.py', 'one, other', 'one, other, more', ['shop/till.py:5 add']],
    [
      'Go',
      'bill/bill.go',
      'count int',
      'count int, more int',
      ['bill/print.go:4 Sum', 'main.go:6 Sum'],
    ],
    [
      'Java',
      'java/src/main/java/acme/Tax.java',
      'int count',
      'int count, int more',
      ['java/src/main/java/acme/Bill.java:5 Tax.of'],
    ],
    ['Ruby', 'lib/shelf.rb', 'fill(count)', 'fill(count, more)', ['lib/store.rb:4 Shelf.fill']],
  ] as const)('lists its callers in %s', async (_language, path, before, after, callers) => {
    const graph = await readGraphOf({ [path]: files[path].replace(before, after) })
    expect(graph.symbols.map(({ change }) => change)).toEqual(['signature'])
    expect(callersOf(graph)).toEqual(callers)
  })

  it('lists unchanged callers in changed files, but not the fixed ones', async () => {
    const cart = files['src/cart.ts'].replace(
      '  total',
      '  twice = (count: number) => priceOf(count, 2)\n  total',
    )
    const graph = await readGraphOf({
      'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
      'src/cart.ts': `// A cart.\n${cart}`,
    })
    expect(graph.callers.filter(({ path }) => path === 'src/cart.ts')).toMatchObject([
      { line: 7, inChange: true, text: 'return priceOf(count) + rate' },
    ])
  })
})

describe('a removed export', () => {
  it('breaks the imports of it, also through re-exports', async () => {
    const graph = await readGraphOf({
      'src/price.ts': price.replace(/export const rate.*\n\n/, 'const rate = 3\n\n'),
    })
    expect(graph.brokenImports).toEqual([
      {
        path: 'src/cart.ts',
        line: 1,
        from: './price.ts',
        name: 'rate',
        target: 'src/price.ts',
        inChange: false,
      },
    ])
    const withoutFunction = await readGraphOf({
      'src/price.ts': price.replace(/export function priceOf[^}]*}\n/, ''),
    })
    expect(withoutFunction.brokenImports.map(({ path, name }) => `${path} ${name}`).sort()).toEqual(
      ['src/cart.ts priceOf', 'src/shop.ts priceOf'],
    )
    expect(withoutFunction.symbols).toMatchObject([
      { name: 'priceOf', change: 'removed', parameters: null },
    ])
    expect(callersOf(withoutFunction)).toEqual(['src/cart.ts:5 priceOf', 'src/shop.ts:3 priceOf'])
  })

  it('breaks no import when its file re-exports it from its new file', async () => {
    const [, moved = ''] = /(export function nameOf[^}]*}\n)/.exec(price) ?? []
    const graph = await readGraphOf({
      'src/price.ts': price.replace(moved, "export { nameOf } from './names.ts'\n"),
      'src/names.ts': moved,
    })
    expect(graph.brokenImports).toEqual([])
  })

  it('breaks imports of a deleted or renamed file, but not updated ones', async () => {
    const graph = await readGraphOf({
      'src/price.ts': null,
      'src/cost.ts': price,
      'src/index.ts': "export * from './cost.ts'\n",
    })
    expect(graph.brokenImports).toEqual([
      {
        path: 'src/cart.ts',
        line: 1,
        from: './price.ts',
        name: null,
        target: null,
        inChange: false,
      },
    ])
    expect(graph.symbols).toEqual([])
  })

  it('breaks imports in Python', async () => {
    const graph = await readGraphOf({
      'shop/money.py': 'def plus(one, other):\n    return one + other\n',
    })
    expect(graph.brokenImports).toMatchObject([
      { path: 'shop/till.py', line: 1, name: 'add', target: 'shop/money.py' },
    ])
  })
})

describe('code that a change adds', () => {
  it('has its unresolved imports reported, and no others', async () => {
    const graph = await readGraphOf({
      'src/new.ts': `import { priceOf, priceOff } from './price.ts'
import { gone } from './gone.ts'
import fs from 'node:fs'
import react from 'react'
export const all = [priceOf(1), priceOff, gone, fs, react]
`,
    })
    expect(graph.brokenImports).toEqual([
      {
        path: 'src/new.ts',
        line: 1,
        from: './price.ts',
        name: 'priceOff',
        target: 'src/price.ts',
        inChange: true,
      },
      { path: 'src/new.ts', line: 2, from: './gone.ts', name: null, target: null, inChange: true },
    ])
  })

  it('comes with the definitions that it uses from unchanged files', async () => {
    const graph = await readGraphOf({
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
  it('are listed with their distance, and untested files are named', async () => {
    const graph = await readGraphOf({
      'src/price.ts': price.replace('count * rate', 'count * rate * 1'),
      'src/alone.ts': 'export function alone(): number {\n  return 2\n}\n',
      'src/kinds.ts': 'export interface Kind {\n  title: string\n}\n',
      'lib/shelf.rb': 'class Shelf\n  def fill(count)\n    count + 1\n  end\nend\n',
    })
    expect(graph.tests).toEqual([
      { path: 'test/cart.test.ts', distance: 2, reaches: ['src/price.ts'] },
    ])
    // A file of types alone has nothing to test, and this repository has no Ruby tests.
    expect(graph.untested).toEqual(['src/alone.ts'])
    expect(graph.counts).toMatchObject({ tests: 1, reachedFiles: 5 })
  })

  it('include tests that the change adds', async () => {
    const graph = await readGraphOf({
      'src/alone.ts': 'export function alone(): number {\n  return 3\n}\n',
      'test/alone.test.ts': "import { alone } from '../src/alone.ts'\n\nalone()\n",
    })
    expect(graph.tests).toEqual([
      { path: 'test/alone.test.ts', distance: 1, reaches: ['src/alone.ts'] },
    ])
    expect(graph.untested).toEqual([])
  })
})

describe('a stored graph of another commit than the base of the change', () => {
  it('is corrected by indexing the files that differ', async () => {
    const name = await scene.createRepository(files)
    await scene.forge.push(name, 'main', {
      // One file starts using it, one stops, and one moves its use.
      'src/late.ts': "import { priceOf } from './price.ts'\n\nexport const late = priceOf(3)\n",
      'src/shop.ts': 'export const least = 1\n',
      'src/cart.ts': `// Carts.\n${files['src/cart.ts']}`,
    })
    const changed = {
      'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
    }
    const graph = await readGraphOf(changed, name)
    expect(callersOf(graph)).toEqual(['src/cart.ts:6 priceOf', 'src/late.ts:3 priceOf'])
    const [commit] = (await scene.forge.branches(name)).values()
    expect(graph.commit).not.toBe(commit)
    await scene.scan(name)
    expect(callersOf(await readGraphOf(changed, name))).toEqual(callersOf(graph))
  })

  it('follows a changed configuration file that tsconfig.json extends', async () => {
    const base = '{"compilerOptions":{"baseUrl":"..","paths":{"@/*":["src/*"]}}}'
    const thing = 'export function thing(count: number) {\n  return count\n}\n'
    const name = await scene.createRepository({
      'tsconfig.json': '{"extends":"./config/base.json"}',
      'config/base.json': base,
      'lib/thing.ts': thing,
      'app/use.ts': "import { thing } from '@/thing'\nthing(1)\n",
    })
    const moved = { 'config/base.json': base.replace('src/*', 'lib/*') }
    const changed = {
      'lib/thing.ts': thing.replace('count: number', 'count: number, more: number'),
    }
    expect(callersOf(await readGraphOf(changed, name))).toEqual([])
    const used = { 'app/more.ts': "import { thing } from '@/thing'\nthing(2)\n" }
    expect((await readGraphOf({ ...moved, ...used }, name)).definitions).toMatchObject([
      { path: 'lib/thing.ts' },
    ])
    await scene.forge.push(name, 'main', moved)
    await scene.scan(name)
    expect(callersOf(await readGraphOf(changed, name))).toEqual(['app/use.ts:2 thing'])
  })

  it('may be missing: then the head is searched for uses', async () => {
    const name = await scene.createRepository(files, { scanned: false })
    const withGraph = await readGraphOf(
      { 'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)') },
      await scene.createRepository(files),
    )
    const graph = await readGraphOf(
      {
        'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
        'src/new.ts':
          "import { priceOf } from './price.ts'\nimport { gone } from './gone.ts'\npriceOf(gone)\n",
      },
      name,
    )
    expect(graph).toMatchObject({ commit: null, isSearched: true, untested: [] })
    expect(callersOf(graph).filter((site) => !site.startsWith('src/new.ts'))).toEqual(
      callersOf(withGraph),
    )
    expect(callersOf(withGraph).length).toBeGreaterThan(0)
    expect(graph.symbols).toMatchObject([{ name: 'priceOf', change: 'signature' }])
    expect(graph.brokenImports).toMatchObject([
      { path: 'src/new.ts', from: './gone.ts', inChange: true },
    ])
  })
})

describe('definitions by name', () => {
  it('come from the code graph, with the blobs of their files', async () => {
    const { context } = scene.app.app
    const oid = blobIdOf(Buffer.from(price), 40)
    const found = await createDefinitionFinder(context, repo)!(['nameOf', 'no\0name', 'nothing'])
    expect([...found!.keys()]).toEqual(['nameOf'])
    expect(found!.get('nameOf')).toMatchObject([
      { path: 'src/price.ts', oid, kind: 'function', startLine: 7, endLine: 9 },
    ])
  })

  it('are not looked up without a code graph', async () => {
    const { context } = scene.app.app
    const unscanned = await scene.createRepository(files, { scanned: false })
    expect(await createDefinitionFinder(context, unscanned)!(['nameOf'])).toBeNull()
    const database = await createTestDatabase()
    const { db, close } = await openDatabase(database.config, silentLog)
    await close()
    expect(await createDefinitionFinder({ ...context, db }, repo)!(['nameOf'])).toBeNull()
    await database.dispose()
    const { config } = context
    const off = { ...config, graph: { ...config.graph, enabled: false } }
    expect(createDefinitionFinder({ ...context, config: off }, repo)).toBeUndefined()
  })
})

describe('an incomplete change graph', () => {
  const changed = {
    'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
  }

  it('leaves out the layers that are off', async () => {
    const number = await scene.propose(repo, changed)
    const withLayers = (enabled: boolean, memory: boolean) =>
      scene.readChangeGraph(repo, number, ({ config }) => ({
        config: { ...config, memory, graph: { ...config.graph, enabled } },
      }))
    expect(await withLayers(false, false)).toBe(null)
    const memoriesOnly = await withLayers(false, true)
    expect(memoriesOnly).toMatchObject({ commit: null, symbols: [], callers: [], related: [] })
    expect(memoriesOnly?.memories.length).toBeGreaterThan(0)
    const graphOnly = await withLayers(true, false)
    expect(graphOnly?.memories).toEqual([])
    expect(graphOnly?.callers).toHaveLength(2)
  })

  it('is read from the head when the database fails, and notes the rest', async () => {
    const number = await scene.propose(repo, changed)
    const database = await createTestDatabase()
    const { db, close } = await openDatabase(database.config, silentLog)
    await close()
    const graph = await scene.readChangeGraph(repo, number, () => ({ db }))
    expect(graph?.symbols).toMatchObject([{ name: 'priceOf', change: 'signature' }])
    expect(graph).toMatchObject({
      commit: null,
      isSearched: true,
      history: [],
      related: [],
      memories: [],
    })
    expect(callersOf(graph!)).toHaveLength(2)
    expect(graph?.notes.toSorted()).toEqual([
      'Memories could not be read.',
      'Other pull requests that change the same files could not be read.',
      'Results of earlier reviews could not be read.',
      'The code graph could not be read.',
    ])
    await database.dispose()
  })

  it('case 40: handles odd names, links and oversized files', async () => {
    const odd = 'src/a "b"\n\u{1f600}.ts'
    const name = await scene.createRepository({
      ...files,
      [odd]: "import { priceOf } from './price.ts'\n\npriceOf(1)\n",
      'src/link.ts': { mode: '120000', content: '../../../../etc/passwd' },
    })
    const graph = await readGraphOf(
      {
        'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
        'src/link.ts': { mode: '120000', content: 'price.ts' },
        'src/alone.ts': null,
        'src/alone.ts/deep.ts': 'export const deep = 1\n',
        'src/other.ts': { mode: '120000', content: '/etc' },
        'src/large.ts': `export const large = [${'1,'.repeat(400_000)}]\n`,
        'src/deep.ts': `export const depth = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
        'src/__proto__.ts': 'export const __proto__ = 1\nexport const constructor = 2\n',
      },
      name,
    )
    expect(callersOf(graph)).toEqual(
      ['src/cart.ts:5 priceOf', 'src/shop.ts:3 priceOf', `${odd}:3 priceOf`].sort(),
    )
  })

  it('is bounded for large changes, with notes about what was left out', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 320 }, (_, index) => [
        `src/many/user-${index}.ts`,
        `import { priceOf } from '../price.ts'\n\nexport const value = priceOf(${index})\n`,
      ]),
    )
    const name = await scene.createRepository({ ...files, ...many })
    const hub = await readGraphOf(changed, name)
    expect(hub.callers).toHaveLength(200)
    expect(hub.counts.callers).toBeGreaterThan(250)
    expect(hub.notes).toEqual([
      expect.stringMatching(/^Uses of the change were searched in 300 files/),
    ])
    const wide = await readGraphOf(
      Object.fromEntries(Object.keys(many).map((path) => [path, 'export const value = 1\n'])),
      name,
    )
    expect(wide.symbols.length).toBeLessThanOrEqual(300)
    expect(wide.notes).toContain(
      '20 source files of the change were not searched for definitions and uses.',
    )
  })
})

describe('other pull requests', () => {
  it('are listed with their findings, those with common symbols first', async () => {
    const { db } = scene.app
    const number = await scene.propose(repo, {
      'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
    })
    const saveReview = async (other: ReviewedBefore) => {
      const pullRequest = {
        repo,
        number: other.number,
        title: `Change ${other.number}`,
        author: other.author,
      }
      const rest = {
        branch: 'b',
        baseBranch: 'main',
        url: '',
        draft: false,
        headSha: 'a'.repeat(40),
      }
      const verdict = other.requestedChanges ? 'REQUEST_CHANGES' : 'APPROVE'
      const updated = new Date(Date.UTC(2026, 0, other.number - 9_000))
      const state = {
        additions: 1,
        deletions: 1,
        state: other.state,
        verdict,
        updatedAt: updated,
      } as const
      await db
        .insertInto('pullRequests')
        .values({ ...pullRequest, ...rest, ...state })
        .execute()
      const run = {
        workflowType: 'pr_review',
        repo,
        prNumber: other.number,
        status: 'completed',
        verdict,
      } as const
      const { id } = await db
        .insertInto('workflowRuns')
        .values({ ...run, attempts: 1 })
        .returning('id')
        .executeTakeFirstOrThrow()
      const activity = {
        runId: id,
        repo,
        prNumber: other.number,
        author: other.author,
        latest: true,
        previousPath: null,
      }
      await db
        .insertInto('pullRequestFiles')
        .values({
          ...activity,
          path: other.path,
          status: 'modified',
          additions: 1,
          deletions: 1,
          symbols: [...other.symbols],
          requestedChanges: other.requestedChanges,
        })
        .execute()
      return id
    }
    const common = {
      path: 'src/price.ts',
      requestedChanges: false,
      author: 'bob',
      state: 'merged',
      symbols: ['nameOf'],
    } as const
    const first = await saveReview({ ...common, number: 9_001, requestedChanges: true })
    await saveReview({
      ...common,
      number: 9_002,
      author: 'carol',
      state: 'open',
      symbols: ['priceOf', 'nameOf'],
    })
    await saveReview({ ...common, number: 9_003, state: 'open' })
    await saveReview({ ...common, number: 9_004, path: 'src/alone.ts' })
    const finding = {
      repo,
      prNumber: 9_001,
      firstRunId: first,
      lastRunId: first,
      reviewer: 'static',
      rule: null,
    }
    const location = {
      path: 'src/price.ts',
      side: 'RIGHT',
      startLine: 1,
      endLine: 1,
      quote: '',
      anchorHash: '',
    } as const
    const more = {
      category: 'correctness',
      body: '',
      suggestion: null,
      evidence: toJson([]),
      confidence: 1,
      verified: true,
    } as const
    const findings = [
      ['minor', 'A small thing', 'open'],
      ['critical', 'A bad thing', 'resolved'],
      ['moderate', 'A mistaken thing', 'dismissed'],
    ] as const
    await db
      .insertInto('findings')
      .values(
        findings.map(([severity, title, state]) => {
          return {
            ...finding,
            ...location,
            ...more,
            severity,
            title,
            state,
            placement: 'inline',
            fingerprint: title,
          }
        }),
      )
      .execute()
    const graph = await scene.readChangeGraph(repo, number)
    expect(graph?.related).toEqual([
      {
        number: 9_002,
        title: 'Change 9002',
        author: 'carol',
        state: 'open',
        verdict: 'APPROVE',
        paths: ['src/price.ts'],
        symbols: ['priceOf'],
        findings: [],
      },
      expect.objectContaining({ number: 9_003, symbols: [], findings: [] }),
      expect.objectContaining({
        number: 9_001,
        state: 'merged',
        verdict: 'REQUEST_CHANGES',
        symbols: [],
        findings: ['A bad thing', 'A small thing'],
      }),
    ])
    expect(graph?.history).toEqual([
      { path: 'src/price.ts', pullRequests: 3, riskScore: 1, owner: 'bob', ownerPercent: 67 },
    ])
  })
})

describe('a graph that is rewritten while a review reads it', () => {
  it('adds a note that part of it is missing', async () => {
    const name = await scene.createRepository(files)
    const number = await scene.propose(name, {
      'src/price.ts': price.replace('(count: number): number', '(count: number, off: number)'),
    })
    // A rewritten graph gets another id.
    const rewriteGraph = async () => {
      await sql`update code_graphs set id = -id where repo = ${name}`.execute(scene.app.db)
    }
    const graph = await scene.readChangeGraph(name, number, ({ db }) => ({
      db: actAfterFirstTransaction(db, rewriteGraph),
    }))
    expect(graph?.notes).toEqual(['Definitions that the change uses could not be read.'])
    await rewriteGraph()
    expect((await scene.readChangeGraph(name, number))?.notes).toEqual([])
  })
})

/** Wraps a database: calls `act` after its first transaction, before the result is returned. */
function actAfterFirstTransaction(db: Db, act: () => Promise<void>): Db {
  let isDone = false
  type Builder = ReturnType<Db['transaction']>
  const observe = (builder: Builder): Builder =>
    overrideMethods(builder, {
      setIsolationLevel: (...args) => observe(builder.setIsolationLevel(...args)),
      async execute(work) {
        const result = await builder.execute(work)
        if (!isDone) {
          isDone = true
          await act()
        }
        return result
      },
    })
  return overrideMethods(db, { transaction: () => observe(db.transaction()) })
}

/** Returns an object whose `methods` replace its own. */
function overrideMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' && !(name in methods) ? value.bind(target) : value
    },
  })
}

interface ReviewedBefore {
  readonly number: number
  readonly author: string
  readonly state: 'open' | 'merged'
  readonly path: string
  readonly symbols: readonly string[]
  readonly requestedChanges: boolean
}
