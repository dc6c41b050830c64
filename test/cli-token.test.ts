// `umpire token`, and the socket through which it reaches a running service.
import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Forge } from './fakes/forge/forge.ts'
import { forgeEnvironment, startShopForge } from './review-scenario.ts'
import { runUmpire } from './run-umpire.ts'
import { signInWithToken } from './sign-in.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
  type UmpireProcess,
} from './start-umpire-process.ts'

let forge: Forge
let site: ServiceStorage
/** This folder stays empty. */
let folder: string
beforeAll(async () => {
  forge = await startShopForge()
  folder = mkdtempSync(join(tmpdir(), 'umpire-token-'))
})
afterAll(async () => {
  await forge[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Each of these tests has its own database. */
function describeOnSite(name: string, tests: () => void): void {
  describe(name, () => {
    beforeEach(async () => {
      site = await createServiceStorage()
    })
    afterEach(() => site[Symbol.asyncDispose]())
    tests()
  })
}

/** Tokens contain the public URL of the service. */
const publicUrl = { PUBLIC_URL: 'https://umpire.example' }

function token(...args: string[]) {
  const env = { ...site.env, ...forgeEnvironment(forge), ...publicUrl }
  return runUmpire(['token', ...args], { cwd: site.dataDir, env })
}

function serve(env: Record<string, string> = {}): Promise<UmpireProcess & { url: string }> {
  const started = startUmpireProcess(site, {
    args: ['--no-worker'],
    env: { ...forgeEnvironment(forge), ...publicUrl, ...env },
  })
  return started as Promise<UmpireProcess & { url: string }>
}

async function readAudit(service: { url: string }, jwt: string) {
  const response = await fetch(`${service.url}/api/v1/audit`, {
    headers: { authorization: `Bearer ${jwt.trim()}` },
  })
  return { status: response.status, body: JSON.stringify(await response.json()) }
}

function idIn(stderr: string): string {
  return /--revoke (\S+)/.exec(stderr)?.[1] ?? ''
}

const oneJwt = /^[\w-]+\.[\w-]+\.[\w-]+\n$/
const socketOf = () => join(site.dataDir, 'control.sock')

it('creates no database where there is none', async () => {
  const env = { ...forgeEnvironment(forge), DATA_DIR: join(folder, 'elsewhere') }
  const { code, stdout, stderr } = await runUmpire(['token', '--list'], { cwd: folder, env })
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toMatch(/There is no database in .*DATA_DIR/)
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false)
})

describeOnSite('beside a running service on the embedded database', () => {
  it('creates a working token, lists it and revokes it', async () => {
    await using service = await serve()
    await signInWithToken(service, 'ghp_token_of_alice')
    const made = await token('--user', 'ALICE', '--name', 'nightly job', '--days', '7')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(oneJwt) })
    expect(made.stderr).toMatch(/acts as alice, until \d{4}-/)
    const answer = await readAudit(service, made.stdout)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatch(
      /"login":"operator","action":"token_created","subject":"nightly job"/,
    )

    const listed = await token('--list')
    expect(listed.code).toBe(0)
    expect(listed.stdout).toMatch(
      new RegExp(`^${idIn(made.stderr)}  alice  until \\S+  last used \\S+  nightly job\\n$`),
    )

    expect(await token('--revoke', idIn(made.stderr))).toMatchObject({ code: 0, stdout: '' })
    expect((await readAudit(service, made.stdout)).status).toBe(401)
    expect(await token('--revoke', idIn(made.stderr))).toMatchObject({ code: 2, stdout: '' })
    expect(await token('--list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'There are no tokens for programs.\n',
    })
  })

  it('reports errors in the same words with and without a service', async () => {
    await using service = await serve()
    expect(service.url).toMatch(/^http/)
    for (const args of [
      ['--user', 'mallory'],
      ['--user', 'operator'],
    ]) {
      expect(await token(...args)).toEqual({
        code: 2,
        stdout: '',
        stderr: `umpire: No user called ${args[1]} has signed in yet: let them sign in first.\n`,
      })
    }
    expect(await token('--revoke', '../status')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching('There is no active token ../status'),
    })
    const migrate = await runUmpire(['migrate'], { cwd: site.dataDir, env: site.env })
    expect(migrate).toMatchObject({ code: 3, stdout: '' })
    expect(migrate.stderr).toMatch(/is in use by the process \d+\. Stop it first/)
  })

  it('opens the socket for its owner only and replaces a stale one', async () => {
    {
      await using service = await serve()
      expect(service.url).toMatch(/^http/)
    }
    expect(existsSync(socketOf())).toBe(true)
    expect(await token('--admin')).toMatchObject({ code: 0, stdout: expect.stringMatching(oneJwt) })
    await using again = await serve()
    const made = await token('--admin', '--name', 'second')
    expect((await readAudit(again, made.stdout)).status).toBe(200)
    expect(lstatSync(socketOf())).toMatchObject({ mode: 0o140600 })
    again.signal('SIGTERM')
    expect(await again.exited).toMatchObject({ code: 0 })
    expect(existsSync(socketOf())).toBe(false)
  })

  it('reports a path too long for a socket while the service works', async () => {
    const dataDir = join(site.dataDir, 'x'.repeat(100))
    mkdirSync(dataDir)
    await using service = await serve({ DATA_DIR: dataDir })
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    const [line] = service.logLines(
      "The control socket could not be opened: commands can't reach this process (its " +
        'path is longer than 107 bytes; choose a DATA_DIR with a shorter one)',
    )
    expect(line).toBeDefined()
    const env = { ...site.env, DATA_DIR: dataDir }
    const result = await runUmpire(['token', '--admin'], { cwd: site.dataDir, env })
    expect(result).toMatchObject({ code: 3, stdout: '' })
    expect(result.stderr).toMatch(/is in use by the process \d+/)
  })
})

