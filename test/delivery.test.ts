// Parsing of webhook requests: header dialects, recorded payloads and hostile bodies.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readUnverifiedDelivery } from '../src/platforms/delivery.ts'

interface Examples {
  name: string
  examples: {
    action?: string
    repository?: { full_name: string }
    pull_request?: {
      number: number
      title: string
      user: { login: string }
      head: { ref: string; sha: string }
      base: { ref: string }
      html_url: string
      state: string
      updated_at: string
      merged_at: string | null
      draft?: boolean
      additions?: number
      deletions?: number
    }
  }[]
}

/** Maps versions of the platform to their numbers of payloads. */
const versions = [
  ['api.github.com', 329],
  ['ghes-31', 49],
  ['ghes-35', 125],
] as const
const headers = { 'content-type': 'application/json', 'x-github-event': 'pull_request' }

function envelopeOf(body: string | Uint8Array, extra: Record<string, string | string[]> = {}) {
  return readUnverifiedDelivery(
    { ...headers, ...extra },
    typeof body === 'string' ? Buffer.from(body) : body,
  )
}

function read(body: string | Uint8Array, extra: Record<string, string | string[]> = {}) {
  return envelopeOf(body, extra).parse()
}

function readExamples(version: string): Examples[] {
  const path = `../node_modules/@octokit/webhooks-examples/${version}/index.json`
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
}

/** Builds the JSON text of a delivery with the text of a pull request. */
function makeBody(pullRequest: string, rest = ''): string {
  return `{"action":"opened","repository":{"full_name":"octo/hello"},"pull_request":${pullRequest}${rest}}`
}

function refuse(body: string | Uint8Array, extra: Record<string, string> = {}) {
  let error: unknown
  try {
    read(body, extra)
  } catch (caught) {
    error = caught
  }
  expect(error).toMatchObject({ name: 'UmpireError', code: 'delivery_invalid', retryable: false })
  return (error as Error).message
}

describe.each(versions)('real payloads of %s', (version, total) => {
  const examples = readExamples(version).flatMap(({ name, examples }) =>
    examples.map((payload) => ({ name, payload })),
  )

  it('are all parsed, and stored unchanged', () => {
    expect(examples).toHaveLength(total)
    for (const { name, payload } of examples) {
      const body = JSON.stringify(payload, null, 2)
      const delivery = read(body, { 'x-github-event': name })
      expect(delivery.event).toBe(name)
      expect(delivery.action).toBe(payload.action ?? null)
      expect(delivery.repo).toBe(payload.repository?.full_name ?? null)
      expect(envelopeOf(body).findRepository()).toBe(delivery.repo)
      expect(delivery.payload).toBe(body)
      expect(delivery.pullRequest === null).toBe(payload.pull_request == null)
    }
  })

  it('contain the pull request for every event that has one', () => {
    const carrying = examples.filter(({ payload }) => payload.pull_request != null)
    expect(new Set(carrying.map(({ name }) => name)).size).toBeGreaterThan(2)
    for (const { name, payload } of carrying) {
      const given = payload.pull_request!
      const { pullRequest } = read(JSON.stringify(payload), { 'x-github-event': name })
      expect(pullRequest).toMatchObject({
        number: given.number,
        title: given.title,
        author: given.user.login,
        branch: given.head.ref,
        baseBranch: given.base.ref,
        headSha: given.head.sha,
        url: given.html_url,
        state: given.merged_at ? 'merged' : given.state,
        draft: given.draft ?? false,
        additions: given.additions ?? 0,
        deletions: given.deletions ?? 0,
      })
      expect(pullRequest!.updatedAt).toBe(new Date(given.updated_at).toISOString())
      expect(pullRequest!.mergedAt).toBe(
        given.merged_at ? new Date(given.merged_at).toISOString() : null,
      )
    }
  })
})

