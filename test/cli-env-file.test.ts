// `.env` files: only those of a service's own folder and those named by --env-file are read.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeLocalRepository } from './local-test-repository.ts'
import { runUmpire, umpireCommand } from './run-umpire.ts'
import { createServiceStorage, startUmpireProcess } from './start-umpire-process.ts'

/** Starts a server that counts connections and closes them. */
async function startTrap() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    count: () => connections,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  }
}

type Trap = Awaited<ReturnType<typeof startTrap>>

let trap: Trap
let closed: number
let checkout: string
beforeEach(async () => {
  trap = await startTrap()
  const other = await startTrap()
  closed = other.port
  await other[Symbol.asyncDispose]()
  checkout = mkdtempSync(join(tmpdir(), 'umpire-checkout-'))
})
afterEach(async () => {
  await trap[Symbol.asyncDispose]()
  rmSync(checkout, { recursive: true, force: true })
})

/** Builds an attacker's `.env`, in which every address is theirs. Trackers also need a token. */
function describeTrap(port: number, env: Readonly<Record<string, string>>): string {
  const address = `http://127.0.0.1:${port}`
  return [
    `DATABASE_URL=postgresql://umpire:password@127.0.0.1:${port}/umpire`,
    `PLATFORM_API_URL=${address}/api`,
    `MODEL_BASE_URL=${address}/v1`,
    `PUBLIC_URL=${address}`,
    ...(env.LINEAR_API_KEY ? [`LINEAR_MCP_URL=${address}/mcp`] : []),
  ].join('\n')
}

/** Builds a user's environment: secrets, and only addresses at which nothing listens. */
function ownSecrets(): Record<string, string> {
  return {
    DATA_DIR: join(checkout, 'data'),
    SECRET_KEY: 'k'.repeat(32),
    PLATFORM_URL: `http://127.0.0.1:${closed}`,
    PLATFORM_TOKEN: 'ghp_0123456789012345678901234567890123456789',
    MODEL_API_KEY: 'sk-0123456789',
  }
}

/** These variables are valid only together with the addresses. */
const tracker = { LINEAR_API_KEY: 'lin_api_0123456789' }
const model = { MODEL: 'compatible:local', EMBEDDING_MODEL: 'compatible:vectors' }
const commands: [string[], Record<string, string>][] = [
  [['doctor'], {}],
  [['doctor'], model],
  [['token', '--list'], {}],
  [['token', '--admin'], {}],
  [['mcp'], {}],
  [['sources'], tracker],
  [['migrate'], {}],
]

describe('a foreign .env file', () => {
  it.each(commands)('case 83: umpire %j sends nothing to its addresses', async (args, env) => {
    writeFileSync(join(checkout, '.env'), describeTrap(trap.port, env))
    const { stderr } = await runUmpire(args, { cwd: checkout, env: { ...ownSecrets(), ...env } })
    expect(trap.count()).toBe(0)
    expect(stderr).toContain(
      'the .env file in this folder is not read; if it is yours, give --env-file .env',
    )
  })

  it('case 83: umpire review sends nothing to its addresses', async () => {
    await using repository = await makeLocalRepository()
    await repository.write({ '.env': describeTrap(trap.port, tracker), 'a.js': 'one()\n' })
    await repository.review([], { env: { ...ownSecrets(), ...model } })
    await repository.review(['--context'], { env: { ...ownSecrets(), ...tracker } })
    expect(trap.count()).toBe(0)
  })

  it.each(commands)('umpire %j uses its addresses when the file is named', async (args, env) => {
    writeFileSync(join(checkout, '.env'), describeTrap(trap.port, env))
    const named = ['--env-file', '.env']
    const { stderr } = await runUmpire([...args, ...named], {
      cwd: checkout,
      env: { ...ownSecrets(), ...env },
    })
    expect(trap.count()).toBeGreaterThan(0)
    expect(stderr).not.toContain('is not read')
  })
})

