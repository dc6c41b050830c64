// The read-only tools over a repository: what they show, their bounds, and their refusals.
import { describe, expect, it } from 'vitest'
import { UmpireError } from '../src/domain/errors.ts'
import { createMemorySnapshot } from './fakes/memory-snapshot.ts'
import { startTestCodeTools } from './fakes/test-code-tools.ts'
import { callerOf, definitionOf, graphOf, symbolOf } from './samples/change-graph.ts'

const createTestCodeTools = startTestCodeTools()

const never = new AbortController().signal
const manyFiles = Object.fromEntries(
  Array.from({ length: 300 }, (_, i) => [`big/part${i % 3}/f${i}.ts`, 'x\n']),
)
const head = createMemorySnapshot({
  'src/price.ts':
    'export function total(items) {\n  return items.length\n}\nexport const $rate = 2\n',
  'src/cart.ts': [
    "import { total } from './price.ts'",
    'class Cart {',
    '  sum(a, b) {',
    '    return total(a)',
    '  }',
    '}',
    '',
  ].join('\n'),
  'src/server.go': 'func (s *Server) Serve(w http.ResponseWriter) {\n}\n',
  'app/models.py': 'class Order:\n    def total(self):\n        return 1\n',
  'long.txt': `${'y'.repeat(5000)}\n${'line\n'.repeat(1000)}`,
  'logo.png': new Uint8Array([137, 80, 0, 1]),
  ...manyFiles,
})
const base = createMemorySnapshot({ 'src/price.ts': 'export function total() {}\n' })
const commits = [
  {
    sha: 'c0ffee'.padEnd(40, '0'),
    author: 'ann',
    committedAt: '2026-03-01T10:00:00Z',
    message: 'Count articles\n\nBecause sums were wrong.',
  },
  {
    sha: 'f'.repeat(40),
    author: 'bo',
    committedAt: '2026-02-01T10:00:00Z',
    message: 'line\n'.repeat(500),
  },
]
const asked: unknown[] = []
const tools = createTestCodeTools({
  head,
  base,
  history: async (path, limit) => {
    asked.push([path, limit])
    return path === 'src/price.ts' ? commits : []
  },
})

async function call(name: string, input: unknown): Promise<string> {
  const tool = tools.find((each) => each.name === name)!
  return tool.run(tool.input.parse(input), never)
}

describe('read_file', () => {
  it('shows lines with their numbers', async () => {
    expect(await call('read_file', { path: './src/price.ts', start_line: 2, end_line: 3 })).toBe(
      'src/price.ts, lines 2 to 3 of 4\n2\t  return items.length\n3\t}',
    )
  })

  it('treats null as an omitted argument', async () => {
    const text = await call('read_file', {
      path: 'src/price.ts',
      start_line: null,
      end_line: null,
      at: null,
    })
    expect(text).toContain('lines 1 to 4 of 4')
  })

  it('reads the base on request', async () => {
    expect(await call('read_file', { path: 'src/price.ts', at: 'base' })).toContain('total() {}')
  })

  it('limits lines and their length', async () => {
    const text = await call('read_file', { path: 'long.txt' })
    expect(text.split('\n')).toHaveLength(401)
    expect(text.length).toBeLessThan(10_000)
    expect(text).toContain('lines 1 to 400 of 1001')
  })

  it.each([
    [{ path: 'src/nothing.ts' }, /no file "src\/nothing.ts" at the head/],
    [{ path: '../../etc/passwd' }, /root of the repository/],
    [{ path: 'a/\0b' }, /root of the repository/],
    [{ path: 'logo.png' }, /not a text file/],
    [{ path: 'src/price.ts', start_line: 99 }, /has 4 lines/],
    [{ path: 'src/price.ts', start_line: 3, end_line: 2 }, /must not be after/],
    [{ path: 'src/price.ts', start_line: -1e9, end_line: -5 }, /must not be after/],
  ])('refuses %j with a helpful message', async (input, message) => {
    await expect(call('read_file', input)).rejects.toThrow(message)
    await expect(call('read_file', input)).rejects.toBeInstanceOf(UmpireError)
  })
})

