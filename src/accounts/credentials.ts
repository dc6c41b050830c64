// Issues and verifies Umpire's JWTs (RFC 7519), which are signed with HMAC-SHA-256 only.
import { errors, jwtVerify, SignJWT } from 'jose'
import type { KeyRing } from '../lib/key-ring.ts'

/**
 * Where a JWT is accepted: as a cookie or in the `Authorization` header, never in both. It is the
 * audience of the JWT.
 */
export type CredentialPlace = 'cookie' | 'bearer'

/** The claims of a verified JWT. Whether it was revoked is stored in `tokens`. */
export interface Claims {
  readonly userId: number
  /** It refers to a row of `tokens`. */
  readonly tokenId: string
}

export interface Credentials {
  issue(place: CredentialPlace, claims: Claims, expiresAt: Date): Promise<string>
  /** Returns null for a JWT that isn't ours, has expired, or was issued for another place. */
  verify(place: CredentialPlace, jwt: string): Promise<Claims | null>
}

const algorithm = 'HS256'
/** Our JWTs are shorter. A longer one is rejected before it is decoded. */
const maxJwtLength = 2000

/** @param issuer the public address, so that tokens of another deployment are rejected */
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

/** Whether the text has the format of a credential's id. */
export function isTokenId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
}
