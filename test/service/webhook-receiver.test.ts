// The webhook receiver: signatures, bodies, duplicates, order and unsigned deliveries.
import { once } from 'node:events'
import { connect } from 'node:net'
import { zstdDecompressSync } from 'node:zlib'
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendRaw } from '../raw-request.ts'
import {
  countRows,
  pullRequestPayload,
  sign,
  startTestApp,
  type TestApp,
  webhookSecret,
} from '../start-app.ts'

let app: TestApp
beforeAll(async () => {
  // Without a worker, events stay as the receiver stored them.
  app = await startTestApp({ parts: { web: true, worker: false } })
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  await app.db.deleteFrom('events').execute()
  await app.db.deleteFrom('pullRequests').execute()
  await app.db.deleteFrom('installations').execute()
})

const forbidden = { status: 403, body: { detail: 'Invalid webhook signature' } }

/** Restores the JSON of a stored payload. */
function decompressPayload(bytes: Uint8Array): string {
  return zstdDecompressSync(bytes).toString('utf8')
}

describe('signature', () => {
  const payload = pullRequestPayload()
  const body = JSON.stringify(payload)
  const right = sign(body, webhookSecret)

  it.each([
    ['none', {}],
    ['of another secret', { 'x-hub-signature-256': sign(body, 'another') }],
    ['SHA-1 only', { 'x-hub-signature': right.replace('sha256', 'sha1') }],
    ['an upper-case prefix', { 'x-hub-signature-256': right.replace('sha256=', 'SHA256=') }],
    ['nothing after the prefix', { 'x-hub-signature-256': 'sha256=' }],
    ['an odd number of digits', { 'x-hub-signature-256': right.slice(0, -1) }],
    ['too short', { 'x-hub-signature-256': right.slice(0, -2) }],
    ['too long', { 'x-hub-signature-256': `${right}00` }],
    ['not hexadecimal', { 'x-hub-signature-256': `${right.slice(0, -1)}g` }],
    [
      'valid but for a trailing space',
      { 'x-hub-signature-256': `sha256=${right.slice(7, -1)}\u00a0` },
    ],
  ])('case 1: refuses and stores nothing: %s', async (_name, headers) => {
    expect(
      await app.deliver(payload, { secret: null, headers: headers as Record<string, string> }),
    ).toEqual(forbidden)
    expect(await countRows(app.db, 'events')).toBe(0)
  })

  it('case 2: accepts upper-case digits', async () => {
    const headers = { 'x-hub-signature-256': `sha256=${right.slice(7).toUpperCase()}` }
    expect(await app.deliver(payload, { secret: null, headers })).toMatchObject({ status: 200 })
  })

  it('case 3: refuses two signature headers, even if both are valid', async () => {
    const response = await sendRaw(app.url, [
      'POST /api/v1/webhooks/host HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
      'x-github-event: pull_request',
      `x-hub-signature-256: ${right}`,
      `x-hub-signature-256: ${right}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ])
    expect(response).toMatch(/^HTTP\/1\.1 403 /)
    expect(await countRows(app.db, 'events')).toBe(0)
  })

  it('case 4: refuses a body that differs by one space', async () => {
    const headers = { 'x-hub-signature-256': right }
    expect(await app.deliver(null, { secret: null, rawBody: `${body} `, headers })).toEqual(
      forbidden,
    )
  })

  it('is not required outside production', async () => {
    await using open = await startTestApp({
      env: { APP_ENV: 'development' },
      parts: { web: true, worker: false },
    })
    expect(await open.deliver(payload, { secret: null })).toMatchObject({ status: 200 })
    const wrong = pullRequestPayload({ number: 76, title: 'Wrongly signed' })
    expect(await open.deliver(wrong, { secret: 'another one' })).toMatchObject({ status: 200 })
    // One that fits counts all the same: what the delivery says needs no confirmation.
    const signed = pullRequestPayload({ number: 77, title: 'Signed' })
    expect(await open.deliver(signed)).toMatchObject({ status: 200 })
    const rows = open.db.selectFrom('pullRequests').select(['title', 'isConfirmed'])
    expect(await rows.orderBy('number').execute()).toMatchObject([
      { isConfirmed: false },
      { isConfirmed: false },
      { title: 'Signed', isConfirmed: true },
    ])
  })

  it('is not required when no secret is configured', async () => {
    await using open = await startTestApp({
      env: { WEBHOOK_SECRET: '' },
      parts: { web: true, worker: false },
    })
    expect(await open.deliver(payload, { secret: null })).toMatchObject({ status: 200 })
  })

  it('case 1: is checked before the body is parsed', async () => {
    for (const rawBody of [
      'nonsense',
      '[]',
      '{"a":',
      `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`,
    ]) {
      expect(await app.deliver(null, { rawBody, secret: null })).toEqual(forbidden)
    }
  })

  it('case 79: refuses unsigned 25 MB bodies unparsed and accepts signed ones', async () => {
    const flood = Buffer.alloc(25 * 1024 * 1024, '{},')
    flood.write('{"a":[', 0)
    const unsigned = [1, 2, 3].map(() => app.deliver(null, { rawBody: flood, secret: null }))
    const signed = [1, 2, 3].map((number) => app.deliver(pullRequestPayload({ number })))
    for (const answer of await Promise.all(signed)) expect(answer.body.status).toBe('received')
    // The body is not JSON: parsing it before the signature check would lead to a 400.
    for (const answer of await Promise.all(unsigned)) expect(answer).toEqual(forbidden)
    expect(await countRows(app.db, 'events')).toBe(3)
  })
})

describe('installations', () => {
  async function userId(user: number): Promise<number> {
    const { id } = await app.db
      .selectFrom('users')
      .select('id')
      .where('login', '=', `u${user}`)
      .executeTakeFirstOrThrow()
    return id
  }

  async function connectRepository(options: { active: boolean; secret: string; user: number }) {
    const user = await app.db
      .insertInto('users')
      .values({
        platform: 'github',
        platformUserId: String(options.user),
        login: `u${options.user}`,
        name: '',
        avatarUrl: '',
        encryptedToken: null,
      })
      .onConflict((conflict) =>
        conflict.columns(['platform', 'platformUserId']).doUpdateSet({ name: '' }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    await app.db
      .insertInto('installations')
      .values({
        userId: user.id,
        repoFullName: 'acme/shop',
        webhookId: 1,
        webhookSecret: options.secret,
        isActive: options.active,
      })
      .execute()
  }
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)] as const

  /** Returns a payload in which this text replaces the repository. */
  const withRepository = (text: string) =>
    JSON.stringify(pullRequestPayload()).replace(/"repository":{[^}]*}/, text)
  const named = (repo: string) => `"repository":{"full_name":"${repo}"}`

  it.each([
    ['two keys', `${named('eve/own')},${named('acme/shop')}`],
    ['two keys, the other way round', `${named('acme/shop')},${named('eve/own')}`],
    ['two names', '"repository":{"full_name":"eve/own","full_name":"acme/shop"}'],
    ['an escaped key', `${named('eve/own')},"reposit\\u006fry":{"full_name":"acme/shop"}`],
    ['an escaped name', `${named('eve/own')},"repository":{"full\\u005fname":"acme/shop"}`],
    ['an invalid name first', `"repository":{"full_name":7},${named('acme/shop')}`],
    ['null first', `"repository":null,${named('acme/shop')}`],
    ['a nested object first', `"a":{${named('eve/own')}},${named('acme/shop')}`],
    [
      'a name in a nested object',
      `"repository":{"owner":{"full_name":"eve/own"},"full_name":"acme/shop"}`,
    ],
    [
      'a name in a text',
      `"a":"\\",${named('eve/own').replaceAll('"', '\\"')},",${named('acme/shop')}`,
    ],
  ])('case 88: with %s, a secret is never valid for another repository', async (_name, text) => {
    await connectRepository({ active: true, secret: one, user: 1 })
    await app.db
      .insertInto('installations')
      .values({
        userId: await userId(1),
        repoFullName: 'eve/own',
        webhookId: 2,
        webhookSecret: two,
        isActive: true,
      })
      .execute()
    for (const secret of [two, webhookSecret]) {
      const rawBody = withRepository(text)
      expect(await app.deliver(null, { rawBody, secret })).toEqual(forbidden)
    }
    expect(await countRows(app.db, 'events')).toBe(0)
    expect(await countRows(app.db, 'pull_requests')).toBe(0)
  })

  it('case 88: a name without a secret gives no access to one with a secret', async () => {
    await using open = await startTestApp({
      env: { WEBHOOK_SECRET: '' },
      parts: { web: true, worker: false },
    })
    const rawBody = withRepository(
      `${named('eve/own')},"reposit\\u006fry":{"full_name":"acme/shop"}`,
    )
    expect(await open.deliver(null, { rawBody, secret: null })).toEqual(forbidden)
    expect(await countRows(open.db, 'events')).toBe(0)
  })

  it('finds the name in forms, with spaces, escaped slashes or other case', async () => {
    await connectRepository({ active: true, secret: one, user: 1 })
    const spaced = JSON.stringify(pullRequestPayload({ number: 1, repo: 'Acme/Shop' }), null, 2)
    const escaped = JSON.stringify(pullRequestPayload({ number: 2 })).replaceAll(
      'acme/shop',
      'acme\\/shop',
    )
    const form = new URLSearchParams({
      a: 'b',
      payload: JSON.stringify(pullRequestPayload({ number: 3 }), null, 1),
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const how of [
      { rawBody: spaced },
      { rawBody: escaped },
      { rawBody: form.toString(), headers },
    ]) {
      expect(await app.deliver(null, { ...how, secret: one })).toMatchObject({ status: 200 })
    }
  })

  it('case 16: accepts the secret of any active installation, and no other', async () => {
    await connectRepository({ active: true, secret: one, user: 1 })
    await connectRepository({ active: true, secret: two, user: 2 })
    expect(await app.deliver(pullRequestPayload({ number: 1 }), { secret: one })).toMatchObject({
      status: 200,
    })
    expect(await app.deliver(pullRequestPayload({ number: 2 }), { secret: two })).toMatchObject({
      status: 200,
    })
    expect(await app.deliver(pullRequestPayload({ number: 3 }), { secret: webhookSecret })).toEqual(
      forbidden,
    )
  })

  it('case 15: ignores a repository whose installations are all inactive', async () => {
    await connectRepository({ active: false, secret: one, user: 1 })
    const answer = await app.deliver(pullRequestPayload(), { secret: one })
    expect(answer).toEqual({
      status: 200,
      body: { status: 'ignored', reason: 'The repository is disconnected' },
    })
    expect(await app.deliver(pullRequestPayload(), { secret: webhookSecret })).toEqual(forbidden)
    expect(await countRows(app.db, 'events')).toBe(0)
  })
})

describe('bodies', () => {
  it('case 5: treats a form with a payload field like JSON, signed as sent', async () => {
    const rawBody = new URLSearchParams({
      payload: JSON.stringify(pullRequestPayload()),
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await app.deliver(null, { rawBody, headers })).toMatchObject({
      status: 200,
      body: { status: 'received', event_type: 'pull_request.opened' },
    })
    const row = await app.db
      .selectFrom('events')
      .select(['payload', 'repo'])
      .executeTakeFirstOrThrow()
    expect(JSON.parse(decompressPayload(row.payload))).toEqual(pullRequestPayload())
    expect(row.repo).toBe('acme/shop')
  })

  it.each([
    ['not JSON', 'nonsense'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['empty', ''],
    ['nested 200,000 deep', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ])('case 6: responds with a 400 and a reason to a body that is %s', async (_name, rawBody) => {
    const { status, body } = await app.deliver(null, { rawBody })
    expect(status).toBe(400)
    expect(body.detail).toEqual(expect.stringMatching(/\w/))
    expect(await countRows(app.db, 'events')).toBe(0)
  })

  it('case 7: accepts 25 MB; one byte more is a 413 on a closed socket', async () => {
    const limit = 25 * 1024 * 1024
    const frame = JSON.stringify(pullRequestPayload({ extra: { padding: '' } }))
    const rawBody = Buffer.from(
      frame.replace('"padding":""', `"padding":"${'x'.repeat(limit - frame.length)}"`),
    )
    expect(rawBody).toHaveLength(limit)
    expect(await app.deliver(null, { rawBody })).toMatchObject({ status: 200 })
    const tooLarge = await sendRaw(app.url, [
      'POST /api/v1/webhooks/host HTTP/1.1',
      'host: localhost',
      `content-length: ${limit + 1}`,
      '',
      '',
    ])
    expect(tooLarge).toMatch(/^HTTP\/1\.1 413 .*"detail"/s)
    const chunk = `${(1 << 20).toString(16)}\r\n${'x'.repeat(1 << 20)}\r\n`
    const overrun = await sendRaw(app.url, [
      'POST /api/v1/webhooks/host HTTP/1.1',
      'host: localhost',
      'transfer-encoding: chunked',
      '',
      chunk.repeat(26),
    ])
    expect(overrun).toMatch(/^HTTP\/1\.1 413 .*"detail"/s)
  })

  it('case 8: stores NUL, lone surrogates and invalid UTF-8 as U+FFFD', async () => {
    const frame = JSON.stringify(pullRequestPayload({ title: 'TITLE' }))
    const titles = [frame.replace('TITLE', 'a\\u0000b'), frame.replace('TITLE', 'a\\ud800b')]
    const bytes = [
      ...titles.map((text) => Buffer.from(text)),
      splice(Buffer.from(frame), 'TITLE', [0x61, 0xff, 0x62]),
    ]
    for (const rawBody of bytes) {
      await app.db.deleteFrom('events').execute()
      expect(await app.deliver(null, { rawBody })).toMatchObject({ status: 200 })
      const row = await app.db.selectFrom('pullRequests').select('title').executeTakeFirstOrThrow()
      expect(row.title).toBe('a\ufffdb')
      const event = await app.db.selectFrom('events').select('payload').executeTakeFirstOrThrow()
      expect(JSON.parse(decompressPayload(event.payload)).pull_request.title).toBe('a\ufffdb')
    }
  })

  it('case 9: ignores keys that name prototypes', async () => {
    const rawBody = JSON.stringify(pullRequestPayload()).replace(
      '"number":1',
      '"number":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}',
    )
    expect(await app.deliver(null, { rawBody })).toMatchObject({ status: 200 })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('case 10: stores an unsafe integer exactly, but not as a key', async () => {
    const huge = '9007199254740993'
    const asNumber = JSON.stringify(pullRequestPayload({ number: 77 })).replaceAll('77', huge)
    expect(await app.deliver(null, { rawBody: asNumber })).toMatchObject({ status: 200 })
    expect(await app.events()).toMatchObject([{ status: 'failed', prNumber: null }])
    await app.db.deleteFrom('events').execute()
    const asId = JSON.stringify(pullRequestPayload({ extra: { installation_id: 77 } })).replace(
      '77',
      huge,
    )
    expect(await app.deliver(null, { rawBody: asId })).toMatchObject({ status: 200 })
    const row = await app.db.selectFrom('events').select('payload').executeTakeFirstOrThrow()
    expect(decompressPayload(row.payload)).toContain(huge)
  })

  it('case 18: stores direction marks, emoji, quotes, line breaks and 64 KB of text', async () => {
    const title = 'عنوان \u202e "quoted" \'single\' 🧪\n\\ end'
    const payload = pullRequestPayload({
      title,
      branch: 'x"; drop table events; --',
      body: '🧪'.repeat(16_384),
    })
    expect(await app.deliver(payload)).toMatchObject({ status: 200 })
    const row = await app.db
      .selectFrom('pullRequests')
      .select(['title', 'branch'])
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ title, branch: 'x"; drop table events; --' })
    const event = await app.db.selectFrom('events').select('payload').executeTakeFirstOrThrow()
    expect(JSON.parse(decompressPayload(event.payload))).toEqual(payload)
  })
})

describe('duplicates and order', () => {
  it('case 11: stores the same delivery 20 times at once as one event', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.deliver(pullRequestPayload())),
    )
    expect(answers.filter(({ body }) => body.status === 'received')).toHaveLength(1)
    expect(answers.filter(({ body }) => body.status === 'duplicate_skipped')).toHaveLength(19)
    expect(await countRows(app.db, 'events')).toBe(1)
  })

  it('case 11: stores concurrent deliveries of one event type as one event', async () => {
    const answers = await Promise.all([
      app.deliver(pullRequestPayload({ title: 'one' })),
      app.deliver(pullRequestPayload({ title: 'two' })),
    ])
    expect(answers.map(({ body }) => body.status).sort()).toEqual(['duplicate_skipped', 'received'])
  })

  it('accepts another event type, number or repository, and a repeat after an hour', async () => {
    await app.deliver(pullRequestPayload())
    const others = [{ action: 'synchronize' }, { number: 2 }, { repo: 'acme/other' }]
    for (const other of others) {
      expect((await app.deliver(pullRequestPayload(other))).body.status).toBe('received')
    }
    await app.db
      .updateTable('events')
      .set({ createdAt: new Date(Date.now() - 3_601_000) })
      .execute()
    expect((await app.deliver(pullRequestPayload())).body.status).toBe('received')
  })

  it.each(['completed', 'failed'] as const)(
    'accepts a repeated event when the earlier one is %s',
    async (status) => {
      await app.deliver(pullRequestPayload())
      await app.db.updateTable('events').set({ status }).execute()
      expect((await app.deliver(pullRequestPayload())).body.status).toBe('received')
    },
  )

  it('skips a redelivery only until its event is settled', async () => {
    const again = () =>
      app.deliver(pullRequestPayload(), { headers: { 'x-github-delivery': 'one-and-the-same' } })
    expect((await again()).body.status).toBe('received')
    expect((await again()).body.status).toBe('duplicate_skipped')
    await app.db.updateTable('events').set({ status: 'completed' }).execute()
    expect((await again()).body.status).toBe('received')
  })

  it('case 12: accepts a redelivery after storing failed', async () => {
    // Without the queue's table, storing the event and its work fails.
    await sql`alter table work_items rename to work_away`.execute(app.db)
    expect((await app.deliver(pullRequestPayload())).status).toBe(500)
    expect(await countRows(app.db, 'events')).toBe(0)
    await sql`alter table work_away rename to work_items`.execute(app.db)
    expect((await app.deliver(pullRequestPayload())).body.status).toBe('received')
  })

  it('case 13: uses the state of the newest payload, whatever arrives first', async () => {
    const closed = pullRequestPayload({
      action: 'closed',
      state: 'closed',
      merged: true,
      updatedAt: '2026-01-02T00:00:00Z',
    })
    await app.deliver(closed)
    await app.deliver(pullRequestPayload({ action: 'opened', updatedAt: '2026-01-01T00:00:00Z' }))
    const row = await app.db.selectFrom('pullRequests').select('state').executeTakeFirstOrThrow()
    expect(row.state).toBe('merged')
    await app.deliver(
      pullRequestPayload({
        action: 'synchronize',
        number: 2,
        title: 'new',
        updatedAt: '2026-01-03T00:00:00Z',
      }),
    )
    await app.deliver(
      pullRequestPayload({
        action: 'opened',
        number: 2,
        title: 'old',
        updatedAt: '2026-01-01T00:00:00Z',
      }),
    )
    const second = await app.db
      .selectFrom('pullRequests')
      .select('title')
      .where('number', '=', 2)
      .executeTakeFirstOrThrow()
    expect(second.title).toBe('new')
  })

  it('case 13: a payload from the future does not override later ones', async () => {
    const minutesFromNow = (minutes: number) =>
      new Date(Date.now() + minutes * 60_000).toISOString()
    await app.deliver(pullRequestPayload({ title: 'for ever', updatedAt: '9999-12-31T00:00:00Z' }))
    await app.deliver(
      pullRequestPayload({ action: 'edited', title: 'later', updatedAt: minutesFromNow(6) }),
    )
    const row = await app.db.selectFrom('pullRequests').select('title').executeTakeFirstOrThrow()
    expect(row.title).toBe('later')
  })

  it('case 14: records pings, unknown events and other actions without a review', async () => {
    const cases = [
      ['ping', { zen: 'x', repository: { full_name: 'acme/shop' } }, 'ping'],
      ['sandwich', { action: 'eaten' }, 'sandwich.eaten'],
      ['pull_request', pullRequestPayload({ action: 'reopened' }), 'pull_request.reopened'],
      [
        'pull_request',
        pullRequestPayload({ action: 'closed', state: 'closed' }),
        'pull_request.closed',
      ],
      [
        'issues',
        { action: 'opened', issue: {}, repository: { full_name: 'acme/shop' } },
        'issues.opened',
      ],
    ] as const
    for (const [event, payload, eventType] of cases) {
      const { status, body } = await app.deliver(payload, { event })
      expect({ status, ...body }).toEqual({
        status: 'received',
        event_id: expect.any(Number),
        event_type: eventType,
      })
    }
    const rows = await app.db.selectFrom('events').select(['status', 'wantsReview']).execute()
    expect(rows).toEqual(cases.map(() => ({ status: 'pending', wantsReview: false })))
  })

  it.each([
    ['no repository', { repository: undefined }, 'repository.full_name'],
    ['a malformed name', { repository: { full_name: 'shop' } }, 'repository.full_name'],
    ['an empty pull request', { pull_request: {} }, 'pull_request.number'],
    ['a string as pull request', { pull_request: 'x' }, 'pull_request.number'],
    ['a string as number', { pull_request: { number: '5' } }, 'pull_request.number'],
    [
      'a number that is too large',
      { pull_request: { number: 3_000_000_000 } },
      'pull_request.number',
    ],
  ])('fails an event with %s at once, with the reason', async (_name, change, reason) => {
    for (const action of ['opened', 'synchronize']) {
      const answer = await app.deliver({ ...pullRequestPayload({ action }), ...change })
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'received', event_type: `pull_request.${action}` },
      })
    }
    const rows = await app.db.selectFrom('events').selectAll().execute()
    expect(rows).toMatchObject(
      [1, 2].map(() => ({ status: 'failed', error: expect.stringContaining(reason) })),
    )
    expect(rows.every((row) => row.processedAt !== null)).toBe(true)
    expect(await countRows(app.db, 'pull_requests')).toBe(0)
  })

  it('records other events whose pull request cannot be read', async () => {
    expect(await app.deliver({ action: 'closed', pull_request: { number: '5' } })).toMatchObject({
      status: 200,
    })
    expect(await app.events()).toMatchObject([{ status: 'pending', repo: null, prNumber: null }])
  })

  it('names an event without its header after its payload', async () => {
    const headers = { 'x-github-event': '' }
    expect((await app.deliver(pullRequestPayload(), { headers })).body.event_type).toBe(
      'pull_request.opened',
    )
    expect((await app.deliver({ issue: {} }, { headers })).body.event_type).toBe('issue')
    expect((await app.deliver({}, { headers })).body.event_type).toBe('unknown')
  })

  it('ignores app-level events with any content', async () => {
    const headers = { 'x-host-hook-installation-target-type': 'integration' }
    const answer = await app.deliver(null, { rawBody: 'nonsense', secret: null, headers })
    expect(answer).toEqual({
      status: 200,
      body: { status: 'ignored', reason: expect.stringContaining('not supported') },
    })
  })

  it('accepts every example payload of the platform', async () => {
    let count = 0
    for (const { name, examples: payloads } of examples as unknown as {
      name: string
      examples: object[]
    }[]) {
      for (const payload of payloads) {
        const { status } = await app.deliver(payload, { event: name })
        expect(status, name).toBe(200)
        count += 1
      }
    }
    expect(count).toBeGreaterThan(300)
  })
})

