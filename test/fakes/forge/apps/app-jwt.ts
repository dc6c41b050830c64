// The JSON Web Tokens by which an App proves who it is.
import { compactVerify, decodeJwt, type JWTPayload } from 'jose'
import { type ForgeRequest, refuse } from '../http.ts'
import type { ForgeState } from '../state.ts'
import type { App } from './app-state.ts'

const maxLifetimeSeconds = 600

/** Returns whether a credential has the form of a JSON Web Token. */
export const isJwt = (credential: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)

/** Returns the App that signed the request's token. Throws GitHub's 401 for any other request. */
export async function requireApp(state: ForgeState, request: ForgeRequest): Promise<App> {
  const undecodable = refuse(401, 'A JSON web token could not be decoded')
  if (request.jwt === null) throw undecodable
  let claims: JWTPayload
  try {
    claims = decodeJwt(request.jwt)
  } catch {
    throw undecodable
  }
  const issuer = String(claims.iss)
  const app = state.apps.find((one) => one.clientId === issuer || String(one.id) === issuer)
  if (app === undefined) throw refuse(404, 'Integration not found')
  const { protectedHeader } = await compactVerify(request.jwt, app.publicKey, {
    algorithms: ['RS256'],
  }).catch(() => Promise.reject(undecodable))
  if (protectedHeader.alg !== 'RS256') throw undecodable
  checkTimes(claims, Math.floor(state.clock().getTime() / 1000))
  return app
}

function checkTimes(claims: JWTPayload, seconds: number): void {
  if (!Number.isInteger(claims.iat) || claims.iat! > seconds) {
    throw refuse(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    )
  }
  if (typeof claims.exp !== 'number' || claims.exp <= seconds) {
    throw refuse(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    )
  }
  if (claims.exp - seconds > maxLifetimeSeconds) {
    throw refuse(401, "'Expiration time' claim ('exp') is too far in the future")
  }
}
