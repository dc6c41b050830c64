// Tests named API tokens and the audit log on each database engine.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountScenario,
  aliceToken,
  bobToken,
  startAccountScenario,
} from '../account-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'

let scene: AccountScenario
let alice: SignedInUser
let bob: SignedInUser
beforeAll(async () => {
  scene = await startAccountScenario()
  alice = await signInWithToken(scene.app, aliceToken)
  bob = await signInWithToken(scene.app, bobToken)
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Answer {
  status: number
  body: {
    detail?: string
    id?: string
    token?: string
    expires_at?: string
    tokens?: { id: string; name: string; last_used_at: string | null }[]
    entries?: { id: number; created_at: string; login: string; action: string; subject: string }[]
    next?: number | null
  }
}

async function call(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json' }
  const init = {
    method,
    headers: { ...headers, ...type },
    body: body === undefined ? null : JSON.stringify(body),
  }
  const response = await fetch(scene.app.url + path, init)
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

const createToken = (person: SignedInUser, body: unknown) =>
  call('POST', '/api/v1/tokens', person.cookie, body)
const revoke = (person: SignedInUser, id: string) =>
  call('DELETE', `/api/v1/tokens/${id}`, person.cookie)
const namesOf = async (person: SignedInUser) =>
  (await call('GET', '/api/v1/tokens', person.cookie)).body.tokens?.map(({ name }) => name)
const useToken = (jwt = '') => call('GET', '/auth/me', { authorization: `Bearer ${jwt}` })

describe('named tokens', () => {
  it('work until they are revoked and are shown only once', async () => {
    const created = await createToken(alice, { name: '  the build ' })
    expect(created).toEqual({
      status: 200,
      body: {
        id: expect.any(String),
        name: 'the build',
        expires_at: expect.any(String),
        token: expect.any(String),
      },
    })
    const { id = '', token = '' } = created.body
    expect(Math.round((Date.parse(created.body.expires_at!) - Date.now()) / 86_400_000)).toBe(90)
    expect((await useToken(token)).body).toMatchObject({ login: 'alice' })

    const { body } = await call('GET', '/api/v1/tokens', alice.cookie)
    expect(body.tokens?.[0]).toEqual({
      id,
      name: 'the build',
      created_at: expect.stringMatching(/Z$/),
      expires_at: created.body.expires_at,
      last_used_at: expect.stringMatching(/Z$/),
    })
    expect(JSON.stringify(body)).not.toContain(token)

    expect(await revoke(alice, id)).toEqual({ status: 200, body: { status: 'revoked', id } })
    expect(await useToken(token)).toEqual({ status: 401, body: { detail: 'Unauthorized' } })
    expect(await revoke(alice, id)).toEqual({ status: 404, body: { detail: 'Token not found' } })
    expect(await namesOf(alice)).not.toContain('the build')
  })

  it('outlive the session that created them and expire on time', async () => {
    const session = await signInWithToken(scene.app, aliceToken)
    const { token, id = '' } = (await createToken(session, { name: 'longer', expires_in_days: 1 }))
      .body
    await call('POST', '/auth/logout', session.cookie)
    expect((await useToken(token)).status).toBe(200)
    await scene.app.db
      .updateTable('tokens')
      .set({ expiresAt: new Date(0) })
      .where('id', '=', id)
      .execute()
    expect((await useToken(token)).status).toBe(401)
    expect(await namesOf(alice)).not.toContain('longer')
    expect((await revoke(alice, id)).status).toBe(404)
  })

  it('cannot create, list or revoke tokens', async () => {
    const { id, token } = (await createToken(alice, { name: 'no maker' })).body
    const carriers: Record<string, string>[] = [
      { authorization: `Bearer ${token}` },
      { cookie: `access_token=${token}` },
    ]
    for (const headers of carriers) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['DELETE', `/${id}`],
      ] as const) {
        const answer = await call(
          method,
          `/api/v1/tokens${path}`,
          headers,
          method === 'POST' ? { name: 'x' } : undefined,
        )
        expect(answer).toEqual({ status: 401, body: { detail: 'Not authenticated' } })
      }
      expect((await call('POST', '/api/v1/auth/token', headers)).status).toBe(401)
    }
    expect((await useToken(token)).status).toBe(200)
  })

  it('are visible to their owner only', async () => {
    const { id = '' } = (await createToken(alice, { name: 'of alice' })).body
    expect(await namesOf(bob)).toEqual([])
    expect(await revoke(bob, id)).toEqual({ status: 404, body: { detail: 'Token not found' } })
    expect(await namesOf(alice)).toContain('of alice')
  })

  it('do not include browser sessions', async () => {
    const sessions = await scene.app.db
      .selectFrom('tokens')
      .select('id')
      .where('kind', '=', 'session')
      .execute()
    for (const { id } of sessions) expect((await revoke(alice, id)).status).toBe(404)
    expect((await call('GET', '/auth/me', alice.cookie)).status).toBe(200)
  })

  it.each([
    'x',
    '1',
    randomUUID(),
    '-'.repeat(36),
    randomUUID().replaceAll('-', ''),
    '%00',
    '%27%20or%201=1',
    '%F0%9F%92%A5',
  ])('answer 404 for the unknown id %s', async (id) => {
    expect(await revoke(alice, id)).toEqual({ status: 404, body: { detail: 'Token not found' } })
  })

  it.each<[unknown, string]>([
    [{}, 'name must be a string'],
    [{ name: 7 }, 'name must be a string'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'x'.repeat(101) }, 'name must have 100 characters at most'],
    ...[0, 366, 1.5, -1, '30', null, 1e300].map((days): [unknown, string] => [
      { name: 'x', expires_in_days: days },
      'expires_in_days must be a whole number from 1 to 365',
    ]),
  ])('are refused for the request body %j', async (body, detail) => {
    expect(await createToken(alice, body)).toEqual({ status: 422, body: { detail } })
  })

  it('replace characters in a name that the database cannot store', async () => {
    const { id = '' } = (await createToken(bob, { name: 'a\0b\ud800 <script> 💥' })).body
    expect(await namesOf(bob)).toEqual(['a\ufffdb\ufffd <script> 💥'])
    await revoke(bob, id)
  })

  it('are limited to 50 per person, also under concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => createToken(bob, { name: `number ${index}` })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused).toEqual({
      status: 409,
      body: { detail: 'You have 50 tokens: revoke one first' },
    })
    await revoke(bob, answers.find(({ body }) => body.id !== undefined)?.body.id ?? '')
    expect((await createToken(bob, { name: 'the 51st' })).status).toBe(200)
  })
})

