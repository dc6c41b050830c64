// Tests that a lost secret key is reported and reviews wait for it, on each database engine.
import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { aliceToken, publicUrl, startAccountForge } from '../account-scenario.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { silentLog, testEngine } from '../fakes/test-database.ts'
import { forgeEnvironment, repo } from '../review-scenario.ts'
import { runUmpire } from '../run-umpire.ts'
import { signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, sign } from '../start-app.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
} from '../start-umpire-process.ts'

let forge: Forge
let site: ServiceStorage
let hookSecret: string
let number: number

const keyFile = () => join(site.dataDir, 'secret-key')
const backup = () => join(site.dataDir, 'backup')

/** There is no token of the deployment, so reviews need the stored token of a person. */
const environment = (): Record<string, string> => ({
  ...forgeEnvironment(forge),
  ...site.env,
  ...{ PUBLIC_URL: publicUrl, PLATFORM_TOKEN: '', MEMORY: 'off', GRAPH: 'off' },
})

let replacedKey: Record<string, string> = {}

function loseKey(): void {
  if (testEngine === 'embedded') rmSync(keyFile())
  else replacedKey = { SECRET_KEY: 'another key than the one that is lost' }
}

function restoreKey(): void {
  if (testEngine === 'embedded') copyFileSync(backup(), keyFile())
  replacedKey = {}
}

const start = (...args: string[]) =>
  startUmpireProcess(site, { args, env: { ...environment(), ...replacedKey } })
const umpire = (...args: string[]) =>
  runUmpire(args, { cwd: site.dataDir, env: { ...environment(), ...replacedKey } })

async function query<T>(read: (db: Db) => Promise<T>): Promise<T> {
  await using open = await openDatabase(site.database, silentLog)
  return await read(open.db)
}

async function stop(service: Awaited<ReturnType<typeof start>>): Promise<void> {
  service.signal('SIGTERM')
  expect(await service.exited).toMatchObject({ code: 0 })
}

async function readReadiness(url: string | null) {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, body: await response.json() }
}

const unready = {
  status: 503,
  body: { detail: 'Not ready: the secret key does not open stored tokens; see umpire doctor' },
}
const warning =
  'Stored tokens were encrypted with another secret key: restore that key, or run umpire doctor'

beforeEach(async () => {
  replacedKey = {}
  ;({ forge } = await startAccountForge())
  site = await createServiceStorage()
  await forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 1\n' }, { author: 'alice' })
  number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  {
    await using service = await start('--no-worker')
    const { bearer } = await signInWithToken({ url: service.url as string }, aliceToken)
    const connected = await fetch(`${service.url}/api/v1/repos/${repo}/install`, {
      method: 'POST',
      headers: bearer,
    })
    expect(connected.status).toBe(200)
    expect(await readReadiness(service.url)).toMatchObject({ status: 200 })
    await stop(service)
  }
  hookSecret = await query(async (db) => {
    const row = await db
      .selectFrom('installations')
      .select('webhookSecret')
      .executeTakeFirstOrThrow()
    return row.webhookSecret
  })
  if (testEngine === 'embedded') copyFileSync(keyFile(), backup())
})
afterEach(async () => {
  await forge[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function deliver(url: string | null): Promise<number> {
  const body = JSON.stringify(pullRequestPayload({ repo, number }))
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': sign(body, hookSecret),
  }
  return (await fetch(`${url}/api/v1/webhooks/host`, { method: 'POST', body, headers })).status
}

it('reports the lost key, makes reviews wait, and resumes once it is restored', {
  timeout: 120_000,
}, async () => {
  loseKey()
  {
    await using service = await start()
    expect(service.logLines(warning)).toMatchObject([{ level: 40, tokens: 1 }])
    expect(await readReadiness(service.url)).toEqual(unready)
    expect(await deliver(service.url)).toBe(200)
    await service.waitForLog('The review waits for the operator')
    const doctor = await umpire('doctor', '--format', 'json')
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { name: string; state: string; message: string }[]
    }
    expect(
      checks.filter(({ name, state }) => name === 'secret key' && state === 'problem'),
    ).toMatchObject([
      {
        message: expect.stringContaining('1 stored platform token was encrypted with another key'),
      },
    ])
    await stop(service)
  }
  await query(async (db) => {
    const run = await db.selectFrom('workflowRuns').selectAll().executeTakeFirstOrThrow()
    expect(run).toMatchObject({ status: 'pending', attempts: 0, errorCode: 'secret_key_lost' })
    expect(run.error).toContain('with the current secret key: restore the key')
    expect(await db.selectFrom('events').select('status').execute()).toEqual([
      { status: 'pending' },
    ])
    // This makes the retry due, as a minute later.
    await sql`update work_items set due_at = now() - interval '1 minute'`.execute(db)
  })
  restoreKey()
  await using service = await start()
  expect(await readReadiness(service.url)).toMatchObject({ status: 200 })
  expect(service.logLines(warning)).toEqual([])
  await service.waitForLog('The review is done')
  await stop(service)
  const run = await query((db) =>
    db.selectFrom('workflowRuns').select('status').executeTakeFirstOrThrow(),
  )
  expect(run).toEqual({ status: 'completed' })
})

it('deletes unreadable tokens on `umpire token --forget-lost`', async () => {
  loseKey()
  await using service = await start('--no-worker')
  expect(await readReadiness(service.url)).toEqual(unready)
  const { code, stderr } = await umpire('token', '--forget-lost')
  expect([code, stderr]).toEqual([0, '1 stored platform token deleted.\n'])
  expect(await readReadiness(service.url)).toMatchObject({ status: 200 })
  expect((await umpire('token', '--forget-lost')).stderr).toBe(
    '0 stored platform tokens deleted.\n',
  )
})

it('is ready again after all people with a lost token signed in', async () => {
  loseKey()
  await using service = await start('--no-worker')
  expect(await readReadiness(service.url)).toEqual(unready)
  await signInWithToken({ url: service.url as string }, aliceToken)
  expect(await readReadiness(service.url)).toMatchObject({ status: 200 })
})
