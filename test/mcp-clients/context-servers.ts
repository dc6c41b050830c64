// Reviews with third-party context servers: Sentry's, and the reference server on each transport.
import { equal, match, ok } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startContextServer } from '../fakes/mcp/context-server.ts'
import { startSentryApi } from '../fakes/mcp/sentry-api.ts'
import { linearIssue } from '../fakes/mcp/vendor-responses.ts'
import { ownComments, repo, startScenario } from '../review-scenario.ts'

const packaged = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
const sentry = packaged('@sentry/mcp-server/dist/index.js')
const reference = packaged('@modelcontextprotocol/server-everything/dist/index.js')
const token = 'sntryu_0123456789abcdef'

/**
 * The expected context: a ticket from the fake tracker, an error from Sentry's server, and echoes.
 */
export async function checkContextServers(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'umpire-context-servers-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const fault = {
    shortId: 'SHOP-1A',
    title: 'TypeError: total of nothing',
    files: ['/srv/shop/src/orders.ts'],
  }
  const other = {
    shortId: 'SHOP-2B',
    title: 'RangeError: no rate',
    files: ['/srv/rates.js'],
    functions: ['Cart.rateOf'],
  }
  const api = stack.use(await startSentryApi(token, [fault, other]))
  const ticket = {
    title: 'Totals are wrong for ten articles',
    description: 'Ten articles must get a tenth off.',
  }
  const tracker = stack.use(
    await startContextServer({ tools: { get_issue: ({ id }) => linearIssue(String(id), ticket) } }),
  )
  const [http, sse] = [
    await startReference('streamableHttp', folder),
    await startReference('sse', folder),
  ]
  for (const server of [http, sse]) stack.use(server)
  const sources = [
    sentrySource(api.host, folder),
    ...referenceSources({ http: http.url, sse: sse.url, folder }),
  ]
  writeFileSync(join(folder, 'sources.json'), JSON.stringify({ sources }))

  const env = {
    GRAPH: 'on',
    LINEAR_MCP_URL: tracker.url,
    LINEAR_API_KEY: 'lin_api_0123456789',
    CONTEXT_SOURCES: join(folder, 'sources.json'),
    SENTRY_ACCESS_TOKEN: token,
  }
  const scenario = stack.use(await startScenario({ env }))
  scenario.forge.setPrivate(repo, true)
  const code = (rate: number) => `export class Cart {\n  rateOf() {\n    return ${rate}\n  }\n}\n`
  await scenario.forge.push(repo, 'main', { 'src/orders.ts': code(1) }, { author: 'alice' })
  const files = { 'src/orders.ts': code(2) }
  const number = await scenario.openPullRequest(files, { title: 'SHOP-12: totals' })
  await scenario.waitUntilSettled()
  const text = ownComments(scenario.forge.pullRequest(repo, number)).summaries[0]?.body ?? ''
  match(
    text,
    /- linear: \[SHOP-12: Totals are wrong for ten articles\]\(https:\/\/linear\.app\/acme\/issue\/SHOP-12\/totals\)/,
  )
  match(
    text,
    /- errors: \[SHOP-1A: TypeError: total of nothing\]\(http:\/\/127\.0\.0\.1:\d+\/\S+SHOP-1A\)/,
  )
  match(text, /- errors: \[SHOP-2B: RangeError: no rate\]/)
  for (const name of ['stdio', 'http', 'sse'])
    ok(text.includes(`- everything-${name}: Echo: SHOP-12`), `${name}: ${text}`)
  ok(!text.includes('Without'), text)
  const asked = [
    'is:unresolved stack.filename:"*src/orders.ts"',
    'is:unresolved stack.function:[Cart.rateOf, rateOf]',
  ]
  equal(api.queries.toSorted().join('\n'), asked.join('\n'))
}

function sentrySource(host: string, folder: string) {
  const searchBy = (what: string) => ({
    tools: ['search_issues'],
    arguments: { organizationSlug: 'acme', query: `is:unresolved ${what}`, sort: 'freq', limit: 3 },
  })
  return {
    name: 'errors',
    kind: 'errors',
    command: process.execPath,
    args: [
      sentry,
      `--host=${host}`,
      '--insecure-http',
      '--organization-slug=acme',
      '--skills=inspect',
    ],
    env: { SENTRY_ACCESS_TOKEN: `\${SENTRY_ACCESS_TOKEN}`, HOME: folder },
    search: searchBy('stack.filename:"*{path}"'),
    search_symbols: searchBy('stack.function:[{symbols}]'),
    link_hosts: ['127.0.0.1'],
    timeout_seconds: 60,
  }
}

function referenceSources({ http, sse, folder }: { http: string; sse: string; folder: string }) {
  const look_up = { tools: ['echo'], arguments: { message: '{key}' } }
  const common = { kind: 'tickets', look_up, timeout_seconds: 60 }
  return [
    {
      ...common,
      name: 'everything-stdio',
      command: process.execPath,
      args: [reference, 'stdio'],
      env: { HOME: folder },
    },
    { ...common, name: 'everything-http', url: `${http}/mcp` },
    { ...common, name: 'everything-sse', url: `${sse}/sse` },
  ]
}

/** Starts the server at a port that was free. */
async function startReference(
  transport: string,
  home: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await findPort()
  const env = { PATH: process.env.PATH ?? '', HOME: home, PORT: String(port) }
  const child = spawn(process.execPath, [reference, transport], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: child.stderr })) {
    if (/listening|running/.test(line)) break
  }
  child.stderr.resume()
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => stopProcess(child) }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