describe('slow clients', () => {
  it('case 33: cuts off endless headers and bodies while serving others', async () => {
    const start = ['POST /api/v1/webhooks/host HTTP/1.1', 'host: localhost']
    const slow = [
      sendRaw(app.url, [...start, 'x-header: and n']),
      sendRaw(app.url, [...start, 'content-length: 1000', '', '{']),
    ]
    expect(await app.deliver(pullRequestPayload())).toMatchObject({ status: 200 })
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(await countRows(app.db, 'events')).toBe(1)
  })
})

describe('silent connections', () => {
  it('case 80: closes a connection that never sends a byte', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.resume()
    await once(socket, 'connect')
    expect(await app.deliver(pullRequestPayload())).toMatchObject({ status: 200 })
    await once(socket, 'close')
  })
})

describe('unsigned deliveries', () => {
  let open: TestApp
  beforeAll(async () => {
    const env = { WEBHOOK_SECRET: '', APP_ENV: 'production' }
    open = await startTestApp({ env, parts: { web: true, worker: false } })
  })
  afterAll(() => open[Symbol.asyncDispose]())
  beforeEach(async () => {
    await open.db.deleteFrom('events').execute()
    await open.db.deleteFrom('pullRequests').execute()
  })

  it.each([
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-origin'],
  ])('are refused from web pages, which send %s: %s', async (name, value) => {
    const headers = { [name]: value }
    const answer = await open.deliver(pullRequestPayload(), { secret: null, headers })
    expect(answer).toEqual({ status: 403, body: { detail: expect.stringContaining('web page') } })
    expect(await countRows(open.db, 'events')).toBe(0)
    expect(await app.deliver(pullRequestPayload(), { headers })).toMatchObject({ status: 200 })
  })

  it('are refused above 1 MB, in production and elsewhere', async () => {
    const frame = JSON.stringify(pullRequestPayload({ body: 'BODY' }))
    const fill = (bytes: number) => frame.replace('BODY', 'x'.repeat(bytes - frame.length + 4))
    const limit = 1024 * 1024
    await using development = await startTestApp({
      env: { APP_ENV: 'development' },
      parts: { web: true, worker: false },
    })
    for (const receiver of [open, development]) {
      expect(await receiver.deliver(null, { rawBody: fill(limit), secret: null })).toMatchObject({
        status: 200,
      })
      expect(
        await receiver.deliver(null, { rawBody: fill(limit + 1), secret: null }),
      ).toMatchObject({
        status: 413,
        body: { detail: expect.stringContaining(String(limit)) },
      })
    }
  })

  it('store only the fields that are read when nobody is connected', async () => {
    const title = 'T'.repeat(5000)
    const payload = pullRequestPayload({
      title,
      body: 'of an outsider',
      extra: { junk: 'of an outsider' },
    })
    expect(await open.deliver(payload, { secret: null })).toMatchObject({ status: 200 })
    const row = await open.db.selectFrom('events').select('payload').executeTakeFirstOrThrow()
    const stored = decompressPayload(row.payload)
    expect(stored).not.toContain('outsider')
    expect(JSON.parse(stored)).toMatchObject({
      action: 'opened',
      repository: { full_name: 'acme/shop' },
      pull_request: { number: 1, title: 'T'.repeat(1000), head: { ref: 'topic' } },
    })
  })

  it('do not change what is known about a pull request', async () => {
    const signed = { number: 9, title: 'As the platform said', updatedAt: '2026-01-01T00:00:00Z' }
    await open.deliver(pullRequestPayload(signed), { secret: null })
    await open.db
      .updateTable('pullRequests')
      .set({ title: signed.title, url: 'https://forge.example/9', isConfirmed: true })
      .execute()
    const forged = {
      number: 9,
      title: 'Forged',
      state: 'closed',
      merged: true,
      updatedAt: '2026-02-01T00:00:00Z',
    }
    await open.deliver(pullRequestPayload({ ...forged, action: 'closed' }), { secret: null })
    expect(await open.db.selectFrom('pullRequests').selectAll().execute()).toMatchObject([
      {
        title: signed.title,
        url: 'https://forge.example/9',
        state: 'open',
        mergedAt: null,
        isConfirmed: false,
      },
    ])
  })

  it('show neutral texts until the platform confirms the real ones', async () => {
    const payload = pullRequestPayload({
      number: 4,
      title: 'Free money',
      branch: 'evil',
      state: 'closed',
    })
    await open.deliver(payload, { secret: null })
    expect(await open.db.selectFrom('pullRequests').selectAll().execute()).toMatchObject([
      {
        number: 4,
        title: 'Pull request #4',
        url: '',
        branch: '',
        author: '',
        state: 'open',
        isConfirmed: false,
      },
    ])
  })
})

describe('other requests', () => {
  it('responds to unknown requests with a detail', async () => {
    const unknown = await fetch(`${app.url}/api/v1/nothing`)
    expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Not found' }])
    const wrongMethod = await fetch(`${app.url}/api/v1/webhooks/host`)
    expect([wrongMethod.status, await wrongMethod.json()]).toEqual([
      405,
      { detail: 'Method not allowed' },
    ])
    expect(wrongMethod.headers.get('allow')).toBe('POST')
  })

  it('is healthy and ready', async () => {
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
  })
})

function splice(buffer: Buffer, text: string, bytes: number[]): Buffer {
  const at = buffer.indexOf(text)
  return Buffer.concat([
    buffer.subarray(0, at),
    Buffer.from(bytes),
    buffer.subarray(at + text.length),
  ])
}