describe('search_code', () => {
  it('finds lines by regular expression and literally', async () => {
    expect(await call('search_code', { pattern: 'total\\(' })).toBe(
      [
        'app/models.py:2: def total(self):',
        'src/cart.ts:4: return total(a)',
        'src/price.ts:1: export function total(items) {',
      ].join('\n'),
    )
    expect(
      await call('search_code', { pattern: 'total(', literal: true, path_prefix: 'src/' }),
    ).not.toContain('app/')
    expect(await call('search_code', { pattern: 'nowhere' })).toBe('Nothing found.')
  })

  it('reports when there are more matches', async () => {
    const text = await call('search_code', { pattern: 'x', path_prefix: 'big' })
    expect(text.split('\n')).toHaveLength(61)
    expect(text).toContain('narrow the search')
  })

  it.each(['', 'a\nb', 'z'.repeat(301)])('refuses the pattern %j', async (pattern) => {
    await expect(call('search_code', { pattern })).rejects.toThrow(
      'one line of 1 to 300 characters',
    )
  })
})

describe('find_definition', () => {
  it.each([
    ['total', ['app/models.py:2', 'src/price.ts:1']],
    ['Cart', ['src/cart.ts:2']],
    ['sum', ['src/cart.ts:3']],
    ['Serve', ['src/server.go:1']],
    ['$rate', ['src/price.ts:4']],
  ])('finds %s', async (name, places) => {
    const lines = (await call('find_definition', { name })).split('\n')
    expect(lines.map((line) => line.split(': ')[0])).toEqual(places)
  })

  it('leaves out what only looks like a definition, and finds variables of functions', async () => {
    const text = 'const text = `\nfunction total() {\n`\nexport function total() {}\n'
    const files = {
      'a.ts': text,
      'b.ts': 'function sum() {\n  const total = 1\n  const part = 2\n  return total + part\n}\n',
      'c.swift': 'func total() {\n}\n',
    }
    const snapshot = createMemorySnapshot(files)
    const [tool] = createTestCodeTools({ head: snapshot, base, history: async () => [] }).filter(
      (each) => each.name === 'find_definition',
    )
    expect(await tool!.run({ name: 'total' }, never)).toBe(
      'a.ts:4: export function total() {}\nc.swift:1: func total() {',
    )
    expect(await tool!.run({ name: 'part' }, never)).toBe('b.ts:3: const part = 2')
  })

  it.each(['a.b', 'a b', '.*', ''])('refuses %j', async (name) => {
    await expect(call('find_definition', { name })).rejects.toThrow('one identifier')
  })
})

describe('find_callers', () => {
  it('lists uses outside the definition with their enclosing definitions', async () => {
    expect(await call('find_callers', { name: 'total' })).toBe(
      [
        "src/cart.ts:1: import { total } from './price.ts'",
        'src/cart.ts:4: in sum: return total(a)',
      ].join('\n'),
    )
    expect(await call('find_callers', { name: '$rate' })).toBe('Nothing found.')
    expect(await call('find_callers', { name: 'total', path_prefix: 'app' })).toBe('Nothing found.')
  })

  const uses = {
    'pay.js': ['const pay = async (cart) => {', '  if (cart) {', '    use(cart)', '  }', '}'],
    'pay.ts': ['function pay(', '  cart: Cart,', '): number {', '  return use(cart)', '}'],
    'block.py': [
      'class Shop:',
      '    def pay(self, cart):',
      '        if cart:',
      '            use(cart)',
    ],
    'pay.go': ['func (s *Shop) pay(cart Cart) error {', '\treturn use(cart)', '}'],
    'Shop.java': [
      'class Shop {',
      '  public static int pay(Cart cart)',
      '  {',
      '    return use(cart);',
      '  }',
      '}',
    ],
    'call.py': ['def pay(cart):', '    send(', '        use(cart),', '    )'],
    'text.js': [
      'function pay(cart) {',
      '  const text = `',
      'function sample() {`',
      '  use(cart)',
      '}',
    ],
  }
  it.each(Object.entries(uses))('names the definition around a use: %s', async (path, lines) => {
    const snapshot = createMemorySnapshot({ [path]: lines.join('\n') })
    const [tool] = createTestCodeTools({ head: snapshot, base, history: async () => [] }).filter(
      (each) => each.name === 'find_callers',
    )
    expect(await tool!.run({ name: 'use' }, never)).toContain(': in pay: ')
  })

  it('distinguishes a call from a definition that looks the same', async () => {
    const text = 'def walk(tree):\n    for part in tree:\n        walk(tree)\n'
    const snapshot = createMemorySnapshot({ 'a.py': text })
    const [tool] = createTestCodeTools({ head: snapshot, base, history: async () => [] }).filter(
      (each) => each.name === 'find_callers',
    )
    expect(await tool!.run({ name: 'walk' }, never)).toBe('a.py:3: in walk: walk(tree)')
  })

  it('omits what it cannot determine and limits its output', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`f${i}.js`, `${'\n'.repeat(3000)}  use()\n`]),
    )
    const snapshot = createMemorySnapshot({ ...files, 'a.js': `${'('.repeat(100_000)}\n  use()\n` })
    const [tool] = createTestCodeTools({ head: snapshot, base, history: async () => [] }).filter(
      (each) => each.name === 'find_callers',
    )
    const lines = (await tool!.run({ name: 'use' }, never)).split('\n')
    expect(lines).toHaveLength(61)
    expect(lines[0]).toBe('a.js:2: use()')
    expect(lines.at(-1)).toContain('narrow the search')
  })

  it.each(['a.b', '.*', ''])('refuses %j', async (name) => {
    await expect(call('find_callers', { name })).rejects.toThrow('one identifier')
  })
})