describe('headers', () => {
  it.each(['host', 'github', 'gitea', 'forgejo'])('of the %s dialect are read', (dialect) => {
    const envelope = readUnverifiedDelivery(
      {
        [`x-${dialect}-event`]: 'issues',
        [`x-${dialect}-delivery`]: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        [`x-${dialect}-hook-installation-target-type`]: 'organization',
      },
      Buffer.from('{"action":"opened","issue":{"number":3}}'),
    )
    expect(envelope.isAppLevel).toBe(false)
    expect(envelope.parse()).toMatchObject({
      event: 'issues',
      action: 'opened',
      deliveryId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      pullRequest: null,
    })
  })

  it('are read whatever the body', () => {
    const target = { 'x-github-hook-installation-target-type': 'integration' }
    expect(envelopeOf('not JSON', target).isAppLevel).toBe(true)
  })

  it('have defaults when missing, and the payload determines the event', () => {
    const bare = (body: string) => readUnverifiedDelivery({}, Buffer.from(body)).parse()
    expect(bare('{"pull_request":{"number":1},"issue":{}}').event).toBe('pull_request')
    expect(bare('{"issue":{"number":1}}').event).toBe('issue')
    expect(bare('{"zen":"…"}')).toMatchObject({
      event: 'unknown',
      action: null,
      deliveryId: null,
      repo: null,
      pullRequest: null,
    })
    const empty = readUnverifiedDelivery({}, Buffer.from(''))
    expect([empty.isAppLevel, empty.isSentWith(['secret'])]).toEqual([false, false])
  })

  it('prove the sender by the signature of the body, unless they are repeated', () => {
    const valid = `sha256=${createHmac('sha256', 'secret').update('{}').digest('hex')}`
    const isSent = (name: string, value: string | string[]) =>
      envelopeOf('{}', { [name]: value }).isSentWith(['other', 'secret'])
    expect(isSent('x-hub-signature-256', valid)).toBe(true)
    expect(isSent('x-hub-signature-256', valid.toUpperCase())).toBe(false)
    expect(isSent('x-hub-signature-256', valid.slice(7))).toBe(false)
    expect(isSent('x-hub-signature-256', [valid, valid])).toBe(false)
    expect(isSent('x-hub-signature', valid)).toBe(false)
  })

  it('with an invalid event name count as missing', () => {
    expect(read('{"issue":{}}', { 'x-github-event': 'x'.repeat(5000) }).event).toBe('issue')
    expect(read('{"issue":{}}', { 'x-github-event': 'pull request\ndrop' }).event).toBe('issue')
  })
})

describe('the pull request', () => {
  it("reads Gitea's event names, time offsets and year 1 for never", () => {
    const times = '"created_at":"2026-03-01T10:00:00+02:00","updated_at":"0001-01-01T00:00:00Z"'
    const body = makeBody(`{"number":1,${times}}`).replace('opened', 'synchronized')
    const delivery = read(body)
    expect(delivery.action).toBe('synchronize')
    expect(delivery.payload).toBe(body)
    expect(delivery.pullRequest).toMatchObject({
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: null,
    })
  })

  it.each([
    ['open', '"state":"open","merged":false,"merged_at":null'],
    ['closed', '"state":"closed","merged":false'],
    ['merged', '"state":"closed","merged":true'],
    ['merged', '"state":"closed","merged_at":"2026-03-01T10:00:00Z"'],
    ['open', '"state":7,"merged":"yes","merged_at":"soon"'],
  ])('is %s with %s', (state, fields) => {
    expect(read(makeBody(`{"number":1,${fields}}`)).pullRequest?.state).toBe(state)
  })

  it('uses defaults where a field is missing or has another type', () => {
    const odd =
      '{"number":5,"title":[],"user":null,"head":"x",' +
      '"html_url":"javascript:alert(1)","additions":-1}'
    expect(read(makeBody(odd)).pullRequest).toEqual({
      number: 5,
      title: '',
      author: '',
      branch: '',
      baseBranch: '',
      headSha: '',
      url: '',
      state: 'open',
      draft: false,
      additions: 0,
      deletions: 0,
      createdAt: null,
      updatedAt: null,
      mergedAt: null,
    })
  })

  it.each([
    '"octo"',
    '"a/b/c"',
    '"../x"',
    '"octo/.."',
    '"octo/hel lo"',
    '7',
    `"${'a'.repeat(400)}/b"`,
  ])('has no repository when its name is %s', (name) =>
    expect(read(`{"repository":{"full_name":${name}}}`).repo).toBeNull(),
  )
})

