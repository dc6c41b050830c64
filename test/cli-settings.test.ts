// `umpire settings`: the settings of a checkout, and where each value comes from.
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Forge } from './fakes/forge/forge.ts'
import { type LocalTestRepository, makeLocalRepository } from './local-test-repository.ts'
import { forgeEnvironment, reviewerLogin, startShopForge } from './review-scenario.ts'
import { runUmpire } from './run-umpire.ts'

let forge: Forge
let repository: LocalTestRepository
beforeAll(async () => {
  forge = await startShopForge()
})
afterAll(() => forge[Symbol.asyncDispose]())
beforeEach(async () => {
  repository = await makeLocalRepository()
})
afterEach(() => repository[Symbol.asyncDispose]())

function show(
  args: readonly string[] = [],
  { cwd = repository.folder, env = forgeEnvironment(forge) } = {},
) {
  return runUmpire(['settings', ...args], { cwd, env })
}

const files = {
  '.umpire.yml': 'severity: moderate\nmode: parallel\nrules: { disable: breakpoint }\n',
  'api/.umpire.yml': 'severity: minor\npaths: { exclude: [gen/**] }\n',
  'api/v1/.umpire.yml': 'severity: critical\ninstructions: [Answers are stable.]\n',
}

const linesOf = (stdout: string) => stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))

it('shows the committed settings with their origins, and those of directories', async () => {
  await repository.commit(files)
  await repository.write({ '.umpire.yml': 'severity: critical\n' })
  const { code, stdout, stderr } = await show()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(linesOf(stdout)).toEqual(
    expect.arrayContaining([
      ['severity', 'moderate', '.umpire.yml'],
      ['mode', 'parallel', '.umpire.yml'],
      ['rules.disable', '[breakpoint]', '.umpire.yml'],
      ['language', 'English', 'default'],
      ['policy.max_comments', "the service's", 'default'],
      ['api/: severity', 'minor', 'api/.umpire.yml'],
      ['api/v1/: instructions', '[Answers are stable.]', 'api/v1/.umpire.yml'],
    ]),
  )
})

it('shows those of one path, from any directory of the repository', async () => {
  await repository.commit(files)
  const severityOf = async (path: string, cwd?: string) => {
    const { stdout } = await show([path, '--format', 'json'], cwd === undefined ? {} : { cwd })
    const { settings } = JSON.parse(stdout) as { settings: { key: string; value: unknown }[] }
    return settings.filter(({ key }) => key === 'severity').map(({ value }) => value)
  }
  expect(await severityOf('src/a.ts')).toEqual(['moderate'])
  expect(await severityOf('api')).toEqual(['minor'])
  expect(await severityOf('v1/a.ts', join(repository.folder, 'api'))).toEqual(['critical'])
  expect(await show(['../outside.ts'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('not in the repository'),
  })
})

it('shows those of the organization of the remote, also after they were removed', async () => {
  await forge.createRepository('acme/.github', { private: true, writers: [reviewerLogin, 'alice'] })
  const settings = { '.umpire.yml': 'gate: []\nlanguage: German\ncolor: red\n' }
  await forge.push('acme/.github', 'main', settings, { author: 'alice' })
  await repository.commit({ '.umpire.yml': 'language: French\n' })
  await repository.git('remote', 'add', 'origin', `${forge.url}/acme/shop.git`)
  const { code, stdout } = await show()
  expect(code).toBe(1)
  expect(linesOf(stdout)).toEqual(
    expect.arrayContaining([
      ['gate', '[]', '.umpire.yml of acme/.github'],
      ['language', 'French', '.umpire.yml'],
      ['.umpire.yml of acme/.github: unknown key `color`.'],
    ]),
  )

  const withoutToken = { ...forgeEnvironment(forge), PLATFORM_TOKEN: '' }
  const unread = await show([], { env: withoutToken })
  expect(unread.code).toBe(0)
  expect(unread.stdout).toContain(
    'The settings of the organization were not read: set PLATFORM_TOKEN.',
  )

  await forge.push('acme/.github', 'main', { '.umpire.yml': null }, { author: 'alice' })
  const removed = await show()
  expect(removed.code).toBe(0)
  expect(removed.stdout).not.toContain('acme/.github')
})

it.each([
  ['git@127.0.0.1:acme/shop.git', true],
  ['ssh://git@127.0.0.1:2222/acme/shop', true],
  ['https://elsewhere.example/acme/shop.git', false],
  ['git@elsewhere.example:acme/shop.git', false],
  ['/srv/git/acme/shop.git', false],
])('finds the organization in the remote %s: %s', async (url, isFound) => {
  await repository.commit(files)
  await repository.git('remote', 'add', 'origin', url)
  const { stdout } = await show()
  expect(stdout.includes('is not a repository at')).toBe(!isFound)
})

it('reports problems in files with exit code 1', async () => {
  await repository.commit({ '.umpire.yml': 'sevirity: minor\n', 'api/.umpire.yml': 'gate: []\n' })
  const { code, stdout } = await show()
  expect(code).toBe(1)
  expect(stdout).toContain('.umpire.yml: unknown key `sevirity` (did you mean `severity`?).')
  expect(stdout).toContain(
    'api/.umpire.yml: `gate` applies to whole repositories, not directories.',
  )
})
