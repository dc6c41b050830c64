// Reads the caller's own platform token, for requests in their name.
import type { AppContext } from '../../context.ts'
import { RequestError, type UmpireError } from '../../domain/errors.ts'

/** @throws RequestError `not_authenticated` if there is none that can be decrypted and renewed */
export async function requirePlatformToken(
  ctx: Pick<AppContext, 'userTokens'>,
  userId: number,
): Promise<string> {
  const token = await ctx.userTokens.read(userId)
  if (token !== undefined) return token
  throw lostTokenError()
}

/** @param cause the platform's error, if it refused the token, which has ended or was revoked */
export function lostTokenError(cause?: UmpireError): RequestError {
  const message = 'Session expired — please log out and sign in again.'
  return new RequestError('not_authenticated', message, { cause })
}
