// `umpire doctor`: the result of each check for good and bad configurations.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import { readConfig } from '../src/read-config.ts'
import { assessFreeSpace } from '../src/workflows/diagnose/check-data-folder.ts'
import { checkMcp } from '../src/workflows/diagnose/check-mcp.ts'
import { checkPublicAddress } from '../src/workflows/diagnose/check-public-address.ts'
import { checkService } from '../src/workflows/diagnose/check-service.ts'
import { type Forge, replyWith } from './fakes/forge/forge.ts'
import { startEmbeddingServer } from './fakes/models/embedding-server.ts'
import { type ModelServer, startModelServer } from './fakes/models/model-server.ts'
import { findPostgresql, startPostgresql } from './fakes/postgresql-server.ts'
import { silentLog } from './fakes/test-database.ts'
import { forgeEnvironment, reviewerToken, startShopForge } from './review-scenario.ts'
import { runUmpire, umpireCommand } from './run-umpire.ts'
import { signInWithToken } from './sign-in.ts'
import { pullRequestPayload, sign, webhookSecret } from './start-app.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
  type UmpireProcess,
} from './start-umpire-process.ts'

interface Result {
  readonly name: string
  readonly state: string
  readonly message: string
  readonly remedy: string | null
  readonly unreachable: boolean
}

const modelKey = 'sk-canary-0123456789-model'
const clientSecret = 'canary-of-the-application-0123456789'
const secretKey = 'canary of the secret key in 32 letters'

