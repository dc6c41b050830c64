// Tests the MCP tool find_callers over a scanned repository, on each database engine.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenOf } from '../connect-scenario.ts'
import { type ScanScenario, startScanScenario } from '../scan-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

const files = {
  'src/cart.ts': [
    'export class Cart {',
    '  add(item: string): void {',
    '    this.items.push(item)',
    '  }',
    '  addAll(items: string[]): void {',
    '    for (const item of items) this.add(item)',
    '  }',
    '  private items: string[] = []',
    '}',
    'export function total(prices: number[]): number {',
    '  return prices.length === 0 ? 0 : prices[0]! + total(prices.slice(1))',
    '}',
    '',
  ].join('\n'),
  'src/report.ts': 'export function total(rows: string[]): number {\n  return rows.length\n}\n',
  'src/index.ts': "export { total as sum } from './cart.ts'\nexport * from './report.ts'\n",
  'src/pay.ts': [
    "import { Cart } from './cart.ts'",
    "import { sum } from './index.ts'",
    'export function pay(prices: number[]): number {',
    '  const cart = new Cart()',
    "  cart.add('a')",
    '  return sum(prices)',
    '}',
    '',
  ].join('\n'),
  'src/page.ts': "import { total } from './index.ts'\nexport const lines = total([])\n",
  'src/cart.test.ts':
    "import { total } from './cart.ts'\nif (total([1]) !== 1) throw new Error('wrong')\n",
}

let scene: ScanScenario
let repo: string
beforeAll(async () => {
  scene = await startScanScenario({ env: { MCP_AGENT_TOOLS: 'on' } })
  repo = await scene.createScannedRepository(files)
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Definition {
  name: string
  path: string
  line: number
  callers: { path: string; line: number; within: string | null; kind: string; confidence: number }[]
  caller_count: number
}

async function findCallers(given: object, person: 'alice' | 'bob' = 'alice') {
  const { bearer: headers } = await signInWithToken(scene.app, tokenOf(person))
  const transport = new StreamableHTTPClientTransport(new URL(`${scene.app.url}/mcp`), {
    requestInit: { headers },
  })
  const client = new Client({ name: 'an agent', version: '1' })
  await client.connect(transport)
  try {
    const answer = await client.callTool({ name: 'find_callers', arguments: { repo, ...given } })
    return {
      found: (answer.structuredContent as { result: Definition[] }).result,
      error: answer._meta?.error,
    }
  } finally {
    await client.close()
  }
}

/** One line for each definition, followed by a line for each of its callers. */
function format(found: readonly Definition[]): string[] {
  return found.flatMap(({ path, line, name, callers }) => [
    `${path}:${line} ${name}`,
    ...callers.map((use) => `  ${use.kind} ${use.path}:${use.line} ${use.within}`),
  ])
}

describe('find_callers', () => {
  it('separates definitions of one name and lists tests last', async () => {
    const { found } = await findCallers({ symbol: 'total' })
    expect(format(found)).toEqual([
      'src/cart.ts:10 total',
      '  call src/pay.ts:6 pay',
      '  call src/cart.test.ts:2 null',
      'src/report.ts:1 total',
      '  call src/page.ts:2 lines',
    ])
    for (const { confidence } of found.flatMap(({ callers }) => callers))
      expect(confidence).toBeGreaterThanOrEqual(0.8)
    const one = await findCallers({ symbol: 'total', path: 'src/report.ts' })
    expect(one.found).toEqual(found.slice(1))
    expect((await findCallers({ symbol: 'total', path: 'src/pay.ts' })).found).toEqual([])
  })

  it('finds calls of a method in and outside its class, and of constructors', async () => {
    const method = await findCallers({ symbol: 'Cart.add' })
    expect(format(method.found)).toEqual([
      'src/cart.ts:2 Cart.add',
      '  call src/cart.ts:6 Cart.addAll',
      '  call src/pay.ts:5 pay',
    ])
    expect((await findCallers({ symbol: 'add' })).found).toEqual(method.found)
    expect((await findCallers({ symbol: 'Basket.add' })).found).toEqual([])
    expect(format((await findCallers({ symbol: 'Cart' })).found)).toEqual([
      'src/cart.ts:1 Cart',
      '  new src/pay.ts:4 pay',
    ])
  })

  it('limits the callers of each definition and returns their count', async () => {
    const { found } = await findCallers({ symbol: 'total', path: 'src/cart.ts', limit: 1 })
    expect(found).toMatchObject([{ caller_count: 2, callers: [{ path: 'src/pay.ts' }] }])
    expect((await findCallers({ symbol: 'total', limit: 100_000 })).found).toHaveLength(2)
    expect((await findCallers({ symbol: 'total', limit: -1 })).found).toMatchObject([
      { callers: [] },
      { callers: [] },
    ])
  })

  it('finds nothing for unknown symbols and inaccessible repositories', async () => {
    for (const symbol of [
      'nobody',
      '\0',
      '\ud800',
      '.',
      '::',
      "'; drop table code_files; --",
      'total'.repeat(100),
    ])
      expect(await findCallers({ symbol }), symbol).toEqual({ found: [], error: undefined })
    expect(await findCallers({ symbol: 'total', path: '\0' })).toEqual({
      found: [],
      error: undefined,
    })
    expect(await findCallers({ symbol: 'x'.repeat(501) })).toMatchObject({
      found: [],
      error: expect.stringContaining('symbol'),
    })
    const denied = { found: [], error: 'Repo not connected or access denied' }
    expect(await findCallers({ symbol: 'total' }, 'bob')).toEqual(denied)
    const empty = await scene.createRepository()
    await scene.connect('alice', empty)
    expect(await findCallers({ repo: empty, symbol: 'total' })).toEqual({
      found: [],
      error: undefined,
    })
  })

  it('follows the default branch', async () => {
    const shop = await scene.createScannedRepository(files)
    await scene.forge.push(shop, 'main', {
      'src/pay.ts': null,
      'src/page.ts': 'export const lines = 0\n',
    })
    await scene.rescan(shop)
    const { found } = await findCallers({ repo: shop, symbol: 'total' })
    expect(format(found)).toEqual([
      'src/cart.ts:10 total',
      '  call src/cart.test.ts:2 null',
      'src/report.ts:1 total',
    ])
  })
})
