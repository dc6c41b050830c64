// Tests that the GitHub adapter asks conditionally for what it knows, and shares it with no token.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import type { Platform } from '../src/platforms/platform.ts'
import { type Forge, startForge } from './fakes/forge/forge.ts'

const repo = 'octo/hello'
const accessOf = (login: string) => ({ repo, token: `token-of-${login}` })
let forge: Forge
let platform: Platform

beforeEach(async () => {
  forge = await startForge()
  for (const login of ['octo', 'alice', 'bob'])
    forge.createUser(login, { token: accessOf(login).token })
  await forge.createRepository(repo, { private: true, writers: ['alice'] })
  await forge.push(repo, 'main', { 'settings.yml': 'one\n' })
  const { url, apiUrl } = forge
  platform = createPlatform({ id: 'github', url, apiUrl, oauth: null, userAgent: 'umpire-test' })
})
afterEach(() => forge[Symbol.asyncDispose]())

const statuses = () => forge.requests.map(({ status }) => status)
const sentTags = () =>
  forge.requests.map(({ headers }) => headers['if-none-match']).filter((tag) => tag !== undefined)

it('returns the known response when the platform says that it has not changed', async () => {
  const first = await platform.getRepository(accessOf('alice'))
  const { remaining } = forge.rateLimit
  expect(await platform.getRepository(accessOf('alice'))).toEqual(first)
  expect([statuses(), forge.rateLimit.remaining]).toEqual([[200, 304], remaining])
})

it('returns what has changed, and what a token lost access to is gone', async () => {
  const access = accessOf('alice')
  const readSettings = async () =>
    Buffer.from((await platform.getFile(access, 'settings.yml', 'main')) ?? []).toString()
  expect([await readSettings(), await readSettings()]).toEqual(['one\n', 'one\n'])
  await forge.push(repo, 'main', { 'settings.yml': 'two\n' })
  expect([await readSettings(), await readSettings()]).toEqual(['two\n', 'two\n'])
  expect(statuses()).toEqual([200, 304, 200, 304])
  forge.setPermission(repo, 'alice', 'none')
  expect(await readSettings()).toBe('')
})

it('asks with another token as if nothing were known', async () => {
  await platform.getRepository(accessOf('alice'))
  await expect(platform.getRepository(accessOf('bob'))).rejects.toMatchObject({
    code: 'platform_not_found',
  })
  expect((await platform.getRepository(accessOf('octo'))).admin).toBe(true)
  expect(sentTags()).toEqual([])
})

it('takes the headers of the newer response', async () => {
  const { token } = accessOf('alice')
  const clocks = [await platform.inspect(token), await platform.inspect(token)]
  expect(clocks.map(({ now }) => now)).toEqual([expect.any(Date), expect.any(Date)])
  expect(statuses()).toEqual([200, 304])
})

it('keeps nothing of a commit, which does not change', async () => {
  const sha = await forge.push(repo, 'topic', { 'settings.yml': 'three\n' })
  const read = () => platform.getFile(accessOf('alice'), 'settings.yml', sha)
  expect(await read()).toEqual(await read())
  expect(sentTags()).toEqual([])
})
