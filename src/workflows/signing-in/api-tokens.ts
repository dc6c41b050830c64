// Creates and revokes named API tokens, which carry the rights of their user.
import { recordAudit } from '../../accounts/audit.ts'
import { type Caller, countApiTokens, revokeToken, saveToken } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'

/** A user can have at most this many active tokens. */
const maxApiTokens = 50

interface NewApiToken {
  readonly id: string
  readonly name: string
  readonly expiresAt: Date
  /** It is shown once and not stored. */
  readonly jwt: string
}

/** Creates a token. Throws RequestError `conflict` if the user has too many. */
export async function createApiToken(
  ctx: Pick<AppContext, 'db' | 'credentials'>,
  caller: Caller,
  { name, days }: { name: string; days: number },
): Promise<NewApiToken> {
  const { userId } = caller
  const expiresAt = new Date(Date.now() + days * 24 * 3600 * 1000)
  const id = await transactionWithRetry(ctx.db, async (tx) => {
    if ((await countApiTokens(tx, userId)) >= maxApiTokens) {
      throw new RequestError('conflict', `You have ${maxApiTokens} tokens: revoke one first`)
    }
    const tokenId = await saveToken(tx, { userId, kind: 'api', name, expiresAt })
    await recordAudit(tx, caller, 'token_created', name)
    return tokenId
  })
  return {
    id,
    name,
    expiresAt,
    jwt: await ctx.credentials.issue('bearer', { userId, tokenId: id }, expiresAt),
  }
}

/**
 * Revokes a token of the caller. Throws RequestError `not_found` if there is no such active token.
 */
export async function revokeApiToken(
  ctx: Pick<AppContext, 'db'>,
  caller: Caller,
  tokenId: string,
): Promise<void> {
  await transactionWithRetry(ctx.db, async (tx) => {
    const revoked = await revokeToken(tx, { userId: caller.userId, tokenId, kind: 'api' })
    if (revoked === undefined) throw new RequestError('not_found', 'Token not found')
    await recordAudit(tx, caller, 'token_revoked', revoked.name)
  })
}
