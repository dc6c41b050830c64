// Opens people's platform tokens, and renews those that expire: each is renewed by one process.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  claimTokenRenewal,
  findTokenHolder,
  releaseTokenRenewal,
  saveRenewedGrant,
  type TokenHolder,
  unsealGrant,
} from '../../accounts/users.ts'
import type { Db } from '../../db/database.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { Log } from '../../lib/logger.ts'
import type { HostSettings } from '../../platforms/code-hosts.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { OAuthGrant, Platform } from '../../platforms/platform.ts'
import { findApplication } from './find-application.ts'

export interface UserTokens {
  /**
   * Reads a person's token; undefined if there is none, it can't be decrypted or renewed, or the
   * person belongs to another host. While
   * the platform doesn't answer, it is the stored one, which may have expired.
   */
  read(userId: number): Promise<string | undefined>
  /**
   * Decrypts a token that was read from the database, and renews it if it expires soon.
   *
   * @throws PlatformError if the platform doesn't answer
   */
  open(holder: IdentifiedHolder): Promise<string | undefined>
}

type IdentifiedHolder = TokenHolder & { readonly userId: number }
interface TokenContext {
  readonly config: Pick<HostSettings, 'platform'>
  readonly db: Db
  readonly keys: KeyRing
  readonly platform: Platform
  readonly log: Log
}

/** A token is renewed this long before it expires. */
const renewalMarginMs = 10 * 60_000
const renewalTimeoutMs = 15_000
/** Another process may be renewing the token; its claim expires if it dies. */
const claimSeconds = 30
const retryMs = 200

export function createUserTokens(ctx: TokenContext): UserTokens {
  const renewals = new Map<number, Promise<string | undefined>>()

  function renewOnce(userId: number): Promise<string | undefined> {
    const running = renewals.get(userId)
    if (running !== undefined) return running
    const renewal = renew(ctx, userId).finally(() => renewals.delete(userId))
    renewals.set(userId, renewal)
    return renewal
  }

  async function open(holder: IdentifiedHolder): Promise<string | undefined> {
    // A token goes only to the host that issued it.
    if (holder.platform !== ctx.platform.id) return undefined
    const grant = unsealGrant(ctx.keys, holder)
    if (grant === undefined || !expiresSoon(grant)) return grant?.token
    return renewOnce(holder.userId)
  }

  return {
    open,
    async read(userId) {
      const holder = await findTokenHolder(ctx.db, userId)
      if (holder === undefined) return undefined
      return open({ ...holder, userId }).catch((error) => {
        if (!(error instanceof PlatformError)) throw error
        return unsealGrant(ctx.keys, holder)?.token
      })
    },
  }
}

function expiresSoon({ refreshToken, expiresAt }: Omit<OAuthGrant, 'scopes'>): boolean {
  return (
    refreshToken !== null &&
    expiresAt !== null &&
    expiresAt.getTime() - Date.now() < renewalMarginMs
  )
}

/** Renews the stored token, or waits while another process does. */
async function renew(ctx: TokenContext, userId: number): Promise<string | undefined> {
  const deadline = performance.now() + claimSeconds * 1000
  while (performance.now() < deadline) {
    const holder = await claimTokenRenewal(ctx.db, userId, claimSeconds)
    if (holder !== undefined) return renewClaimed(ctx, { ...holder, userId })
    await sleep(retryMs)
    const stored = await findTokenHolder(ctx.db, userId)
    const grant = stored && unsealGrant(ctx.keys, stored)
    if (grant === undefined || !expiresSoon(grant)) return grant?.token
  }
  return undefined
}

/** The platform accepts a refresh token only once, so the new one is stored at once. */
async function renewClaimed(
  ctx: TokenContext,
  holder: IdentifiedHolder,
): Promise<string | undefined> {
  try {
    const grant = unsealGrant(ctx.keys, holder)
    // Another process may have renewed it before this one claimed it.
    if (grant === undefined || !expiresSoon(grant)) return grant?.token
    const application = await findApplication(ctx)
    if (application === undefined || grant.refreshToken === null) return undefined
    const signal = startDeadline(renewalTimeoutMs)
    const renewed = await ctx.platform.renewGrant(application, grant.refreshToken, signal)
    await saveRenewedGrant(ctx.db, ctx.keys, holder, renewed)
    return renewed.token
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const fields = { user: holder.userId, reason: error.message }
    ctx.log.warn(fields, 'The token of a user could not be renewed')
    if (error.retryable) throw error
    return undefined
  } finally {
    await releaseTokenRenewal(ctx.db, holder.userId)
  }
}