describe('the audit log', () => {
  const read = async (query: string, headers: Record<string, string>) =>
    (await call('GET', `/api/v1/audit?${query}`, headers)).body

  const withoutFinding = { title: null, reason: null, review_id: null }

  it('lists a person’s own actions page by page, newest first', async () => {
    const carolToken = 'ghp_token_of_carol'
    scene.forge.createUser('carol', { token: carolToken })
    const carol = await signInWithToken(scene.app, carolToken)
    const { id = '' } = (await createToken(carol, { name: 'one' })).body
    await createToken(carol, { name: 'two' })
    await revoke(carol, id)
    const first = await read('limit=2', carol.cookie)
    expect(first.entries).toEqual([
      {
        id: expect.any(Number),
        created_at: expect.stringMatching(/Z$/),
        login: 'carol',
        action: 'token_revoked',
        subject: 'one',
        ...withoutFinding,
      },
      {
        id: expect.any(Number),
        created_at: expect.stringMatching(/Z$/),
        login: 'carol',
        action: 'token_created',
        subject: 'two',
        ...withoutFinding,
      },
    ])
    expect(first.next).toBe(first.entries?.[1]?.id)
    const rest = await read(`limit=2&before=${first.next}`, carol.bearer)
    expect(rest.entries?.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'token_created one',
      'signed_in ',
    ])
    expect(rest.next).toBeNull()
  })

  it('lists the actions of all users to an administrator', async () => {
    const all = await read('limit=100', alice.cookie)
    expect(new Set(all.entries?.map(({ login }) => login))).toEqual(
      new Set(['alice', 'bob', 'carol']),
    )
    const own = await read('limit=100', bob.cookie)
    expect(new Set(own.entries?.map(({ login }) => login))).toEqual(new Set(['bob']))
  })

  it('retains the actions of a deleted account', async () => {
    await scene.app.db.deleteFrom('users').where('login', '=', 'carol').execute()
    const all = await read('limit=100', alice.cookie)
    expect(all.entries?.map(({ login }) => login)).toContain('carol')
  })

  it.each([
    ['limit=0', 'limit must be a whole number from 1 to 100'],
    ['limit=101', 'limit must be a whole number from 1 to 100'],
    ['limit=', 'limit must be a whole number from 1 to 100'],
    ['limit=1&limit=2', 'limit must be a whole number from 1 to 100'],
    ['before=x', 'before must be a whole number from 1 to 999999999999999'],
  ])('refuses the query %s', async (query, detail) => {
    expect(await read(query, alice.cookie)).toEqual({ detail })
  })

  it('requires a signed-in user', async () => {
    expect((await call('GET', '/api/v1/audit', {})).status).toBe(401)
  })
})
