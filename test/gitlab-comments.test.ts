// Which comments on merge requests of GitLab count as new ones of people.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import type { Platform } from '../src/platforms/platform.ts'
import { type Forge, replyWith, startForge } from './fakes/forge/forge.ts'

const path = 'acme/shop'
const token = 'glpat-0123456789abcdefghij'
const access = { repo: path, token }
/** A person may have such a name: GitLab only gives it to the accounts of access tokens, too. */
const person = 'project_1_bot_x'

let forge: Forge
let platform: Platform
beforeAll(async () => {
  forge = await startForge({ dialect: 'gitlab' })
  forge.createUser('umpire', { token })
  forge.createUser('alice', { token: 'glpat-of-alice0123456789' })
  forge.createUser(person, { token: 'glpat-of-person0123456789' })
  forge.createUser('helper', { type: 'Bot' })
  await forge.createRepository(path, { admins: ['umpire', 'alice'], writers: [person] })
  await forge.push(path, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  platform = createPlatform({
    id: 'gitlab',
    url: forge.url,
    apiUrl: forge.apiUrl,
    oauth: null,
    userAgent: 'umpire-test',
    timeoutMs: 5000,
  })
})
afterAll(() => forge[Symbol.asyncDispose]())

let topics = 0
async function open(): Promise<{ number: number; since: Date }> {
  const branch = `topic-${++topics}`
  await forge.push(path, branch, { [`${branch}.ts`]: 'new\n' }, { author: 'alice' })
  const number = await forge.openPullRequest({ repo: path, head: branch, author: 'alice' })
  const { createdAt } = await platform.getPullRequest(access, number)
  return { number, since: new Date(createdAt) }
}

/** Calls GitLab's API as alice. */
async function call(method: string, address: string, body?: object): Promise<void> {
  const response = await fetch(`${forge.apiUrl}/projects/acme%2Fshop/${address}`, {
    method,
    headers: {
      authorization: 'Bearer glpat-of-alice0123456789',
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
}

async function list(since: Date, number: number) {
  const { comments, isComplete } = await platform.listComments(access, since)
  const own = comments.filter((one) => one.number === number)
  return { bodies: own.map(({ body }) => body), isComplete }
}

describe('a comment', () => {
  it('with a reaction was not edited, even if the reaction was removed again', async () => {
    const { number, since } = await open()
    const ids = ['first', 'second', 'third'].map((body) =>
      forge.comment(path, number, 'alice', body),
    )
    forge.shiftClock(2000)
    const at = (id: number) => `merge_requests/${number}/notes/${id}`
    await call('POST', `${at(ids[0]!)}/award_emoji`, { name: 'thumbsup' })
    await call('PUT', at(ids[1]!), { body: 'edited' })
    await call('POST', `${at(ids[1]!)}/award_emoji`, { name: 'thumbsup' })
    expect(await list(since, number)).toEqual({ bodies: ['first', 'third'], isComplete: true })
  })

  it('counts as edited if GitLab does not say by whom', async () => {
    const { number, since } = await open()
    const id = forge.comment(path, number, 'alice', 'text')
    forge.shiftClock(2000)
    await call('POST', `merge_requests/${number}/notes/${id}/award_emoji`, { name: 'eyes' })
    for (const answer of [
      replyWith(403, { message: '403 Forbidden' }),
      replyWith(200, { errors: [{ message: "Field 'note' doesn't exist" }] }),
      replyWith(200, { data: { note: null } }),
    ]) {
      const match = ({ path: address }: { path: string }) => address === '/api/graphql'
      const remove = forge.faults.add({ match, action: answer })
      expect(await list(since, number)).toEqual({ bodies: [], isComplete: true })
      remove()
    }
    expect(await list(since, number)).toEqual({ bodies: ['text'], isComplete: true })
  })

  it('is of a bot if GitLab says so, whatever the account is called', async () => {
    const { number, since } = await open()
    forge.comment(path, number, person, 'of a person')
    forge.comment(path, number, 'helper', 'of a bot')
    expect(await list(since, number)).toEqual({ bodies: ['of a person'], isComplete: true })
  })

  it('is listed although those of another merge request can not be read', async () => {
    const broken = await open()
    const { number } = await open()
    forge.comment(path, broken.number, 'alice', 'hidden')
    forge.comment(path, number, 'alice', 'visible')
    for (const status of [404, 500]) {
      const remove = forge.faults.add({
        match: (request) => request.path.endsWith(`/merge_requests/${broken.number}/notes`),
        action: replyWith(status, { message: 'broken' }),
      })
      const listed = await list(broken.since, number)
      expect(listed).toEqual({ bodies: ['visible'], isComplete: false })
      remove()
    }
    expect(await list(broken.since, broken.number)).toEqual({
      bodies: ['hidden'],
      isComplete: true,
    })
  })

  it('is not searched for any further when GitLab limits the requests', async () => {
    const { number, since } = await open()
    forge.comment(path, number, 'alice', 'text')
    const remove = forge.faults.add({
      match: (request) => request.path.endsWith('/notes'),
      action: replyWith(429, { message: 'Retry later' }),
    })
    await expect(list(since, number)).rejects.toMatchObject({ code: 'platform_rate_limited' })
    remove()
  })
})
