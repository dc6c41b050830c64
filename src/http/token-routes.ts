// Serves API tokens. Requires the cookie, so that a token can't create another one.
import { listApiTokens } from '../accounts/tokens.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/account-endpoints.ts'
import { createApiToken, revokeApiToken } from '../workflows/signing-in/api-tokens.ts'
import type { AddRoute } from './add-route.ts'

export function addTokenRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.listApiTokens, async ({ caller }) => ({
    tokens: await listApiTokens(ctx.db, caller.userId),
  }))

  addRoute(contract.createApiToken, async ({ caller, body }) => {
    const { name, expires_in_days: days } = body
    const { jwt, ...token } = await createApiToken(ctx, caller, { name, days })
    return { ...token, token: jwt }
  })

  addRoute(contract.revokeApiToken, async ({ caller, params: { id } }) => {
    await revokeApiToken(ctx, caller, id)
    return { status: 'revoked' as const, id }
  })
}