describe('--env-file', () => {
  it.each(['doctor', 'sources', 'migrate', 'mcp', 'token --list', 'serve'])(
    '%s reports a missing file',
    async (line) => {
      const args = [...line.split(' '), '--env-file', 'missing.env']
      const { code, stdout, stderr } = await runUmpire(args, {
        cwd: checkout,
        env: { DATA_DIR: join(checkout, 'data') },
      })
      expect(code).toBe(3)
      expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(
        "The file of variables missing.env can't be read (ENOENT)",
      )
    },
  )

  it('review reports a missing file', async () => {
    await using repository = await makeLocalRepository()
    await repository.write({ 'a.js': 'one()\n' })
    const { code, stderr } = await repository.review(['--env-file', 'missing.env'])
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining("missing.env can't be read (ENOENT)"),
    ])
  })

  it.each([
    ['migrate', 3],
    ['serve', 3],
  ])('%s names misspelled variables of the file', async (command, code) => {
    writeFileSync(join(checkout, 'own.env'), 'PUBLC_URL=https://umpire.example.com\nPORT=none\n')
    const env = { DATA_DIR: join(checkout, 'data') }
    const found = await runUmpire([command, '--env-file', 'own.env'], { cwd: checkout, env })
    expect(found.code).toBe(code)
    expect(found.stderr).toContain(
      'umpire: PUBLC_URL in own.env is not a variable of Umpire; did you mean PUBLIC_URL?',
    )
  })

  it('needs a value', async () => {
    const { code, stderr } = await runUmpire(['migrate', '--env-file'], { cwd: checkout, env: {} })
    expect([code, stderr]).toEqual([2, expect.stringContaining('--env-file needs a value')])
  })

  it('refuses a folder and an invalid file', async () => {
    mkdirSync(join(checkout, 'folder'))
    writeFileSync(join(checkout, 'notes'), 'DATABASE_URL is in the other file\n')
    const run = (file: string) =>
      runUmpire(['migrate', '--env-file', file], { cwd: checkout, env: {} })
    const [folder, notes] = [await run('folder'), await run('notes')]
    expect([folder.code, folder.stderr]).toEqual([
      3,
      expect.stringContaining("folder can't be read (EISDIR)"),
    ])
    expect([notes.code, notes.stderr]).toEqual([
      3,
      expect.stringContaining('notes has no line of the form NAME=value'),
    ])
  })

  it('yields to environment variables', async () => {
    writeFileSync(join(checkout, 'mine.env'), 'PORT=nonsense\nLOG_LEVEL=nonsense\n')
    const env = { LOG_LEVEL: 'warn' }
    const { code, stderr } = await runUmpire(['migrate', '--env-file', 'mine.env'], {
      cwd: checkout,
      env,
    })
    expect(code).toBe(3)
    expect(stderr).toContain('PORT')
    expect(stderr).not.toContain('LOG_LEVEL')
  })
})

describe('umpire serve', () => {
  it.each([
    ['.env', []],
    ['mine.env', ['--env-file', 'mine.env']],
  ])('reads %s', async (file, args) => {
    await using site = await createServiceStorage()
    writeFileSync(join(site.dataDir, '.env'), 'SERVICE_NAME=of the folder\n')
    writeFileSync(join(site.dataDir, file), 'PUBLIC_URL=https://named.example\n')
    await using service = await startUmpireProcess(site, { args: ['--no-worker', ...args] })
    expect(await service.waitForLog('Umpire listens')).toMatchObject({
      public_url: 'https://named.example',
    })
  })
})

it('logs text on a terminal, and JSON elsewhere', async () => {
  const env = { DATA_DIR: join(checkout, 'data') }
  const terminal = ['script', '-qec', `'${umpireCommand}' migrate`, '/dev/null']
  const shown = await runUmpire([], { cwd: checkout, env, program: terminal })
  const text = stripVTControlCharacters(shown.stdout)
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d info {2}The schema was brought up to date migration=\S+\r$/m,
  )
  const plain = await runUmpire(['migrate'], {
    cwd: checkout,
    env: { DATA_DIR: join(checkout, 'b') },
  })
  expect(JSON.parse(plain.stderr.split('\n')[0]!)).toMatchObject({ level: 30 })
})