describe('case 5: a form', () => {
  it('case 5: equals the same payload as JSON', () => {
    const body = makeBody('{"number":7,"title":"a+b & c=d % ü 😀"}')
    const form = `payload=${encodeURIComponent(body)}`
    const delivery = read(form, {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    })
    expect(delivery).toEqual(read(body))
    expect(delivery.payload).toBe(body)
    expect(delivery.pullRequest?.title).toBe('a+b & c=d % ü 😀')
  })

  it('case 5: is refused without a payload', () => {
    expect(refuse('other=1', { 'content-type': 'application/x-www-form-urlencoded' })).toContain(
      'payload',
    )
  })
})

describe('case 6: bodies that are no JSON object', () => {
  it.each([
    '',
    ' ',
    'x',
    '{',
    '{"a":1}}',
    'null',
    '[]',
    '"text"',
    '7',
    '{"a":undefined}',
    '<html></html>',
  ])('case 6: %j is refused', (body) => expect(refuse(body)).toMatch(/^The body is not/))

  it.each(['[', '{"a":'])('case 6: 200,000 times %j is refused', (opening) => {
    const closing = opening === '[' ? ']' : '}'
    const nested = opening.repeat(200_000) + (opening === '[' ? '' : '1') + closing.repeat(200_000)
    expect(refuse(`{"a":${nested}}`)).toContain('500 levels')
  })

  it('case 6: ignores brackets inside strings', () => {
    const title = `${'['.repeat(2000)}\\"${'{'.repeat(2000)}\\\\`
    const { pullRequest } = read(
      makeBody(`{"number":1,"title":"${title}"}`, `,"deep":${'['.repeat(400)}${']'.repeat(400)}`),
    )
    expect(pullRequest?.title).toBe(JSON.parse(`"${title}"`))
  })
})

describe('case 8: characters that databases refuse', () => {
  it.each([
    ['a NUL as an escape', 'a\\u0000b', 'a\uFFFDb'],
    ['a NUL as a byte', 'a\0b', 'a\uFFFDb'],
    ['half a pair', 'a\\ud83db', 'a\uFFFDb'],
    ['the other half', 'a\\uDE00b', 'a\uFFFDb'],
    ['two first halves before a second', '\\ud83d\\uD83D\\ude00', '\uFFFD😀'],
    ['a first half before another escape', '\\ud83d\\u0041', '\uFFFDA'],
  ])('case 8: %s becomes U+FFFD in the parsed and the stored payload', (_, title, expected) => {
    const delivery = read(
      makeBody(`{"number":1,"title":"${title}","head":{"ref":"${title}","sha":"x"}}`),
    )
    expect(delivery.pullRequest).toMatchObject({ title: expected, branch: expected })
    const stored = JSON.parse(delivery.payload)
    expect(stored.pull_request.title).toBe(expected)
    expect(delivery.payload.isWellFormed() && !delivery.payload.includes('\0')).toBe(true)
    expect(delivery.payload).not.toMatch(/\\u0000/)
  })

  it.each([
    ['a whole pair', '\\ud83d\\ude00', '😀'],
    ['an escaped backslash before u0000', '\\\\u0000 \\\\ud83d', '\\u0000 \\ud83d'],
    ['an emoji as it is', '😀', '😀'],
  ])('case 8: %s stays', (_, title, expected) => {
    const body = makeBody(`{"number":1,"title":"${title}"}`)
    const delivery = read(body)
    expect(delivery.pullRequest?.title).toBe(expected)
    expect(delivery.payload).toBe(body)
  })

  it('case 8: invalid UTF-8 becomes U+FFFD', () => {
    const [before, after] = makeBody('{"number":1,"title":"aXb"}').split('X')
    const body = Buffer.concat([
      Buffer.from(before!),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(after!),
    ])
    expect(read(body).pullRequest?.title).toBe('a\uFFFD\uFFFDb')
  })
})

it('case 9: ignores keys that name prototypes', () => {
  const body =
    '{"__proto__":{"action":"opened","polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  const delivery = read(body)
  expect(delivery).toMatchObject({ action: null, pullRequest: null, repo: null })
  expect(delivery.payload).toBe(body)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  const inner = read(makeBody('{"number":1,"__proto__":{"title":"evil","merged":true}}'))
  expect(inner.pullRequest).toMatchObject({ title: '', state: 'open' })
})

