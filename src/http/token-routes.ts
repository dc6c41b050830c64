// Serves API tokens. Requires the cookie, so that a token can't create another one.
import { listApiTokens } from '../accounts/tokens.ts'
import type { AppContext } from '../context.ts'
import * as contract from '../contract/account-schemas.ts'
import { createApiToken, revokeApiToken } from '../workflows/signing-in/api-tokens.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'

/** Adds the routes under `/api/v1/tokens`. */
export function addTokenRoutes(
  server: Server,
  ctx: AppContext,
  { cookie: onRequest }: Authenticate,
): void {
  server.get(
    '/api/v1/tokens',
    { schema: contract.listApiTokensSchema, onRequest },
    async (request) => {
      const tokens = await listApiTokens(ctx.db, callerOf(request).userId)
      return {
        tokens: tokens.map(({ id, name, createdAt, expiresAt, lastUsedAt }) => ({
          id,
          name,
          created_at: createdAt,
          expires_at: expiresAt,
          last_used_at: lastUsedAt,
        })),
      }
    },
  )

  server.post(
    '/api/v1/tokens',
    { schema: contract.createApiTokenSchema, onRequest },
    async (request) => {
      const { name, expires_in_days: days } = request.body
      const token = await createApiToken(ctx, callerOf(request), { name, days })
      return { id: token.id, name: token.name, expires_at: token.expiresAt, token: token.jwt }
    },
  )

  server.delete(
    '/api/v1/tokens/:id',
    { schema: contract.revokeApiTokenSchema, onRequest },
    async (request) => {
      const { id } = request.params
      await revokeApiToken(ctx, callerOf(request), id)
      return { status: 'revoked' as const, id }
    },
  )
}
