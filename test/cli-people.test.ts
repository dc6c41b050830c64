// `umpire people`, which lists and deletes the people who signed in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import type { Forge } from './fakes/forge/forge.ts'
import { silentLog } from './fakes/test-database.ts'
import { forgeEnvironment, startShopForge } from './review-scenario.ts'
import { runUmpire } from './run-umpire.ts'
import { signInWithToken } from './sign-in.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
} from './start-umpire-process.ts'

let forge: Forge
let site: ServiceStorage
beforeAll(async () => {
  forge = await startShopForge()
  forge.createUser('bob', { token: 'ghp_token_of_bob' })
  site = await createServiceStorage()
})
afterAll(async () => {
  await forge[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const people = (...args: string[]) => peopleOf(site, ...args)

function peopleOf(storage: ServiceStorage, ...args: string[]) {
  const env = { ...storage.env, ...forgeEnvironment(forge) }
  return runUmpire(['people', ...args], { cwd: storage.dataDir, env })
}

it('lists, promotes and deletes people, with and without a running service', async () => {
  {
    const env = forgeEnvironment(forge)
    await using service = await startUmpireProcess(site, { args: ['--no-worker'], env })
    for (const login of ['alice', 'bob'])
      await signInWithToken({ url: service.url as string }, `ghp_token_of_${login}`)
    const listed = await people()
    expect(listed.stdout).toMatch(
      /^alice \(github\) {2}administrator \(first account\) {2}last seen/,
    )
    expect(listed.stdout).toMatch(
      /\nbob \(github\) {2}no administrator .* 1 session {2}0 API tokens/,
    )

    expect(await people('--delete', 'alice', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('alice is the only administrator who may sign in'),
    })
    expect(await people('--admin', 'bob')).toMatchObject({
      code: 0,
      stderr: 'bob is an administrator now.\n',
    })
    expect(await people('--delete', 'mallory')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing is stored about mallory'),
    })
  }
  const plan = await people('--delete', 'ALICE')
  expect(plan).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is deleted yet') })
  expect((await people()).stdout).toContain('alice')
  const deleted = await people('--delete', 'ALICE', '--yes')
  expect(deleted).toMatchObject({ code: 0, stderr: 'ALICE is deleted.\n' })
  expect((await people()).stdout).toMatch(/^bob \(github\) {2}administrator \(by operator\)/)
})

it('deletes nobody while two accounts have the name', async () => {
  await using storage = await createServiceStorage()
  const accounts = ['1001', '1002'].map((platformUserId) => ({
    platform: 'github',
    platformUserId,
    login: 'eve',
    encryptedToken: null,
  }))
  {
    // The second one took the username that the first one gave up.
    await using database = await openDatabase(storage.database, silentLog)
    await database.db.insertInto('users').values(accounts).execute()
  }
  expect(await peopleOf(storage, '--delete', 'eve', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Two accounts were called eve when they last signed in'),
  })
  expect((await peopleOf(storage)).stdout.match(/^eve /gm)).toHaveLength(2)
})

describe('arguments', () => {
  it.each([
    [['--admin', 'a', '--delete', 'b'], 'give only one of --admin, --no-admin and --delete'],
    [['--yes'], '--yes needs --delete <login>'],
    [['--delete', ''], 'give a username of the code-hosting platform'],
  ])('usage: %j', async (args, message) => {
    const { code, stderr } = await people(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
