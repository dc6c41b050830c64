// Tests the check of a settings file: errors with positions, and the settings that would apply.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConnectScenario, type Person, startConnectScenario } from '../connect-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'

let scene: ConnectScenario
const people = new Map<Person, SignedInUser>()
beforeAll(async () => {
  scene = await startConnectScenario({ parts: { web: true, worker: false } })
  for (const person of ['alice', 'bob'] as const)
    people.set(person, await signInWithToken(scene.app, `ghp_token_of_${person}`))
})
afterAll(() => scene[Symbol.asyncDispose]())

async function check(person: Person, body: unknown) {
  const response = await fetch(`${scene.app.url}/api/v1/settings/check`, {
    method: 'POST',
    headers: { ...people.get(person)!.bearer, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  return { status: response.status, body: (await response.json()) as any }
}

const wrong = `# Ours
severty: moderate
policy:
  max_comments: 99
  moderate: discuss
rules:
  disable:
    - breakpoint
    - nan-comparsion
paths: { exclude: ["a/**", 3, "b/**"] }
`

it('reports errors with line and column, and the closest match of unknown keys', async () => {
  const { status, body } = await check('alice', { text: wrong })
  expect(status).toBe(200)
  expect(body.problems).toEqual([
    { message: 'unknown key `severty` (did you mean `severity`?)', line: 2, column: 1 },
    {
      message: '`policy.max_comments` must be a whole number from 0 to 30',
      line: 4,
      column: 3,
    },
    {
      message: 'there is no rule `nan-comparsion` (did you mean `nan-comparison`?)',
      line: 9,
      column: 7,
    },
    {
      message: '`paths.exclude` must be a glob such as `docs/**`',
      line: 10,
      column: 28,
    },
  ])
  const findSetting = (key: string) =>
    body.settings.find((setting: { key: string }) => setting.key === key)
  expect(findSetting('rules.disable')).toMatchObject({
    value: ['breakpoint', 'nan-comparsion'],
    file: { path: '.umpire.yml' },
  })
  expect(findSetting('severity')).toMatchObject({ value: 'minor', file: null })
  expect(findSetting('paths.exclude')).toMatchObject({ value: ['a/**', 'b/**'] })
})

it('reports what is not YAML, and keys that directories cannot set', async () => {
  const { body } = await check('alice', { text: 'a: 1\nb: [1, 2\nc: 3\n' })
  expect(body.problems).toMatchObject([
    { message: expect.stringContaining('it is not YAML that can be read'), line: 3 },
  ])
  const inner = await check('alice', {
    text: 'severity: critical\nmode: static\n',
    directory: 'db',
  })
  expect(inner.body).toMatchObject({
    path: 'db/.umpire.yml',
    problems: [
      { message: '`mode` applies to whole repositories, not directories', line: 2, column: 1 },
    ],
  })
  expect((await check('alice', { text: '' })).body.problems).toEqual([])
})

it('checks the file of a repository, with what it inherits, only for those who see it', async () => {
  const repo = await scene.createRepository()
  const files = {
    '.umpire.yml': 'severity: critical\nmod: static\n',
    'db/.umpire.yml': 'paths: {}',
  }
  await scene.forge.push(repo, 'main', files, { author: 'alice' })
  expect((await scene.connect('alice', repo)).status).toBe(200)
  await scene.forge.createRepository('acme/.github', { admins: ['alice'] })
  const organization = { '.umpire.yml': 'mode: static\nseverity: moderate\n' }
  await scene.forge.push('acme/.github', 'main', organization, { author: 'alice' })

  const own = await check('alice', { repo })
  expect(own.body).toMatchObject({
    repo,
    text: files['.umpire.yml'],
    problems: [{ message: 'unknown key `mod` (did you mean `mode`?)', line: 2, column: 1 }],
  })
  const pasted = await check('alice', { repo, text: 'severity: minor\n' })
  const originOf = (key: string) => {
    const setting = pasted.body.settings.find((one: { key: string }) => one.key === key)
    return { value: setting.value, repo: setting.file?.repo }
  }
  expect(pasted.body.problems).toEqual([])
  expect(originOf('severity')).toEqual({ value: 'minor', repo: null })
  expect(originOf('mode')).toEqual({ value: 'static', repo: 'acme/.github' })

  const refused = { detail: 'Repo not connected or access denied' }
  expect(await check('bob', { repo })).toEqual({ status: 403, body: refused })
  expect((await check('alice', { repo: 'x' })).status).toBe(400)
})

it('bounds what it reads, and requires a signed-in user', async () => {
  expect((await check('alice', { text: 'a'.repeat(64 * 1024 + 1) })).status).toBe(422)
  expect((await check('alice', { text: '\n'.repeat(300_000) })).status).toBe(413)
  expect((await check('alice', { text: 'a', more: 1 })).status).toBe(422)
  const deep = await check('alice', { text: '['.repeat(60_000) })
  expect(deep.body.problems).toMatchObject([{ line: null, column: null }])
  const many = Array.from({ length: 1200 }, (_, index) => `k${index}: 1`).join('\n')
  expect((await check('alice', { text: many })).body.problems).toHaveLength(100)
  const response = await fetch(`${scene.app.url}/api/v1/settings/check`, { method: 'POST' })
  expect(response.status).toBe(401)
})