describeOnSite('without a service', () => {
  it("shows everything with an administrator's token", async () => {
    const made = await token('--admin', '--name', 'ci')
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(oneJwt) })
    expect(made.stderr).toMatch(/acts as operator, which sees all, until/)
    await using service = await serve()
    const alice = await signInWithToken(service, 'ghp_token_of_alice')
    const me = await fetch(`${service.url}/auth/me`, { headers: alice.cookie })
    expect(await me.json()).toMatchObject({ login: 'alice', is_admin: true })
    // The log includes actions of other users.
    expect((await readAudit(service, made.stdout)).body).toMatch(
      /"login":"alice","action":"signed_in"/,
    )
    const ofAlice = await token('--user', 'alice', '--admin')
    expect(ofAlice.stderr).toMatch(/acts as alice, which sees all/)
    expect((await readAudit(service, ofAlice.stdout)).status).toBe(200)
  })
})

describe('arguments', () => {
  it.each([
    [[], 'choose who the token acts as: --user <login>, --admin, or both'],
    [['--admin', '--days', '366'], '--days must be a whole number from 1 to 365'],
    [['--admin', '--name', 'a\nb'], '--name must have 1 to 100 characters'],
    [['--admin', '--list'], 'give either options of a new token, or --list, or --revoke'],
    [['--usr', 'alice'], 'there is no option --usr; did you mean --user?'],
  ])('usage: %j', async (args, said) => {
    const { code, stdout, stderr } = await runUmpire(['token', ...args], { cwd: folder, env: {} })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`umpire: ${said}`)
    expect(stderr).toMatch(/[.?] See umpire token --help\.\n$/)
  })

  it('prints its help', async () => {
    const { code, stdout } = await runUmpire(['token', '--help'], { cwd: folder, env: {} })
    expect(stdout).toMatch(/^Usage: umpire token /)
    expect(code).toBe(0)
  })
})

it.skipIf(process.env.TEST_DATABASE_URL === undefined)(
  'opens the database itself on a PostgreSQL server',
  async () => {
    await using server = await createServiceStorage({ engine: 'postgresql' })
    const env = { ...forgeEnvironment(forge), ...publicUrl }
    await using service = await startUmpireProcess(server, { args: ['--no-worker'], env })
    const url = service.url as string
    const run = (settings: Record<string, string>, ...args: string[]) =>
      runUmpire(['token', ...args], { cwd: server.dataDir, env: { ...server.env, ...settings } })
    const made = await run(publicUrl, '--admin')
    expect((await readAudit({ url }, made.stdout)).status).toBe(200)
    expect((await run(publicUrl, '--list')).stdout).toContain(idIn(made.stderr))
    // The command needs the address and the key of the service.
    const elsewhere = await run({}, '--admin')
    expect((await readAudit({ url }, elsewhere.stdout)).status).toBe(401)
    const otherKey = await run(
      { ...publicUrl, SECRET_KEY: 'another key of the tests of 32 letters' },
      '--admin',
    )
    expect((await readAudit({ url }, otherKey.stdout)).status).toBe(401)
  },
)
