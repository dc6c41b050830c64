// Authenticates bearer tokens that do not arrive as the header of an API request.
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { Credentials } from './credentials.ts'
import { type Caller, findCaller } from './tokens.ts'
import type { SignInConfig } from './users.ts'

/** @throws RequestError `not_authenticated` when the token is invalid, expired or revoked */
export async function authenticateBearer(
  ctx: {
    readonly db: Db
    readonly credentials: Credentials
    readonly config: SignInConfig
  },
  jwt: string,
): Promise<Caller> {
  const claims = await ctx.credentials.verify('bearer', jwt)
  const caller = claims === null ? undefined : await findCaller(ctx.db, claims, ctx.config)
  if (caller === undefined)
    throw new RequestError('not_authenticated', 'The token is invalid, expired or revoked')
  return caller
}