let forge: Forge
let model: ModelServer
let folder: string
let application: Record<string, string>
beforeAll(async () => {
  forge = await startShopForge()
  model = await startModelServer({ protocol: 'openai-chat', script: () => ({ text: 'ready' }) })
  folder = mkdtempSync(join(tmpdir(), 'umpire-doctor-'))
  const { clientId } = forge.createOAuthApp({ clientSecret })
  application = { OAUTH_CLIENT_ID: clientId, OAUTH_CLIENT_SECRET: clientSecret }
})
afterAll(async () => {
  await model.close()
  await forge[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  forge.faults.clear()
  model.respondWith(() => ({ text: 'ready' }))
})

it('warns of a context window that is smaller than a round needs', async () => {
  await using server = await startModelServer({
    protocol: 'openai-chat',
    script: () => ({ text: 'ready' }),
    window: { program: 'ollama', model: 'local', tokens: 4096 },
  })
  const found = await doctor({ ...goodEnvironment(), MODEL_BASE_URL: server.url })
  expect(found.of('model')).toMatch(
    /^warning \| compatible:local answers\. Its context window has 4096 tokens, so a round of a review has 2048 and not the 48000 of REVIEW_CONTEXT_TOKENS\. \| Give the model at least 96000 tokens/,
  )
})

/** Returns an environment in which every check passes, without a running service. */
function goodEnvironment(): Record<string, string> {
  return {
    ...forgeEnvironment(forge),
    ...application,
    DATA_DIR: join(folder, 'data'),
    SIGN_IN_ALLOWED: 'alice, bob',
    SECRET_KEY: secretKey,
    WEBHOOK_SECRET: webhookSecret,
    MODEL: 'compatible:local',
    MODEL_BASE_URL: model.url,
    MODEL_API_KEY: modelKey,
  }
}

/** Runs the command and returns its results. Fails when its output contains a secret. */
async function doctor(env: Record<string, string>) {
  const { code, stdout, stderr } = await runUmpire(['doctor', '--format', 'json'], {
    cwd: folder,
    env,
  })
  const secretNames = Object.keys(env).filter((name) => /KEY|SECRET|TOKEN/.test(name))
  for (const name of secretNames) expect(stdout + stderr, name).not.toContain(env[name])
  if (stdout === '') throw new Error(`No report: ${stderr}`)
  const report = JSON.parse(stdout) as { exit_code: number; checks: Result[] }
  expect(report.exit_code).toBe(code)
  const of = (name: string) => {
    const found = report.checks.filter((check) => check.name === name)
    return found
      .map(({ state, message, remedy }) => [state, message, remedy ?? ''].join(' | '))
      .join('\n')
  }
  return {
    code,
    of,
    checks: report.checks,
    states: (state: string) => namesIn(report.checks, state),
  }
}

function namesIn(checks: readonly Result[], state: string): string[] {
  return checks.filter((check) => check.state === state).map(({ name }) => name)
}

async function listen(respond: RequestListener) {
  const server = createServer(respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  }
}

/** Returns an address at which nothing listens. */
async function deadAddress(): Promise<string> {
  const server = await listen(() => undefined)
  await server.close()
  return server.url
}

it.each([
  ['open', 'http://localhost:8484', 'ok', 'all users of this machine'],
  ['open', 'https://umpire.example', 'warning', 'anyone who can connect, about every repository'],
  ['open', 'http://192.168.1.7:8484', 'warning', 'anyone who can connect'],
  ['token', 'https://umpire.example', 'ok', 'a token'],
  ['off', 'https://umpire.example', 'ok', 'is off'],
] as const)('reports MCP_ACCESS=%s at %s as %s', async (access, publicUrl, state, message) => {
  const { http, mcp } = await readConfig({ MCP_ACCESS: access, PUBLIC_URL: publicUrl })
  expect(checkMcp({ http, mcp })).toMatchObject({
    state,
    message: expect.stringContaining(message),
  })
})

const hosts: [string, string][] = [
  ['0.0.0.0', 'warning'],
  ['::', 'warning'],
  ['192.168.1.7', 'warning'],
  ['127.0.0.1', 'ok'],
  ['127.0.0.2', 'ok'],
  ['::1', 'ok'],
  ['localhost', 'ok'],
]

it.each(hosts)(
  'case 86: with HOST=%s, an open MCP server and open sign-in are each a %s',
  async (host, state) => {
    const withoutModel = { MODEL: '', MODEL_BASE_URL: '', SIGN_IN_ALLOWED: '' }
    const env = {
      ...goodEnvironment(),
      ...withoutModel,
      HOST: host,
      PUBLIC_URL: 'http://localhost:8484',
    }
    const found = await doctor({ ...env, MCP_ACCESS: 'open' })
    expect(found.of('MCP server')).toMatch(new RegExp(`^${state} \\|`))
    expect(found.of('sign-in')).toMatch(new RegExp(`^${state} \\| Anyone`))
    const closed = await doctor({ ...env, SIGN_IN_ALLOWED: 'alice', MCP_ACCESS: 'token' })
    expect([closed.of('MCP server'), closed.of('sign-in')]).toEqual([
      expect.stringMatching(/^ok \|/),
      expect.stringMatching(/^ok \|/),
    ])
  },
)

describe('next to a running service', () => {
  let site: ServiceStorage
  let service: UmpireProcess
  const environment = (): Record<string, string> => ({
    ...goodEnvironment(),
    ...site.env,
    PUBLIC_URL: service.url as string,
  })
  beforeAll(async () => {
    site = await createServiceStorage()
    chmodSync(site.dataDir, 0o700)
    service = await startUmpireProcess(site, {
      args: ['--no-worker'],
      env: { ...forgeEnvironment(forge), SECRET_KEY: secretKey },
    })
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  it('reports every check as ok', async () => {
    const body = JSON.stringify(pullRequestPayload())
    const headers = {
      'x-github-event': 'pull_request',
      'x-hub-signature-256': sign(body, webhookSecret),
    }
    expect(
      (await fetch(`${service.url}/api/v1/webhooks/host`, { method: 'POST', body, headers }))
        .status,
    ).toBe(200)
    const alice = await signInWithToken({ url: service.url as string }, 'ghp_token_of_alice')
    const install = { method: 'POST', headers: alice.bearer }
    expect(
      (await fetch(`${service.url}/api/v1/repos/acme/shop/install`, install)).status,
    ).toBeLessThan(300)

    const found = await doctor(environment())
    expect(found.checks.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(found.code).toBe(0)
    expect(found.of('node')).toContain(`Node.js ${process.versions.node}`)
    expect(found.of('git')).toMatch(/git \d+\.\d+/)
    expect(found.of('database')).toMatch(
      /in use by the running service \(process \d+\); its schema is up to date/,
    )
    expect(found.of('deliveries')).toContain(
      '1 repository is connected. The newest delivery arrived',
    )
    expect(found.of('platform token')).toMatch(/belongs to umpire-bot and has the scopes .*repo/)
    expect(found.of('sign-in')).toContain('2 people may sign in')
    expect(found.of('service')).toContain(`Umpire answers at ${service.url}/api/v1/webhooks/host`)
    expect(found.of('model')).toContain('compatible:local answers')
    expect(found.of('clock')).toContain("agrees with the code host's")
    expect(found.of('disk')).toMatch(/GB are free/)
  })

  it('reports all problems at once and prints no secret that a server echoed', async () => {
    const token = 'ghp_canary_of_a_wrong_token_0123456789'
    const hour = new Date(Date.now() + 3_600_000).toUTCString()
    forge.faults.add({
      match: ({ path }) => path.endsWith('/rate_limit'),
      action: replyWith(200, { rate: {} }, { date: hour }),
    })
    forge.faults.add({
      match: ({ path }) => path === '/api/v3/user',
      action: replyWith(401, { message: `Bad credentials: ${token} ${modelKey}` }),
    })
    model.respondWith(() => ({
      status: 401,
      body: { error: { message: `wrong key ${modelKey} ${token}` } },
    }))
    const programs = join(folder, 'programs')
    mkdirSync(programs)
    writeFileSync(join(programs, 'git'), '#!/bin/sh\necho git version 2.30.2\n', { mode: 0o755 })
    chmodSync(site.dataDir, 0o755)
    const { SIGN_IN_ALLOWED: _, WEBHOOK_SECRET: __, ...rest } = environment()
    const found = await doctor({
      ...rest,
      PLATFORM_TOKEN: token,
      OAUTH_CLIENT_SECRET: 'canary-of-a-wrong-secret-0123456789',
      SECRET_KEY: 'ab'.repeat(16),
      PUBLIC_URL: forge.url,
      PATH: `${programs}:${process.env.PATH}`,
    })
    chmodSync(site.dataDir, 0o700)
    expect(found.code).toBe(3)
    expect(found.of('git')).toMatch(/^problem \| git 2\.30 is too old\. \| Install git 2\.36/)
    expect(found.of('data folder')).toMatch(
      /^warning \| .* contains keys and code, and other users can access it.* \| chmod 700 /,
    )
    expect(found.of('secret key')).toMatch(/^warning \| SECRET_KEY has few distinct characters/)
    expect(found.of('platform token')).toMatch(
      /^problem \| PLATFORM_TOKEN could not be checked at \S+: Bad credentials/,
    )
    expect(found.of('sign-in application')).toMatch(
      /^problem \| GitHub does not accept OAUTH_CLIENT_ID/,
    )
    expect(found.of('sign-in')).toMatch(
      /^warning \| Anyone .* \| List the allowed users in SIGN_IN_ALLOWED/,
    )
    expect(found.of('service')).toMatch(/^problem \| .*Something other than Umpire responds/)
    expect(found.of('webhook secret')).toMatch(/^warning \| .*accepted unsigned/)
    expect(found.of('model')).toMatch(
      /^problem \| compatible:local: Model: the provider does not accept the key/,
    )
    expect(found.of('clock')).toMatch(
      /^problem \| This machine's clock is \d+ s behind the code host's/,
    )
    expect(found.states('ok')).toEqual(
      expect.arrayContaining(['configuration', 'node', 'disk', 'database', 'platform']),
    )
  })

  it('warns about settings that work but are probably unintended', async () => {
    const minutes = new Date(Date.now() - 120_000).toUTCString()
    forge.faults.add({
      match: ({ path }) => path.endsWith('/rate_limit'),
      action: replyWith(200, { rate: {} }, { date: minutes }),
    })
    forge.createUser('reader', { token: 'ghp_token_of_a_reader', scopes: ['read:user'] })
    const found = await doctor({
      ...environment(),
      APP_ENV: 'development',
      REVIEW_BUDGET_USD: '1',
      PLATFORM_TOKEN: 'ghp_token_of_a_reader',
    })
    expect(found.of('clock')).toMatch(
      /^warning \| This machine's clock is \d+ s ahead of the code host's/,
    )
    expect(found.of('model')).toMatch(/^warning \| .*its price is unknown/)
    expect(found.of('webhook secret')).toMatch(
      /^warning \| Signatures of deliveries are not enforced/,
    )
    expect(found.of('platform token')).toMatch(
      /^problem \| .*belongs to reader and lacks scopes: it has read:user/,
    )
    expect(found.states('problem')).toEqual(['platform token'])
  })

  it('reports the service of another installation at the public address', async () => {
    const found = await doctor({ ...environment(), DATA_DIR: join(folder, 'of-another') })
    expect(found.of('service')).toMatch(
      /^problem \| Another installation of Umpire answers at http:.*no service uses .*of-another\. \| Start the service of this installation/,
    )
    expect(found.code).toBe(3)
  })

  it('reports a service with no socket or a silent one', async () => {
    const dataDir = join(site.dataDir, 'x'.repeat(100))
    mkdirSync(dataDir)
    await using silent = await startUmpireProcess(site, {
      args: ['--no-worker'],
      env: { DATA_DIR: dataDir },
    })
    expect(silent.url).toMatch(/^http/)
    const found = await doctor({ ...environment(), DATA_DIR: dataDir })
    expect(found.of('database')).toMatch(
      /^problem \| .*in use by the process \d+.*can't be reached at/,
    )
    expect(found.code).toBe(3)

    const cut = join(folder, 'cut')
    mkdirSync(cut)
    const server = createServer((_, response) => response.destroy())
    await new Promise<void>((resolve) => server.listen(join(cut, 'control.sock'), resolve))
    const broken = await doctor({ ...environment(), DATA_DIR: cut })
    await new Promise((resolve) => server.close(resolve))
    expect(broken.of('database')).toMatch(
      /^problem \| The running service can't be reached at .*ECONNRESET/,
    )
    expect(broken.code).toBe(5)
  })

  it('formats output for terminals and for pipes', async () => {
    const env = environment()
    const plain = await runUmpire(['doctor'], { cwd: folder, env })
    expect(plain.code).toBe(0)
    expect(plain.stdout).toMatch(/^ok {7}configuration: /)
    expect(plain.stdout).toMatch(/\n\n\d+ ok\n$/)
    expect(plain.stdout).not.toContain('\u001b')
    expect(plain.stderr).toBe('Checking the setup …\n')
    const onTerminal = (more: Record<string, string> = {}) => {
      const program = ['script', '-qec', `stty cols 40; '${umpireCommand}' doctor`, '/dev/null']
      return runUmpire([], { cwd: folder, env: { ...env, TERM: 'xterm', ...more }, program })
    }
    const wrong = await runUmpire(['doctor'], {
      cwd: folder,
      env: { ...env, SIGN_IN_ALLOWED: '', PUBLIC_URL: await deadAddress() },
    })
    expect(wrong.stdout).toMatch(/^problem {2}service: .*\nwarning {2}sign-in: .*\nok {7}/s)
    const coloured = (await onTerminal()).stdout
    expect(coloured).toContain('\u001b[32mok')
    expect((await onTerminal({ NO_COLOR: '1' })).stdout).not.toContain('\u001b[32m')
    // Long words aren't broken, so that addresses can be copied.
    const lines = stripVTControlCharacters(coloured).split(/\r?\n|\r/)
    const long = lines.filter((line) => line.length > 40 && line.trim().split(' ').length > 2)
    expect(long).toEqual([])
  })
})

describe('without a service', () => {
  it('exits with 5 when the only problems are unreachable servers', async () => {
    const dead = await deadAddress()
    const env = {
      ...goodEnvironment(),
      PLATFORM_URL: dead,
      PLATFORM_API_URL: dead,
      PUBLIC_URL: dead,
      MODEL_BASE_URL: dead,
    }
    const found = await doctor(env)
    const names = ['platform', 'platform token', 'sign-in application', 'service', 'model']
    expect(found.states('problem')).toEqual(names)
    expect(found.checks.filter(({ unreachable }) => unreachable).map(({ name }) => name)).toEqual(
      names,
    )
    expect(found.of('service')).toMatch(/Nothing listens at .* \| Start it with umpire serve/)
    expect(found.of('database')).toMatch(/^ok \| There is none yet/)
    expect(found.of('data folder')).toMatch(/^ok \| .*doesn't exist yet/)
    expect(found.of('clock')).toMatch(/^skipped/)
    expect(found.code).toBe(5)
  })

  it('names the host that does not exist', async () => {
    const nowhere = 'http://nowhere.invalid'
    const found = await doctor({
      ...goodEnvironment(),
      PLATFORM_URL: nowhere,
      PLATFORM_API_URL: nowhere,
      PUBLIC_URL: await deadAddress(),
    })
    for (const name of ['platform', 'platform token', 'sign-in application']) {
      expect(found.of(name)).toMatch(/^problem \| .* at http:\/\/nowhere\.invalid.*\(E\w+\)/)
    }
  })

  it('reports whether the embedder answers', async () => {
    await using server = await startEmbeddingServer()
    const env = {
      ...goodEnvironment(),
      EMBEDDING_MODEL: 'compatible:words',
      EMBEDDING_BASE_URL: server.url,
    }
    expect((await doctor(env)).of('embedder')).toBe(
      'ok | compatible:words answers, with vectors of 8 dimensions. | ',
    )
    server.respondWith(() => ({ kind: 'status', status: 401, message: `wrong key ${modelKey}` }))
    const found = await doctor({ ...env, MEMORY: 'on' })
    expect(found.of('embedder')).toMatch(
      /^problem \| compatible:words: Model: the provider does not accept the key .*Check/,
    )
    expect((await doctor({ ...env, MEMORY: 'off' })).of('embedder')).toMatch(
      /^warning \| .*MEMORY is off/,
    )
  })

  it('lists every problem of the configuration', async () => {
    const found = await doctor({
      PORT: 'x',
      SECRET_KEY: 'too short',
      MODEL: 'openai:gpt',
      OAUTH_CLIENT_ID: 'id',
    })
    expect(found.of('configuration').split('\n')).toEqual([
      expect.stringMatching(/^problem \| PORT must be/),
      expect.stringMatching(/^problem \| SECRET_KEY must have/),
      expect.stringMatching(/^problem \| OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET belong together/),
      expect.stringMatching(/^problem \| MODEL needs OPENAI_API_KEY/),
    ])
    expect(found.code).toBe(3)
  })

  it('warns about misspelled variables in the file', async () => {
    const file = join(folder, 'misspelled.env')
    const others = 'POSTGRES_PASSWORD=a\nNODE_EXTRA_CA_CERTS=b\nSECRET_KEY_FILE=c\nNODE_ENV=d\n'
    writeFileSync(file, `${others}SIGN_IN_ALOWED=alice\nHOST=\n`)
    const args = ['doctor', '--format', 'json', '--env-file', file]
    const env = { PORT: 'none' }
    const { stdout } = await runUmpire(args, { cwd: folder, env })
    const { checks } = JSON.parse(stdout) as { checks: Result[] }
    expect(checks.filter(({ state }) => state === 'warning')).toMatchObject([
      { name: 'configuration', remedy: 'Did you mean SIGN_IN_ALLOWED?' },
    ])
  })

  it('explains what a missing model, sign-in application or token means', async () => {
    const found = await doctor({
      PLATFORM_URL: forge.url,
      PLATFORM_API_URL: forge.apiUrl,
      PUBLIC_URL: await deadAddress(),
    })
    expect(found.of('model')).toMatch(/^ok \| No MODEL is set/)
    expect(found.of('platform token')).toMatch(/^skipped \| PLATFORM_TOKEN is not set/)
    expect(found.of('sign-in application')).toMatch(/^skipped \| .*personal access token/)
    expect(found.of('sign-in')).toMatch(
      /^ok \| Anyone .* Without a model, their reviews cost nothing/,
    )
    expect(found.of('secret key')).toMatch(/^ok \| None yet/)
  })

  it('reports an older or newer schema, an invalid key and no repositories', async () => {
    await using site = await createServiceStorage({ migrated: false })
    const { SECRET_KEY: _, PLATFORM_TOKEN: __, ...rest } = { ...goodEnvironment(), ...site.env }
    const env = { ...rest, PUBLIC_URL: await deadAddress() }
    const older = await doctor(env)
    expect(older.of('database')).toMatch(
      /^warning \| .*has to be brought up to date \(0001.* \| .*umpire migrate/,
    )
    expect(older.of('deliveries')).toMatch(/^skipped/)
    const migrated = await runUmpire(['migrate'], { cwd: site.dataDir, env: site.env })
    expect(migrated.code).toBe(0)
    writeFileSync(join(site.dataDir, 'secret-key'), 'short\n', { mode: 0o600 })
    const current = await doctor(env)
    expect(current.of('database')).toMatch(/^ok \| .*its schema is up to date/)
    expect(current.of('deliveries')).toMatch(
      /^warning \| 0 repositories are connected\. No delivery has arrived yet/,
    )
    expect(current.of('secret key')).toMatch(/^problem \| .*holds no key of at least 32 characters/)
    {
      await using database = await openDatabase(site.database, silentLog)
      await sql`insert into kysely_migration values ('9999-of-tomorrow', '2026')`.execute(
        database.db,
      )
    }
    writeFileSync(join(site.dataDir, 'secret-key'), `${'0123456789abcdef'.repeat(2)}\n`, {
      mode: 0o644,
    })
    chmodSync(join(site.dataDir, 'secret-key'), 0o644)
    const newer = await doctor(env)
    expect(newer.of('database')).toMatch(
      /^problem \| .*newer version of this program \(9999-of-tomorrow\)/,
    )
    expect(newer.of('secret key')).toMatch(
      /^warning \| .*can be read by other users.* \| chmod 600/,
    )
  })

  it('reports an invalid data folder', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const dead = await deadAddress()
    const is = async (dataDir: string) =>
      (await doctor({ ...goodEnvironment(), PUBLIC_URL: dead, DATA_DIR: dataDir })).of(
        'data folder',
      )
    expect(await is(file)).toMatch(/^problem \| .*is not a directory/)
    expect(await is(join(file, 'below'))).toMatch(/^problem \| .*can't be created/)
  })

  it('prints its usage', async () => {
    const run = (...args: string[]) => runUmpire(['doctor', ...args], { cwd: folder, env: {} })
    expect(await run('--format', 'yaml')).toMatchObject({ code: 2, stdout: '' })
    expect(await run('--help')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: umpire doctor /),
    })
  })
})

it('reports the free disk space', () => {
  const megabyte = 1024 * 1024
  expect(assessFreeSpace(1024 * megabyte, '/data')).toMatchObject({
    state: 'ok',
    message: '1 GB are free where /data is.',
  })
  expect(assessFreeSpace(1024 * megabyte - 1, '/data')).toMatchObject({ state: 'warning' })
  expect(assessFreeSpace(64 * megabyte, '/data')).toMatchObject({ state: 'warning' })
  expect(assessFreeSpace(64 * megabyte - 1, '/data')).toMatchObject({ state: 'problem' })
})

describe('public address scope', () => {
  const machine = 'http://127.0.0.1:1'
  const network = 'http://10.1.2.3'
  const world = 'https://203.0.113.5'
  it.each([
    [machine, machine, 'ok'],
    ['http://localhost:1', network, 'problem'],
    [machine, world, 'problem'],
    ['http://[::1]:1', world, 'problem'],
    [network, machine, 'ok'],
    [network, network, 'ok'],
    ['http://[fd00::1]', world, 'problem'],
    [world, world, 'ok'],
    [world, machine, 'ok'],
    ['http://203.0.113.6', world, 'warning'],
  ])('at %s, with a platform at %s: %s', async (publicUrl, url, state) => {
    const http = { host: '', port: 1, publicUrl }
    const config = { http, platform: { url } } as unknown as Parameters<
      typeof checkPublicAddress
    >[0]
    expect(await checkPublicAddress(config)).toMatchObject({ state })
  })
})

describe('response at the public address', () => {
  const forever = new AbortController().signal
  it.each([
    ['a proxy alone', 502, '', 'problem', true, /A proxy responds .* \(status 502\)/],
    ['a redirect', 301, '', 'problem', undefined, /redirects to another address/],
    [
      'another program',
      200,
      'hello',
      'problem',
      undefined,
      /other than Umpire responds .* \(status 200\)/,
    ],
    [
      'a proxy that keeps the receiver to itself',
      200,
      '{"status":"ok"}',
      'problem',
      undefined,
      /don't reach Umpire/,
    ],
  ])('%s', async (_, status, body, state, unreachable, message) => {
    await using server = await listen((__, response) => {
      response.writeHead(status, { location: 'https://elsewhere.example/' }).end(body)
    })
    const config = {
      http: { publicUrl: server.url },
      platform: { name: null },
      database: { engine: 'postgresql' },
    } as unknown as Parameters<typeof checkService>[0]
    const nothing = { database: Promise.reject(new Error('none')) }
    nothing.database.catch(() => undefined)
    const found = await checkService(config, nothing, forever)
    expect(found).toMatchObject({ state, message: expect.stringMatching(message) })
    expect(found.unreachable).toBe(unreachable)
  })
})

describe.skipIf(process.env.TEST_DATABASE_URL === undefined)('with a PostgreSQL server', () => {
  it('connects and compares clocks', async () => {
    await using site = await createServiceStorage({ engine: 'postgresql' })
    const env = { ...goodEnvironment(), ...site.env, PUBLIC_URL: await deadAddress() }
    const found = await doctor(env)
    expect(found.of('database')).toMatch(
      /^ok \| PostgreSQL \d+.* at DATABASE_URL; its schema is up to date/,
    )
    expect(found.of('clock')).toContain("agrees with the database's")
    // The test server runs without fsync.
    expect(found.states('problem').filter((name) => name !== 'durability')).toEqual(['service'])
    {
      await using database = await openDatabase(site.database, silentLog)
      await sql`drop index pull_request_search_text`.execute(database.db)
    }
    expect((await doctor(env)).of('database')).toMatch(
      /^warning \| .*pg_trgm.* \| .*create extension pg_trgm; create/,
    )
  })

  it.skipIf(findPostgresql() === null).each([
    [true, /^ok \|/],
    [false, /^problem \| The server runs with fsync off.* \| Set fsync = on/],
  ])('reports whether writes reach the disk: %s', async (durable, said) => {
    await using server = await startPostgresql(findPostgresql()!, { durable })
    const env = { ...goodEnvironment(), DATABASE_URL: server.url, PUBLIC_URL: await deadAddress() }
    expect((await doctor(env)).of('durability')).toMatch(said)
  })

  it('reports an unreachable server', async () => {
    const password = 'canary-password-0123456789'
    const { port } = new URL(await deadAddress())
    const env = {
      ...goodEnvironment(),
      DATABASE_URL: `postgresql://u:${password}@127.0.0.1:${port}/d`,
    }
    const { stdout } = await runUmpire(['doctor', '--format', 'json'], { cwd: folder, env })
    expect(stdout).toMatch(/can't be reached \(ECONNREFUSED\)/)
    expect(stdout).not.toContain(password)
    await using site = await createServiceStorage({ engine: 'postgresql' })
    const { href } = Object.assign(new URL(site.env.DATABASE_URL as string), {
      pathname: '/nowhere',
    })
    const missing = await doctor({ ...env, DATABASE_URL: href })
    expect(missing.of('database')).toMatch(
      /^problem \| The server at DATABASE_URL refuses us: .* \(3D000\)/,
    )
    expect(missing.code).toBe(3)
  })
})

it('makes no reviews and writes nothing to the platform', () => {
  const writes = forge.requests.filter(
    ({ method, headers }) => method !== 'GET' && headers.authorization,
  )
  expect(writes.filter(({ headers }) => headers.authorization?.includes(reviewerToken))).toEqual([])
})
