// Reads the caller's own platform token, for requests in their name.
import type { AppContext } from '../../context.ts'
import { RequestError } from '../../domain/errors.ts'

/** @throws RequestError `not_authenticated` if there is none, or it can't be decrypted */
export async function requirePlatformToken(
  ctx: Pick<AppContext, 'userTokens'>,
  userId: number,
): Promise<string> {
  const token = await ctx.userTokens.read(userId)
  if (token !== undefined) return token
  throw new RequestError('not_authenticated', 'Session expired — please log out and sign in again.')
}