describe('case 10: numbers', () => {
  it.each(['9007199254740993', '2147483648', '0', '-1', '1.5', '1e400', '"7"', 'null', '[7]'])(
    'case 10: rejects %s as pull request number',
    (number) => {
      const delivery = read(makeBody(`{"number":${number}}`))
      expect(delivery).toMatchObject({ hasPullRequest: true, pullRequest: null })
    },
  )

  it.each(['{}', '[]', '"text"', '7', 'true'])('case 10: rejects %s as a pull request', (value) => {
    expect(read(makeBody(value))).toMatchObject({ hasPullRequest: true, pullRequest: null })
  })

  it('case 10: stores an id above 2^53 unchanged', () => {
    const body = makeBody('{"number":2147483647,"id":9007199254740993}')
    const delivery = read(body)
    expect(delivery.pullRequest?.number).toBe(2_147_483_647)
    expect(delivery.payload).toBe(body)
  })
})

it.each([
  ['right-to-left text', 'مرحبا \u202Eevil\u202C'],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈'],
  ['64 KB', 'x'.repeat(65_536)],
  ['quotes and newlines', `"quoted" 'single' \\ back\nnew\r\nline\t<b>`],
])(
  'case 18: keeps %s in title, branch and author, except in impossible account names',
  (_, title) => {
    const fields = JSON.stringify({
      number: 1,
      title,
      head: { ref: title, sha: 'x' },
      user: { login: title },
    })
    const delivery = read(makeBody(fields))
    expect(delivery.pullRequest).toMatchObject({
      title,
      branch: title,
      author: title.length > 255 ? '' : title,
    })
    expect(delivery.payload).toBe(makeBody(fields))
  },
)

describe('repository name before the body is parsed', () => {
  const find = (body: string) => envelopeOf(body).findRepository()

  it.each([
    ['of an array', '[{"repository":{"full_name":"octo/hello"}}]'],
    ['of a list of repositories', '{"repository":[{"full_name":"octo/hello"}]}'],
    [
      'nested elsewhere',
      '{"a":{"repository":{"full_name":"octo/hello"}},"full_name":"octo/hello"}',
    ],
    ['nested deeper', '{"repository":{"owner":{"full_name":"octo/hello"}}}'],
    ['in a text', '{"a":"\\",\\"repository\\":{\\"full_name\\":\\"octo/hello\\"}"}'],
    ['behind an escaped key', '{"repositor\\u0079":{"full_name":"octo/hello"}}'],
    ['that is malformed', '{"repository":{"full_name":"octo/hello/more"}}'],
    ['that is too long', `{"repository":{"full_name":"octo/${'x'.repeat(2000)}"}}`],
    ['that is cut', '{"repository":{"full_name":"octo/hel'],
    [
      'behind more than any platform sends',
      `{"a":[${'{},'.repeat(400_000)}0],"repository":{"full_name":"octo/hello"}}`,
    ],
    ['of no JSON', 'repository full_name octo/hello'],
  ])('case 88: is missing %s', (_, body) => {
    expect(find(body)).toBeNull()
  })

  it.each([
    [
      'spaces of all kinds',
      '\r\n\t { "a" : [ ] ,\n"repository" : { "full_name" : "octo/hello" } }',
    ],
    ['escapes in the name', '{"repository":{"full_name":"octo\\/h\\u0065llo"}}'],
    [
      'values of all kinds before it',
      '{"a":null,"b":-1e5,"c":[[],{"d":["]}"]}],"repository":{"full_name":"octo/hello"}}',
    ],
    [
      'keys that end in backslashes',
      '{"a\\\\":"\\\\\\"","repository":{"id":7,"full_name":"octo/hello"}}',
    ],
    [
      '20 MB of text before it',
      `{"a":"${'x'.repeat(20_000_000)}","repository":{"full_name":"octo/hello"}}`,
    ],
  ])('case 88: is found with %s', (_, body) => {
    expect(find(body)).toBe('octo/hello')
    expect(read(body).repo).toBe('octo/hello')
  })

  it('case 5: is the same in a form and in the parsed form', () => {
    const body = makeBody('{"number":1,"title":"100 % + ü & = 😀"}')
    const form = new URLSearchParams({ payload_of: 'no', payload: body, more: 'x' }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const text of [
      form,
      form.replaceAll('+', '%20'),
      form.replace('payload=%7B', 'payload={'),
    ]) {
      expect(envelopeOf(text, type).findRepository()).toBe('octo/hello')
      expect(read(text, type).payload).toBe(body)
    }
    expect(envelopeOf('a=1', type).findRepository()).toBeNull()
  })
})
