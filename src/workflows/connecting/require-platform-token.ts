// Reads the caller's own platform token, for requests in their name.
import { readPlatformToken } from '../../accounts/users.ts'
import type { AppContext } from '../../context.ts'
import { RequestError } from '../../domain/errors.ts'

/** @throws RequestError `not_authenticated` if there is none, or it can't be decrypted */
export async function requirePlatformToken(
  ctx: Pick<AppContext, 'db' | 'keys'>,
  userId: number,
): Promise<string> {
  const token = await readPlatformToken(ctx.db, ctx.keys, userId)
  if (token !== undefined) return token
  throw new RequestError('not_authenticated', 'Session expired — please log out and sign in again.')
}
