// Platform tokens that people store, and the rotation of the secret key.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/read-config.ts'
import { aliceToken, bobToken, secretKey, startAccountForge } from '../account-scenario.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { createTestDatabase, type TestDatabase } from '../fakes/test-database.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

let forge: Forge
let env: Record<string, string>
let database: TestDatabase
beforeAll(async () => {
  ;({ forge, env } = await startAccountForge())
  database = await createTestDatabase()
})
afterAll(async () => {
  await forge[Symbol.asyncDispose]()
  await database.dispose()
})

const start = (more: Record<string, string> = {}) =>
  startTestApp({ database, env: { ...env, ...more }, parts: { web: true, worker: false } })

const newKey = 'another secret key of the tests with 32 characters and more'
const expired = {
  status: 401,
  body: { detail: 'Session expired — please log out and sign in again.' },
}

/** Sends a request that needs the caller's platform token. */
async function connect(app: TestApp, { bearer }: SignedInUser) {
  const address = `${app.url}/api/v1/repos/acme/shop/install`
  const response = await fetch(address, { method: 'POST', headers: bearer })
  const answer = { status: response.status, body: (await response.json()) as { detail?: string } }
  if (response.ok) await fetch(address, { method: 'DELETE', headers: bearer })
  return answer
}

const readSealed = async (app: TestApp, login: string) =>
  (
    await app.db
      .selectFrom('users')
      .select('encryptedToken')
      .where('login', '=', login)
      .executeTakeFirstOrThrow()
  ).encryptedToken!

const writeSealed = (app: TestApp, login: string, encryptedToken: Buffer | null) =>
  app.db.updateTable('users').set({ encryptedToken }).where('login', '=', login).execute()

it('case 24: refuses a stored token that was changed or swapped', async () => {
  await using app = await start()
  const [alice, bob] = [
    await signInWithToken(app, aliceToken),
    await signInWithToken(app, bobToken),
  ]
  expect((await connect(app, alice)).status).toBe(200)
  expect((await connect(app, bob)).status).toBe(200)
  const [ofAlice, ofBob] = [await readSealed(app, 'alice'), await readSealed(app, 'bob')]
  expect(ofAlice.includes(aliceToken)).toBe(false)

  await writeSealed(app, 'alice', ofBob)
  await writeSealed(app, 'bob', ofAlice)
  expect(await connect(app, alice)).toEqual(expired)
  expect(await connect(app, bob)).toEqual(expired)

  // This changes a byte of each part: version, key, nonce, tag and text.
  for (const at of [0, 1, 8, 9, 20, 21, 36, 37, ofAlice.length - 1]) {
    const changed = Buffer.from(ofAlice)
    changed[at]! ^= 1
    await writeSealed(app, 'alice', changed)
    expect(await connect(app, alice), `byte ${at}`).toEqual(expired)
  }
  for (const broken of [Buffer.alloc(0), ofAlice.subarray(0, 20), ofAlice.subarray(0, -1), null]) {
    await writeSealed(app, 'alice', broken)
    expect(await connect(app, alice)).toEqual(expired)
  }
  await writeSealed(app, 'alice', ofAlice)
  expect((await connect(app, alice)).status).toBe(200)

  await writeSealed(app, 'alice', ofBob)
  const again = await signInWithToken(app, aliceToken)
  expect((await connect(app, again)).status).toBe(200)
})

it('a new secret key keeps the sessions and tokens of the old one', async () => {
  let alice: SignedInUser
  let sealed: Buffer
  {
    await using app = await start()
    alice = await signInWithToken(app, aliceToken)
    sealed = await readSealed(app, 'alice')
  }
  const meStatus = async (app: TestApp) =>
    (await fetch(`${app.url}/auth/me`, { headers: alice.cookie })).status
  {
    await using app = await start({
      SECRET_KEY: newKey,
      SECRET_KEYS_OLD: `${secretKey},${'x'.repeat(32)}`,
    })
    expect(await meStatus(app)).toBe(200)
    expect((await connect(app, alice)).status).toBe(200)
    const renewed = await readSealed(app, 'alice')
    expect(renewed.equals(sealed)).toBe(false)
    const fresh = await signInWithToken(app, bobToken)
    expect(fresh.session.split('.')[0]).not.toBe(alice.session.split('.')[0])
  }
  {
    // Without the old key, its sessions end. What was encrypted again stays readable.
    await using app = await start({ SECRET_KEY: newKey })
    expect(await meStatus(app)).toBe(401)
    const resealed = await readSealed(app, 'alice')
    alice = await signInWithToken(app, aliceToken)
    await writeSealed(app, 'alice', resealed)
    expect((await connect(app, alice)).status).toBe(200)
  }
  {
    // With an unrelated key, signing in works, but stored tokens cannot be read.
    await using app = await start({ SECRET_KEY: 'y'.repeat(32) })
    expect(await meStatus(app)).toBe(401)
    alice = await signInWithToken(app, aliceToken)
    expect((await connect(app, alice)).status).toBe(200)
    await writeSealed(app, 'alice', await readSealed(app, 'bob'))
    expect(await connect(app, alice)).toEqual(expired)
  }
})

it.each([
  ['SECRET_KEY', 'x'.repeat(31)],
  ['SECRET_KEY', `${'x'.repeat(31)} `],
  ['SECRET_KEY', `${'x'.repeat(16)},${'x'.repeat(16)}`],
  ['SECRET_KEYS_OLD', 'x'.repeat(31)],
  ['SECRET_KEYS_OLD', `${'x'.repeat(32)},`],
  ['SECRET_KEYS_OLD', `${'x'.repeat(32)},${' '.repeat(40)}`],
])('refuses a key that could be guessed: %s=%j', async (name, value) => {
  await expect(readConfig({ [name]: value })).rejects.toThrow(new RegExp(`${name} must`))
})
