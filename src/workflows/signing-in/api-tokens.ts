// Named tokens for programs: made and revoked by the person whose rights they carry.
import { recordAudit } from '../../accounts/audit.ts'
import { type Caller, countApiTokens, revokeToken, saveToken } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'

/** Of one person, that count. */
const maxApiTokens = 50

/** A token that was just made. */
export interface NewApiToken {
  readonly id: string
  readonly name: string
  readonly expiresAt: Date
  /** It is shown once and not kept. */
  readonly jwt: string
}

/** Makes a token. Throws RequestError `conflict` where the person has too many. */
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

/** Revokes a token of the caller's own. Throws RequestError `not_found` where there is none that counts. */
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
