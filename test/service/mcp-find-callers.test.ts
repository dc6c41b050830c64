// The tool that tells who uses a symbol, over a repository that was scanned, on both databases.
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

async function ask(given: object, person: 'alice' | 'bob' = 'alice') {
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
      fault: answer._meta?.error,
    }
  } finally {
    await client.close()
  }
}

/** `definition: user:line in what` of each. */
function tell(found: readonly Definition[]): string[] {
  return found.flatMap(({ path, line, name, callers }) => [
    `${path}:${line} ${name}`,
    ...callers.map((use) => `  ${use.kind} ${use.path}:${use.line} ${use.within}`),
  ])
}

describe('find_callers', () => {
  it('tells definitions of one name apart, by whatever name they are passed on, and leaves tests for the end', async () => {
    const { found } = await ask({ symbol: 'total' })
    expect(tell(found)).toEqual([
      'src/cart.ts:10 total',
      '  call src/pay.ts:6 pay',
      '  call src/cart.test.ts:2 null',
      'src/report.ts:1 total',
      '  call src/page.ts:2 lines',
    ])
    for (const { confidence } of found.flatMap(({ callers }) => callers))
      expect(confidence).toBeGreaterThanOrEqual(0.8)
    const one = await ask({ symbol: 'total', path: 'src/report.ts' })
    expect(one.found).toEqual(found.slice(1))
    expect((await ask({ symbol: 'total', path: 'src/pay.ts' })).found).toEqual([])
  })

  it('finds who calls a method, within its class and without, and who makes the class', async () => {
    const method = await ask({ symbol: 'Cart.add' })
    expect(tell(method.found)).toEqual([
      'src/cart.ts:2 Cart.add',
      '  call src/cart.ts:6 Cart.addAll',
      '  call src/pay.ts:5 pay',
    ])
    expect((await ask({ symbol: 'add' })).found).toEqual(method.found)
    expect((await ask({ symbol: 'Basket.add' })).found).toEqual([])
    expect(tell((await ask({ symbol: 'Cart' })).found)).toEqual([
      'src/cart.ts:1 Cart',
      '  new src/pay.ts:4 pay',
    ])
  })

  it('lists no more than it is asked for, and says how many there are', async () => {
    const { found } = await ask({ symbol: 'total', path: 'src/cart.ts', limit: 1 })
    expect(found).toMatchObject([{ caller_count: 2, callers: [{ path: 'src/pay.ts' }] }])
    expect((await ask({ symbol: 'total', limit: 100_000 })).found).toHaveLength(2)
    expect((await ask({ symbol: 'total', limit: -1 })).found).toMatchObject([
      { callers: [] },
      { callers: [] },
    ])
  })

  it('has nothing to say of names that nobody has, and of what is not connected', async () => {
    for (const symbol of [
      'nobody',
      '\0',
      '\ud800',
      '.',
      '::',
      "'; drop table code_files; --",
      'total'.repeat(100),
    ])
      expect(await ask({ symbol }), symbol).toEqual({ found: [], fault: undefined })
    expect(await ask({ symbol: 'total', path: '\0' })).toEqual({ found: [], fault: undefined })
    expect(await ask({ symbol: 'x'.repeat(501) })).toMatchObject({
      found: [],
      fault: expect.stringContaining('symbol'),
    })
    const denied = { found: [], fault: 'Repo not connected or access denied' }
    expect(await ask({ symbol: 'total' }, 'bob')).toEqual(denied)
    const empty = await scene.createRepository()
    await scene.connect('alice', empty)
    expect(await ask({ repo: empty, symbol: 'total' })).toEqual({ found: [], fault: undefined })
  })

  it('speaks of what is on the default branch now', async () => {
    const shop = await scene.createScannedRepository(files)
    await scene.forge.push(shop, 'main', {
      'src/pay.ts': null,
      'src/page.ts': 'export const lines = 0\n',
    })
    await scene.rescan(shop)
    const { found } = await ask({ repo: shop, symbol: 'total' })
    expect(tell(found)).toEqual([
      'src/cart.ts:10 total',
      '  call src/cart.test.ts:2 null',
      'src/report.ts:1 total',
    ])
  })
})
