// Tests which credentials each endpoint accepts, on each database engine.
import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyRing } from '../../src/lib/key-ring.ts'
import {
  type AccountScenario,
  aliceToken,
  bobToken,
  publicUrl,
  secretKey,
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

/** One endpoint for each kind of credential, and how a JWT is sent there. */
const places = {
  cookie: {
    path: '/api/v1/tokens',
    detail: 'Not authenticated',
    carry: (jwt: string) => ({ cookie: `access_token=${jwt}` }),
  },
  bearer: {
    path: '/api/v1/memory/project-map?repo=acme/shop',
    detail: 'Unauthorized',
    carry: (jwt: string) => ({ authorization: `Bearer ${jwt}` }),
  },
} as const
type Place = keyof typeof places

async function request(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(scene.app.url + path, { method, headers })
  return { status: response.status, body: (await response.json()) as { detail?: string } }
}

const send = (place: Place, jwt: string) => request(places[place].path, places[place].carry(jwt))
const refusal = (place: Place) => ({ status: 401, body: { detail: places[place].detail } })

type Fields = Record<string, unknown>
const encode = (fields: Fields) => Buffer.from(JSON.stringify(fields)).toString('base64url')
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Fields
const keys = createKeyRing(secretKey, []).current

/** Alice's JWT, signed again with other fields, another key or another algorithm. */
function forge(
  place: Place,
  change: { header?: Fields; payload?: Fields; key?: Uint8Array; hash?: string } = {},
): string {
  const [header = '', payload = ''] = jwtOf(alice, place).split('.')
  const changedHeader = encode({ ...decode(header), ...change.header })
  const changedPayload = encode({ ...decode(payload), ...change.payload })
  const text = `${changedHeader}.${changedPayload}`
  const signature = createHmac(change.hash ?? 'sha256', change.key ?? keys.signing).update(text)
  return `${text}.${signature.digest('base64url')}`
}

function jwtOf(person: SignedInUser, place: Place): string {
  return place === 'cookie' ? person.session : person.bearer.authorization.slice('Bearer '.length)
}

const now = Math.floor(Date.now() / 1000)
const unsigned = (place: Place, alg: string) =>
  forge(place, { header: { alg } }).replace(/[^.]+$/, '')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ownJwk = rsa.publicKey.export({ format: 'jwk' })

function forgeByRsa(place: Place, header: Fields): string {
  const text = forge(place, { header: { alg: 'RS256', ...header } }).replace(/\.[^.]+$/, '')
  return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`
}

/** Functions that create a JWT which must be refused. */
const forgeries: Record<string, (place: Place) => string> = {
  'alg none, without a signature': (place) => unsigned(place, 'none'),
  'alg None, in another spelling': (place) => unsigned(place, 'nOnE'),
  'alg none, with the signature': (place) => forge(place, { header: { alg: 'none' } }),
  'HS512 with the right key': (place) => forge(place, { header: { alg: 'HS512' }, hash: 'sha512' }),
  'HS384 with the right key': (place) => forge(place, { header: { alg: 'HS384' }, hash: 'sha384' }),
  'RS256 under a key of its own': (place) => forgeByRsa(place, { kid: keys.id }),
  'RS256 with its own key in the header': (place) =>
    forgeByRsa(place, { kid: keys.id, jwk: ownJwk }),
  'HS256 with its own key in the header': (place) =>
    forge(place, {
      header: { jwk: { kty: 'oct', k: 'AAAA' } },
      key: Buffer.from('AAAA', 'base64url'),
    }),
  'jku of another site': (place) => forgeByRsa(place, { jku: `${scene.forge.url}/keys.json` }),
  'x5u of another site': (place) => forgeByRsa(place, { x5u: `${scene.forge.url}/keys.pem` }),
  'kid of no key': (place) => forge(place, { header: { kid: '0'.repeat(16) } }),
  'kid that is a path to an empty file': (place) =>
    forge(place, { header: { kid: '../../../dev/null' }, key: new Uint8Array() }),
  'kid that names a prototype': (place) =>
    forge(place, { header: { kid: '__proto__' }, key: new Uint8Array() }),
  'kid that is an object': (place) => forge(place, { header: { kid: { id: keys.id } } }),
  'no kid': (place) => forge(place, { header: { kid: undefined } }),
  'an extension that must be understood': (place) => forge(place, { header: { crit: ['exp'] } }),
  'an unencoded payload': (place) => forge(place, { header: { crit: ['b64'], b64: false } }),
  'a key of the secret that was not derived': (place) =>
    forge(place, { key: Buffer.from(secretKey) }),
  'the key for sealing': (place) => forge(place, { key: keys.sealing }),
  expired: (place) => forge(place, { payload: { exp: now - 1 } }),
  'without an expiry': (place) => forge(place, { payload: { exp: undefined } }),
  'an expiry that is a string': (place) => forge(place, { payload: { exp: String(now + 900) } }),
  'not valid yet': (place) => forge(place, { payload: { nbf: now + 600 } }),
  'another audience': (place) => forge(place, { payload: { aud: 'umpire' } }),
  'the audience of the other place': (place) =>
    forge(place, { payload: { aud: place === 'cookie' ? 'umpire bearer' : 'umpire cookie' } }),
  'no audience': (place) => forge(place, { payload: { aud: undefined } }),
  'another issuer': (place) => forge(place, { payload: { iss: `${publicUrl}.evil.example` } }),
  'no issuer': (place) => forge(place, { payload: { iss: undefined } }),
  'another user with a valid signature': (place) =>
    forge(place, { payload: { sub: decode(jwtOf(bob, place).split('.')[1]!).sub } }),
  'a user that is not a number': (place) => forge(place, { payload: { sub: '1 or true' } }),
  'no user': (place) => forge(place, { payload: { sub: undefined } }),
  'the id of an unknown credential': (place) => forge(place, { payload: { jti: randomUUID() } }),
  'a malformed id': (place) => forge(place, { payload: { jti: '-'.repeat(36) } }),
  'no id': (place) => forge(place, { payload: { jti: undefined } }),
  'a changed payload under the old signature': (place) =>
    [
      ...forge(place, { payload: { sub: '2' } })
        .split('.')
        .slice(0, 2),
      jwtOf(alice, place).split('.')[2],
    ].join('.'),
  "the header and payload of one, the other's signature": (place) =>
    [...jwtOf(alice, place).split('.').slice(0, 2), jwtOf(bob, place).split('.')[2]].join('.'),
  'a signature cut short': (place) => jwtOf(alice, place).slice(0, -2),
  'no signature': (place) => jwtOf(alice, place).replace(/[^.]+$/, ''),
  'a fourth part': (place) => `${jwtOf(alice, place)}.x`,
  'an oversized payload': (place) => forge(place, { payload: { more: 'x'.repeat(2000) } }),
  'no JWT at all': () => 'x.y.z',
  'only dots': () => '..',
}

describe.each(['cookie', 'bearer'] as const)('case 19: forged and stale tokens as %s', (place) => {
  it('accepts an issued JWT, and the same claims signed again with the key', async () => {
    for (const jwt of [jwtOf(alice, place), forge(place)])
      expect((await send(place, jwt)).status).not.toBe(401)
  })

  it.each(Object.entries(forgeries))('refuses %s', async (_what, make) => {
    expect(await send(place, make(place))).toEqual(refusal(place))
  })

  it('fetches no keys from other sites', () => {
    expect(scene.forge.requests.filter(({ path }) => path.startsWith('/keys'))).toEqual([])
  })

  it('refuses a token of a deleted user', async () => {
    scene.forge.createUser(`gone-${place}`, { token: `ghp_token_of_gone_${place}` })
    const gone = await signInWithToken(scene.app, `ghp_token_of_gone_${place}`)
    expect((await send(place, jwtOf(gone, place))).status).not.toBe(401)
    await scene.app.db.deleteFrom('users').where('login', '=', `gone-${place}`).execute()
    expect(await send(place, jwtOf(gone, place))).toEqual(refusal(place))
  })
})

describe('case 20: a token in the wrong place', () => {
  it.each(['access_token', 'token', 'authorization', 'jwt'])(
    'is not read from %s in the query',
    async (name) => {
      for (const place of ['cookie', 'bearer'] as const) {
        const { path } = places[place]
        const query = new URLSearchParams({ [name]: jwtOf(alice, place) })
        expect(await request(`${path}${path.includes('?') ? '&' : '?'}${query}`)).toEqual(
          refusal(place),
        )
      }
    },
  )

  it('is not accepted as the other credential', async () => {
    expect(await send('cookie', jwtOf(alice, 'bearer'))).toEqual(refusal('cookie'))
    expect(await send('bearer', jwtOf(alice, 'cookie'))).toEqual(refusal('bearer'))
  })

  it('is not read from a header or cookie that the endpoint does not use', async () => {
    expect(await request(places.cookie.path, alice.bearer)).toEqual(refusal('cookie'))
    expect(await request(places.bearer.path, alice.cookie)).toEqual(refusal('bearer'))
  })

  it.each([
    ['', 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    ['Basic YWxpY2U6', 401],
    ['bearer <jwt>', 200],
    ['Bearer   <jwt>', 200],
    ['Bearer <jwt> x', 401],
    ['Bearer <jwt>, Bearer <jwt>', 401],
  ])('an Authorization of %j takes precedence over a valid cookie', async (form, status) => {
    const authorization = form.replaceAll('<jwt>', jwtOf(alice, 'bearer'))
    const answer = await request('/auth/me', { ...alice.cookie, authorization })
    expect(answer.status).toBe(status)
    if (status === 401) expect(answer.body).toEqual({ detail: 'Unauthorized' })
  })

  it('is read from the first of several cookies of its name', async () => {
    const forged = 'access_token=x.y.z'
    expect(
      (await request('/auth/me', { cookie: `${alice.cookie.cookie}; ${forged}` })).status,
    ).toBe(200)
    expect(await request('/auth/me', { cookie: `${forged}; ${alice.cookie.cookie}` })).toEqual(
      refusal('cookie'),
    )
    for (const cookie of [
      'access_token',
      'access_token=',
      'access_token=%',
      '__proto__=x',
      ';;=;',
    ]) {
      expect(await request('/auth/me', { cookie })).toEqual(refusal('cookie'))
    }
  })
})

describe('case 21: a cross-site POST with the cookie', () => {
  const writes = [
    ['POST', '/api/v1/auth/token'],
    ['POST', '/api/v1/tokens'],
    ['DELETE', `/api/v1/tokens/${randomUUID()}`],
    ['POST', '/auth/logout'],
  ] as const

  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an Origin that only begins like ours', { origin: `${publicUrl}.evil.example` }],
    ['our Origin on plain http', { origin: publicUrl.replace('https:', 'http:') }],
    ['the Origin null', { origin: 'null' }],
    ['a malformed Origin', { origin: 'x' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    [
      'our Origin and Sec-Fetch-Site: cross-site',
      { origin: publicUrl, 'sec-fetch-site': 'cross-site' },
    ],
  ])('is refused with %s', async (_what, headers) => {
    for (const [method, path] of writes) {
      const answer = await request(path, { ...alice.cookie, ...headers }, method)
      expect(answer, path).toEqual({ status: 403, body: { detail: 'Cross-site request refused' } })
    }
    expect((await request('/auth/me', alice.cookie)).status).toBe(200)
  })

  it('is refused for signing in, which would sign in another account', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' }
    const init = { method: 'POST', headers, body: JSON.stringify({ token: aliceToken }) }
    const response = await fetch(`${scene.app.url}/auth/login`, init)
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })

  it.each([
    ['our Origin', { origin: publicUrl, 'sec-fetch-site': 'same-origin' }],
    ['neither header', {}],
  ])('is not assumed with %s', async (_what, headers) => {
    expect(
      (await request('/api/v1/auth/token', { ...alice.cookie, ...headers }, 'POST')).status,
    ).toBe(200)
  })
})
