// The read-only tools over a repository: what they show, their bounds, and their refusals.
import { describe, expect, it } from 'vitest'
import { UmpireError } from '../src/domain/errors.ts'
import { createCodeTools } from '../src/tools/code-tools.ts'
import { createMemorySnapshot } from './fakes/memory-snapshot.ts'

const never = new AbortController().signal
const manyFiles = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`big/part${i % 3}/f${i}.ts`, 'x\n']))
const head = createMemorySnapshot({
  'src/price.ts': 'export function total(items) {\n  return items.length\n}\nexport const $rate = 2\n',
  'src/cart.ts': "import { total } from './price.ts'\nclass Cart {\n  sum(a, b) {\n    return total(a)\n  }\n}\n",
  'src/server.go': 'func (s *Server) Serve(w http.ResponseWriter) {\n}\n',
  'app/models.py': 'class Order:\n    def total(self):\n        return 1\n',
  'long.txt': `${'y'.repeat(5000)}\n${'line\n'.repeat(1000)}`,
  'logo.png': new Uint8Array([137, 80, 0, 1]),
  ...manyFiles,
})
const base = createMemorySnapshot({ 'src/price.ts': 'export function total() {}\n' })
const tools = createCodeTools({ head, base })

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

  it('takes null for what is left out', async () => {
    const text = await call('read_file', { path: 'src/price.ts', start_line: null, end_line: null, at: null })
    expect(text).toContain('lines 1 to 4 of 4')
  })

  it('reads the base on demand', async () => {
    expect(await call('read_file', { path: 'src/price.ts', at: 'base' })).toContain('total() {}')
  })

  it('bounds lines and their length', async () => {
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
  ])('refuses %j in words that help', async (input, message) => {
    await expect(call('read_file', input)).rejects.toThrow(message)
    await expect(call('read_file', input)).rejects.toBeInstanceOf(UmpireError)
  })
})

describe('search_code', () => {
  it('finds lines by expression and literally', async () => {
    expect(await call('search_code', { pattern: 'total\\(' })).toBe(
      [
        'app/models.py:2: def total(self):',
        'src/cart.ts:4: return total(a)',
        'src/price.ts:1: export function total(items) {',
      ].join('\n'),
    )
    expect(await call('search_code', { pattern: 'total(', literal: true, path_prefix: 'src/' })).not.toContain('app/')
    expect(await call('search_code', { pattern: 'nowhere' })).toBe('Nothing found.')
  })

  it('says when there is more', async () => {
    const text = await call('search_code', { pattern: 'x', path_prefix: 'big' })
    expect(text.split('\n')).toHaveLength(61)
    expect(text).toContain('narrow the search')
  })

  it.each(['', 'a\nb', 'z'.repeat(301)])('refuses the pattern %j', async (pattern) => {
    await expect(call('search_code', { pattern })).rejects.toThrow('one line of 1 to 300 characters')
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

  it.each(['a.b', 'a b', '.*', ''])('refuses %j', async (name) => {
    await expect(call('find_definition', { name })).rejects.toThrow('one identifier')
  })
})

describe('list_files', () => {
  it('lists a folder', async () => {
    expect(await call('list_files', { prefix: 'src/' })).toBe('src/cart.ts\nsrc/price.ts\nsrc/server.go')
  })

  it('folds a large tree into folders', async () => {
    expect(await call('list_files', {})).toContain('big/ (300 files)')
    expect(await call('list_files', { prefix: 'big' })).toBe(
      ['big/part0/ (100 files)', 'big/part1/ (100 files)', 'big/part2/ (100 files)'].join('\n'),
    )
  })

  it('says when there is nothing', async () => {
    await expect(call('list_files', { prefix: 'none' })).rejects.toThrow('no files')
  })
})
