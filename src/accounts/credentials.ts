// The JWTs that Umpire gives out (RFC 7519), signed with HMAC-SHA-256 and nothing else.
import { errors, jwtVerify, SignJWT } from 'jose'
import type { KeyRing } from '../lib/key-ring.ts'

/**
 * Where a JWT is accepted: in the cookie or in the `Authorization` header, never in the other one. It is the audience
 * of the JWT.
 */
export type CredentialPlace = 'cookie' | 'bearer'

/** What a JWT says, after its signature, audience, issuer and times were checked. Whether it still counts is in `tokens`. */
export interface Claims {
  readonly userId: number
  /** Id in `tokens`. */
  readonly tokenId: string
}

/** Gives JWTs out and checks them. */
export interface Credentials {
  issue(place: CredentialPlace, claims: Claims, expiresAt: Date): Promise<string>
  /** Null for everything that isn't one of our own for this place, now. */
  verify(place: CredentialPlace, jwt: string): Promise<Claims | null>
}

const algorithm = 'HS256'
/** No JWT of ours is longer; what is isn't even decoded. */
const maxJwtLength = 2000

/** @param issuer the public address; tokens of another deployment don't count here */
export function createCredentials(keys: KeyRing, issuer: string): Credentials {
  const audienceOf = (place: CredentialPlace) => `umpire ${place}`
  return {
    issue(place, { userId, tokenId }, expiresAt) {
      return new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: keys.current.id })
        .setIssuer(issuer)
        .setAudience(audienceOf(place))
        .setSubject(String(userId))
        .setJti(tokenId)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(keys.current.signing)
    },
    async verify(place, jwt) {
      if (jwt.length > maxJwtLength) return null
      try {
        const { payload } = await jwtVerify(jwt, ({ kid }) => findKey(keys, kid), {
          algorithms: [algorithm],
          issuer,
          audience: audienceOf(place),
          requiredClaims: ['sub', 'jti', 'iat', 'exp'],
        })
        return readClaims(payload)
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}

function findKey(keys: KeyRing, kid: string | undefined): Uint8Array {
  const found = kid === undefined ? undefined : keys.find(kid)
  if (found === undefined) throw new errors.JWKSNoMatchingKey()
  return found.signing
}

function readClaims({ sub, jti }: { sub?: string; jti?: string }): Claims | null {
  if (!/^[1-9]\d{0,14}$/.test(sub ?? '') || !isTokenId(jti ?? '')) return null
  return { userId: Number(sub), tokenId: jti as string }
}

/** Whether it can be the id of a credential at all. */
export function isTokenId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
}