describe('show_history', () => {
  it('shows the newest commits of a path, shortened', async () => {
    const text = await call('show_history', { path: './src/price.ts' })
    expect(text).toContain(
      'c0ffee000000 2026-03-01 ann\n  Count articles\n  \n  Because sums were wrong.\nffffffffffff',
    )
    expect(text.endsWith('\n  [cut]')).toBe(true)
    expect(text.split('\n').length).toBeLessThan(16)
    expect(asked).toEqual([['src/price.ts', 10]])
  })

  it('reports when there are none, and refuses a path that leaves the tree', async () => {
    expect(await call('show_history', { path: 'src/cart.ts' })).toBe('No commits found.')
    await expect(call('show_history', { path: '../x' })).rejects.toThrow('root of the repository')
  })
})

describe('list_files', () => {
  it('lists a folder', async () => {
    expect(await call('list_files', { prefix: 'src/' })).toBe(
      'src/cart.ts\nsrc/price.ts\nsrc/server.go',
    )
  })

  it('folds a large tree into folders', async () => {
    expect(await call('list_files', {})).toContain('big/ (300 files)')
    expect(await call('list_files', { prefix: 'big' })).toBe(
      ['big/part0/ (100 files)', 'big/part1/ (100 files)', 'big/part2/ (100 files)'].join('\n'),
    )
  })

  it('reports an empty list', async () => {
    await expect(call('list_files', { prefix: 'none' })).rejects.toThrow('no files')
  })
})

describe('code graph results', () => {
  const graph = graphOf({
    symbols: [symbolOf({ name: 'Price.total', path: 'src/price.ts' }), symbolOf({ name: 'other' })],
    callers: [
      callerOf({ path: 'lib/far.ts', line: 2, text: 'q.total()', within: null, confidence: 0.5 }),
      callerOf({ path: 'src/cart.ts', line: 4, text: '    return total(a)', within: 'Cart.sum' }),
      callerOf({ symbol: 1, path: 'src/cart.ts', line: 9 }),
    ],
    definitions: [
      definitionOf({
        name: 'total',
        path: 'src/price.ts',
        signature: 'export function total(items)',
      }),
      definitionOf({ name: 'total', path: 'src/guess.ts', confidence: 0.5 }),
    ],
  })
  const known = createTestCodeTools({ head, base, graph, history: async () => [] })
  const ask = (name: string, input: object) =>
    known.find((each) => each.name === name)!.run(input, never)

  it('come before the search results, once, with their certainty', async () => {
    expect((await ask('find_callers', { name: 'total' })).split('\n')).toEqual([
      'src/cart.ts:4: in Cart.sum: return total(a) [means Price.total of src/price.ts]',
      'lib/far.ts:2: q.total() [may mean Price.total of src/price.ts]',
      "src/cart.ts:1: import { total } from './price.ts'",
    ])
    expect(
      (await ask('find_callers', { name: 'total', path_prefix: 'lib' })).split('\n'),
    ).toHaveLength(1)
    expect((await ask('find_definition', { name: 'total' })).split('\n')).toEqual([
      'src/price.ts:1: export function total(items) [used at src/users.ts:2]',
      'app/models.py:2: def total(self):',
    ])
  })

  it('are left out for the base and for other names', async () => {
    expect(await ask('find_callers', { name: 'total', at: 'base' })).toBe('Nothing found.')
    expect(await ask('find_definition', { name: 'total', at: 'base' })).toBe(
      'src/price.ts:1: export function total() {}',
    )
    expect(await ask('find_callers', { name: 'unknown' })).toBe('Nothing found.')
  })
})
