// The code hosts of a database: it isn't used for others, whose names would be the same.
import { describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../fakes/test-database.ts'
import { runUmpire } from '../run-umpire.ts'
import { startTestApp } from '../start-app.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

/** Nothing listens there, and nothing is requested when the service starts. */
const urlOf = { github: 'http://127.0.0.1:1', work: 'http://127.0.0.1:2' }
const moved = 'http://127.0.0.1:3'
const everything = { web: true, worker: true }

type Environment = Record<string, string>
const secrets = { SECRET_KEY: '0123456789abcdef'.repeat(4) }
const githubFirst: Environment = {
  ...secrets,
  PLATFORMS: 'github,work=gitea',
  PLATFORM_URL: urlOf.github,
  PLATFORM_URL_WORK: urlOf.work,
}
const workFirst: Environment = {
  ...secrets,
  PLATFORMS: 'work=gitea,github',
  PLATFORM_URL: urlOf.work,
  PLATFORM_URL_GITHUB: urlOf.github,
}
const workAlone: Environment = { ...secrets, PLATFORM: 'gitea', PLATFORM_URL: urlOf.work }

async function openTestDatabase() {
  const database = await createTestDatabase()
  return { database, [Symbol.asyncDispose]: () => database.dispose() }
}

async function start(database: TestDatabase, env: Environment, parts = everything): Promise<void> {
  await (await startTestApp({ env, database, parts }))[Symbol.asyncDispose]()
}

const refusal =
  `The first code host of this database is github (${urlOf.github}), and not work: everything ` +
  'that is stored without the id of a host belongs to it. ' +
  'Put github first in PLATFORMS, or use another database.'

describe('a database', () => {
  it.each([everything, { web: false, worker: true }, { web: true, worker: false }])(
    'is refused for another first host: %o',
    async (parts) => {
      await using held = await openTestDatabase()
      const { database } = held
      await start(database, githubFirst)
      await expect(start(database, workFirst, parts)).rejects.toThrow(refusal)
      await expect(start(database, workAlone, parts)).rejects.toThrow(
        `is github (${urlOf.github}), and not gitea:`,
      )
      // It is unchanged, and further hosts may come and go in any order.
      const { PLATFORM_URL_WORK: _, ...first } = githubFirst
      await start(database, { ...first, PLATFORMS: 'github' }, parts)
      const third = { PLATFORM_URL_THIRD: moved, PLATFORMS: 'github,third=gitea,work=gitea' }
      await start(database, { ...githubFirst, ...third }, parts)
      await start(database, githubFirst, parts)
    },
  )

  it('is refused for another address of a host', async () => {
    await using held = await openTestDatabase()
    const { database } = held
    await start(database, githubFirst)
    for (const [id, name] of [
      ['github', 'PLATFORM_URL'],
      ['work', 'PLATFORM_URL_WORK'],
    ] as const) {
      await expect(start(database, { ...githubFirst, [name]: moved })).rejects.toThrow(
        `The code host ${id} of this database is at ${urlOf[id]}, and not at ${moved}. If the ` +
          `same host has moved there, stop all processes and run umpire migrate --moved ${id}.`,
      )
    }
    const swapped = { PLATFORM_URL: urlOf.work, PLATFORM_URL_WORK: urlOf.github }
    await expect(start(database, { ...githubFirst, ...swapped })).rejects.toThrow('and not at')
  })

  it('from before hosts were stored has those of the configuration', async () => {
    await using held = await openTestDatabase()
    const { database } = held
    const app = await startTestApp({ env: githubFirst, database })
    await app.db.deleteFrom('codeHosts').execute()
    await app[Symbol.asyncDispose]()
    await start(database, workFirst)
    await expect(start(database, githubFirst)).rejects.toThrow('is work')
  })

  it('has one first host when processes with different ones start at once', async () => {
    await using held = await openTestDatabase()
    const { database } = held
    const [one, other] = await Promise.allSettled([
      start(database, githubFirst),
      start(database, workFirst),
    ])
    // Only one process opens an embedded database at a time.
    const isShared = database.config.engine === 'postgresql'
    const failures = [one, other].filter(({ status }) => status === 'rejected')
    expect(failures).toHaveLength(1)
    if (isShared) expect(failures[0]).toMatchObject({ reason: { code: 'config_invalid' } })
  })
})

it('the address of a host that moved is stored by a command, which doctor names', {
  timeout: 120_000,
}, async () => {
  await using site = await createServiceStorage()
  const options = (env: Environment) => ({
    cwd: site.dataDir,
    env: { ...site.env, ...githubFirst, ...env },
  })
  const migrate = (id: string) =>
    runUmpire(['migrate', '--moved', id], options({ PLATFORM_URL_WORK: moved }))
  const inspect = async (env: Environment) => {
    const { stdout } = await runUmpire(['doctor', '--format', 'json'], options(env))
    return JSON.parse(stdout).checks.find((one: { name: string }) => one.name === 'database')
  }
  const early = await migrate('work')
  expect(early.stderr).toContain('The database does not know the code host work')
  expect(early.code).toBe(3)
  {
    await using _ = await startUmpireProcess(site, { env: options({}).env })
  }
  expect(await inspect({ ...workFirst, PLATFORM_URL_WORK: '' })).toMatchObject({
    state: 'problem',
    message: expect.stringContaining(`is github (${urlOf.github}), and not work`),
    remedy: 'Put github first in PLATFORMS, or use another database.',
  })
  expect(await inspect({ PLATFORM_URL_WORK: moved })).toMatchObject({
    state: 'problem',
    remedy: expect.stringContaining('umpire migrate --moved work'),
  })
  expect((await migrate('elsewhere')).stderr).toContain('a configured code host: github, work')
  const stored = await migrate('work')
  expect(stored.stdout).toContain(`The code host work has moved from ${urlOf.work} to ${moved}.`)
  expect(stored.code).toBe(0)
  expect(await inspect({ PLATFORM_URL_WORK: moved })).toMatchObject({ state: 'ok' })
})
