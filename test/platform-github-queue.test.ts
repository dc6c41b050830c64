// Tests of the queue of the GitHub adapter: fairness between accounts, and aborted calls.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import type { Platform } from '../src/platforms/platform.ts'
import { type Forge, type Hold, hold, startForge } from './fakes/forge/forge.ts'

const maxParallelCalls = 12
const tokenOf = (login: string) => `token-of-${login}`
let forge: Forge
let platform: Platform
/** Holds the requests of alice unanswered. */
let held: Hold

beforeEach(async () => {
  forge = await startForge()
  for (const login of ['alice', 'bob']) forge.createUser(login, { token: tokenOf(login) })
  platform = createPlatform({
    id: 'github',
    url: forge.url,
    apiUrl: forge.apiUrl,
    oauth: null,
    userAgent: 'umpire-test',
  })
  held = hold()
  forge.faults.add({ match: ({ login }) => login === 'alice', action: held })
})
afterEach(() => forge[Symbol.asyncDispose]())

const askAsAlice = (times: number, signal?: AbortSignal) =>
  Array.from({ length: times }, () => platform.getViewer(tokenOf('alice'), signal))
const arrived = (login: string | null) =>
  forge.requests.filter((request) => request.login === login).length

it('unanswered calls of one person leave capacity for others', async () => {
  const calls = askAsAlice(40)
  expect(await platform.getViewer(tokenOf('bob'))).toMatchObject({ login: 'bob' })
  await forge.waitFor(() => arrived('alice') === maxParallelCalls)
  // A call without a token is in nobody's queue.
  await platform.inspect(null)
  expect(arrived('alice')).toBe(maxParallelCalls)
  held.release()
  const logins = (await Promise.all(calls)).map(({ login }) => login)
  expect(logins).toEqual(Array(40).fill('alice'))
})

it('calls without a token share one queue', async () => {
  forge.faults.clear()
  const anonymous = hold()
  forge.faults.add({ match: ({ login }) => login === null, action: anonymous })
  const calls = Array.from({ length: 40 }, () => platform.inspect(null))
  expect(await platform.getViewer(tokenOf('bob'))).toMatchObject({ login: 'bob' })
  await forge.waitFor(() => arrived(null) === maxParallelCalls)
  anonymous.release()
  expect(await Promise.all(calls)).toHaveLength(40)
})

it('an aborted call leaves the queue with the reason of its signal', async () => {
  const calls = askAsAlice(maxParallelCalls)
  const controller = new AbortController()
  const waiting = askAsAlice(2 * maxParallelCalls, controller.signal)
  const last = askAsAlice(1)
  await forge.waitFor(() => arrived('alice') === maxParallelCalls)
  const reason = new Error('No longer wanted')
  controller.abort(reason)
  for (const outcome of await Promise.allSettled(waiting))
    expect(outcome).toEqual({ status: 'rejected', reason })
  held.release()
  expect(await Promise.all([...calls, ...last])).toHaveLength(maxParallelCalls + 1)
  expect(arrived('alice')).toBe(maxParallelCalls + 1)
})
