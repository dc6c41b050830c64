// Tests the MCP server with third-party clients and the conformance suite, and vendor servers.
import { ok } from 'node:assert'
import { deepEqual, equal } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { callTool } from '../mcp-client.ts'
import { repo, startScenario } from '../review-scenario.ts'
import { checkContextServers } from './context-servers.ts'

const toolNames = [
  'get_recent_reviews',
  'get_contributor_stats',
  'get_pr_verdict',
  'get_repo_health',
]
const address = `umpire://repos/${repo}/reviews`
const timeoutMs = 60_000

/** The results that all clients must get. */
interface Expected {
  readonly url: string
  readonly reviews: readonly unknown[]
  /** The environment of `umpire mcp`. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const packaged = (path: string) => resolvePath(`node_modules/${path}`)
const home = mkdtempSync(join(tmpdir(), 'umpire-mcp-clients-'))
const childEnv = { PATH: process.env.PATH ?? '', HOME: home, NO_COLOR: '1' }

/** The checks by client and transport. */
const checks: Readonly<Record<string, (expected: Expected) => Promise<void>>> = {
  'SDK, HTTP, newest revision': (expected) =>
    askSdk(new StreamableHTTPClientTransport(mcp(expected)), expected, 'auto'),
  'SDK, HTTP, earlier revisions': (expected) =>
    askSdk(new StreamableHTTPClientTransport(mcp(expected)), expected, 'legacy'),
  'SDK, SSE': (expected) =>
    askSdk(new SSEClientTransport(mcp(expected, '/sse')), expected, 'legacy'),
  'SDK, stdio': (expected) => askSdk(startServer(expected.command, expected.env), expected, 'auto'),
  'mcp-remote, HTTP': (expected) =>
    askSdk(startRemote(mcp(expected), 'http-only'), expected, 'legacy'),
  'mcp-remote, SSE': (expected) =>
    askSdk(startRemote(mcp(expected, '/sse'), 'sse-only'), expected, 'legacy'),
  'Inspector, HTTP': (expected) =>
    askInspector([mcp(expected).href, '--transport', 'http'], expected),
  'Inspector, SSE': (expected) =>
    askInspector([mcp(expected, '/sse').href, '--transport', 'sse'], expected),
  'Inspector, stdio': (expected) => {
    const env = Object.entries(expected.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    return askInspector([...env, ...expected.command], expected)
  },
  '@ai-sdk/mcp, HTTP': (expected) => askAiSdk('http', mcp(expected), expected),
  '@ai-sdk/mcp, SSE': (expected) => askAiSdk('sse', mcp(expected, '/sse'), expected),
  conformance: checkConformance,
}

function mcp({ url }: Expected, path = ''): URL {
  return new URL(`${url}/mcp${path}`)
}

type Transport = Parameters<Client['connect']>[0]

async function askSdk(
  transport: Transport,
  { reviews }: Expected,
  mode: 'auto' | 'legacy',
): Promise<void> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  try {
    equal(client.getServerVersion()?.name, 'umpire')
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    const { structuredContent } = await client.callTool({
      name: 'get_recent_reviews',
      arguments: { repo },
    })
    const { contents } = await client.readResource({ uri: address })
    const text = contents[0] && 'text' in contents[0] ? contents[0].text : ''
    checkAnswers(
      { names, reviews: (structuredContent as { result: unknown }).result, resource: text },
      reviews,
    )
  } finally {
    await client.close()
  }
}

function checkAnswers(
  actual: { names: string[]; reviews: unknown; resource: string },
  reviews: readonly unknown[],
) {
  deepEqual(actual.names, toolNames)
  deepEqual(actual.reviews, reviews)
  deepEqual(JSON.parse(actual.resource), reviews)
}

function startServer(
  [command, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Transport {
  return new StdioClientTransport({
    command: command as string,
    args,
    env: { ...childEnv, ...env },
    stderr: 'ignore',
  })
}

function startRemote(url: URL, transport: string): Transport {
  const script = packaged('mcp-remote/dist/proxy.js')
  return startServer(
    [process.execPath, script, url.href, '--allow-http', '--transport', transport],
    {},
  )
}

async function askInspector(target: readonly string[], { reviews }: Expected): Promise<void> {
  const ask = async (...args: string[]) =>
    JSON.parse(
      await run('@modelcontextprotocol/inspector/clients/launcher/build/index.js', [
        '--cli',
        ...target,
        ...args,
      ]),
    )
  const { tools } = await ask('--method', 'tools/list')
  const given = ['--tool-name', 'get_recent_reviews', '--tool-arg', `repo=${repo}`, 'limit=10']
  const { structuredContent } = await ask('--method', 'tools/call', ...given)
  const { contents } = await ask('--method', 'resources/read', '--uri', address)
  const names = tools.map(({ name }: { name: string }) => name)
  checkAnswers({ names, reviews: structuredContent.result, resource: contents[0].text }, reviews)
}

async function askAiSdk(type: string, url: URL, { reviews }: Expected): Promise<void> {
  checkAnswers(JSON.parse(await run('../ai-sdk-client.js', [type, url.href, repo])), reviews)
}

async function checkConformance(expected: Expected): Promise<void> {
  const baseline = ['--expected-failures', resolvePath('conformance-baseline.yml')]
  const args = [
    'server',
    '--url',
    mcp(expected).href,
    '--suite',
    'all',
    '--output-dir',
    join(home, 'results'),
    ...baseline,
  ]
  const output = await run('@modelcontextprotocol/conformance/dist/index.js', args)
  console.log(/^Total: .*$/m.exec(output)?.[0])
  ok(/Total: [1-9]\d* passed/.test(output))
}

/** Runs a script of a package and returns its stdout. */
async function run(script: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [packaged(script), ...args], {
    cwd: home,
    env: childEnv,
    timeout: timeoutMs,
    maxBuffer: 10 * 2 ** 20,
  })
  return stdout
}

/** Requests reviews of two pull requests and waits for them. */
async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  const scenario = stack.use(await startScenario())
  const { url, app } = scenario.app
  for (const branch of ['one', 'two']) {
    await scenario.openPullRequest({ [`src/${branch}.ts`]: 'export const few = 2\n' }, { branch })
  }
  await scenario.waitUntilSettled()
  const reviews: readonly { status: string }[] = await callTool(url, 'get_recent_reviews', { repo })
  deepEqual(
    reviews.map(({ status }) => status),
    ['completed', 'completed'],
  )
  const command = [process.execPath, resolvePath('../../src/cli/cli.ts'), 'mcp']
  const expected = { url, reviews, command, env: { DATA_DIR: app.context.config.dataDir } }
  for (const [name, check] of Object.entries(checks)) await report(name, () => check(expected))
  await report(
    'a review that asks Sentry, and the reference server over stdio, HTTP and SSE',
    checkContextServers,
  )
}

async function report(name: string, check: () => Promise<void>): Promise<void> {
  const start = performance.now()
  try {
    await check()
    console.log(`ok      ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  } catch (error) {
    process.exitCode = 1
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as { stdout?: string; stderr?: string; message: string }
    console.log(`FAILED  ${name}: ${message}\n${stdout.slice(-3000)}${stderr.slice(-3000)}`)
  }
}

await main()
