// Checks with users' own tokens whether they still see what they connected, and hides the rest.
import {
  type AccessCheck,
  type AccessCheckResult,
  claimAccessChecks,
  findUnconfirmedAccess,
  hideUnconfirmedAccess,
  postponeAccessChecks,
  settleAccessCheck,
} from '../../accounts/access-checks.ts'
import { recordAudit } from '../../accounts/audit.ts'
import { maySignIn } from '../../accounts/users.ts'
import type { AppContext, RequestHosts } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { announceConnection } from '../../events/listing.ts'
import { createLimiter } from '../../lib/semaphore.ts'
import { startDeadline } from '../../platforms/deadline.ts'

type AccessContext = Pick<AppContext, 'config' | 'db' | 'userTokens' | 'platform' | 'log'>

/** Background checks leave capacity for requests that people wait for. */
const roundSize = 100
const backgroundConcurrency = 4
/** A person waits for these checks. */
const interactiveConcurrency = 16
const interactiveTimeoutMs = 1500
/** A failed check goes to the end of the queue, so that it can't block the others. */
const minutesAfterFailure = 5
/** A check that is this late was missed by the worker, or there is no worker. */
const overdueSeconds = 60

/**
 * Runs all due checks of the people of a host. Resolves even if the platform doesn't answer; failed
 * checks are due again soon.
 */
export async function checkDueAccess(ctx: AccessContext, signal: AbortSignal): Promise<void> {
  const { id: platform } = ctx.platform
  for (;;) {
    const checks = await claimAccessChecks(ctx.db, { platform, people: 'all', limit: roundSize })
    const isAnswered = await runChecks(ctx, checks, { concurrency: backgroundConcurrency, signal })
    if (checks.length < roundSize || !isAnswered || signal.aborted) return
  }
}

/** Runs the due checks of a user who signs in, within a short time; the worker does the rest. */
export async function checkUserAccess(ctx: AccessContext, userId: number): Promise<void> {
  const input = { platform: ctx.platform.id, people: { userId }, limit: roundSize }
  await checkSoon(ctx, await claimAccessChecks(ctx.db, input))
}

/** Checks one connection that the worker missed, at its host, within a short time. */
export async function checkOverdueAccess(
  service: { readonly hosts: RequestHosts },
  { userId }: { userId: number },
  repo: RepositoryName,
): Promise<void> {
  const ctx = service.hosts.of(repo)
  const target = { platform: ctx.platform.id, people: { userId, repo } }
  await checkSoon(ctx, await claimAccessChecks(ctx.db, { ...target, limit: 1, overdueSeconds }))
}

async function checkSoon(ctx: AccessContext, checks: readonly AccessCheck[]): Promise<void> {
  if (checks.length === 0) return
  await runChecks(ctx, checks, {
    concurrency: interactiveConcurrency,
    signal: startDeadline(interactiveTimeoutMs),
  })
}

/**
 * Runs the checks. Stops using a rate-limited token, and stops altogether when the platform can't
 * be reached; returns false then.
 */
async function runChecks(
  ctx: AccessContext,
  checks: readonly AccessCheck[],
  { concurrency, signal }: { concurrency: number; signal: AbortSignal },
): Promise<boolean> {
  const limit = createLimiter(concurrency)
  const limitedUsers = new Set<number>()
  const unreachable = new AbortController()
  const run = async (check: AccessCheck) => {
    try {
      if (unreachable.signal.aborted || signal.aborted || limitedUsers.has(check.user.userId))
        return
      const result = await checkAtPlatform(ctx, check, signal)
      if (result !== 'refused') return await settle(ctx, check, result)
      await settle(ctx, check, 'unknown', minutesAfterFailure)
      await hideUnconfirmed(ctx, check, { isOfToken: true })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      ctx.log.debug(
        { err: error, repo: check.repo, user: check.user.userId },
        'Whether a user still sees a repository could not be checked',
      )
      if (error.code === 'platform_rate_limited') {
        limitedUsers.add(check.user.userId)
        await postpone(ctx, check, error)
        return await hideUnconfirmed(ctx, check, { isOfToken: true })
      }
      unreachable.abort()
      if (signal.aborted) return
      await settle(ctx, check, 'unknown', minutesAfterFailure)
      await hideUnconfirmed(ctx, check, { isOfToken: false })
    }
  }
  await Promise.all(checks.map((check) => limit(() => run(check))))
  return !unreachable.signal.aborted
}

function postpone(
  ctx: AccessContext,
  { user }: AccessCheck,
  { retryAfterMs = 0 }: PlatformError,
): Promise<void> {
  const limits = { leastSeconds: minutesAfterFailure * 60, minutes: ctx.config.accessCheckMinutes }
  return postponeAccessChecks(ctx.db, user.userId, { seconds: retryAfterMs / 1000, ...limits })
}

/**
 * Hides repositories that weren't confirmed for long although the platform answers others.
 *
 * @param options `isOfToken`: the platform refused or limited the token, which affects all
 *   repositories of the user, not only this one
 */
async function hideUnconfirmed(
  ctx: AccessContext,
  { user, repo }: AccessCheck,
  { isOfToken }: { isOfToken: boolean },
): Promise<void> {
  const minutes = ctx.config.accessCheckMinutes
  const people = isOfToken ? { userId: user.userId } : { userId: user.userId, repo }
  const { records, isAnswering, isAlone } = await findUnconfirmedAccess(
    ctx.db,
    ctx.platform.id,
    people,
    minutes,
  )
  if (records.length === 0) return
  const canOnlyProbe = isOfToken && isAlone
  const isUp = isAnswering || (canOnlyProbe && (await answersWithoutToken(ctx)))
  if (!isUp) return
  for (const record of records) {
    const isHidden = await transactionWithRetry(ctx.db, async (tx) => {
      if (!(await hideUnconfirmedAccess(tx, record.id, minutes))) return false
      await recordAccessChange(tx, user, {
        repo: record.repo,
        isVisible: false,
        isActive: record.isActive,
      })
      return true
    })
    const fields = { repo: record.repo, user: user.userId }
    if (isHidden)
      ctx.log.info(
        fields,
        'The platform did not confirm access to a repository in time: it is hidden from its user',
      )
  }
}

/**
 * Whether the platform answers requests without a token. Only called if no other user's check could
 * have been answered.
 */
async function answersWithoutToken({ platform }: AccessContext): Promise<boolean> {
  try {
    await platform.inspect(null, startDeadline(interactiveTimeoutMs))
    return true
  } catch {
    return false
  }
}

/** @throws PlatformError if the platform gives no definite answer */
async function checkAtPlatform(
  ctx: AccessContext,
  check: AccessCheck,
  signal: AbortSignal,
): Promise<AccessCheckResult | 'refused'> {
  const { user, repo, platformRepoId } = check
  // Users who may not sign in can't see anything here anyway, so their token isn't used.
  if (!maySignIn(ctx.config, user)) return 'unknown'
  const token = await ctx.userTokens.open(user)
  if (token === undefined) return 'refused'
  try {
    const { id } = await ctx.platform.getRepository({ repo, token }, signal)
    // Another repository may have taken the name.
    return id === (platformRepoId ?? id) ? 'seen' : 'hidden'
  } catch (error) {
    const result = error instanceof PlatformError ? resultsByErrorCode[error.code] : undefined
    if (result === undefined) throw error
    return result
  }
}

/** The result that each refusal stands for; other errors are no statement about the user. */
const resultsByErrorCode: Partial<Record<PlatformError['code'], AccessCheckResult | 'refused'>> = {
  platform_not_found: 'hidden',
  platform_forbidden: 'hidden',
  platform_unauthorized: 'refused',
}

/**
 * Saves the result of a check. A change of visibility goes to the audit log and the live streams.
 */
async function settle(
  ctx: AccessContext,
  check: AccessCheck,
  result: AccessCheckResult,
  maxMinutes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { user, repo } = check
  const minutes = Math.min(maxMinutes, ctx.config.accessCheckMinutes)
  const change = await transactionWithRetry(ctx.db, async (tx) => {
    const changed = await settleAccessCheck(tx, check, { finding: result, minutes })
    if (changed === undefined) return undefined
    await recordAccessChange(tx, user, { repo, ...changed })
    return changed
  })
  if (change === undefined) return
  const fields = { repo, user: user.userId }
  if (change.isVisible) ctx.log.info(fields, 'A user sees a connected repository again')
  else
    ctx.log.info(
      fields,
      'A user no longer sees a connected repository at the platform: it is hidden from them',
    )
}

async function recordAccessChange(
  tx: Db,
  user: AccessCheck['user'],
  { repo, isVisible, isActive }: { repo: RepositoryName; isVisible: boolean; isActive: boolean },
): Promise<void> {
  await recordAudit(tx, user, isVisible ? 'access_regained' : 'access_lost', repo)
  await announceConnection(tx, { repo, user: user.userId, connected: isVisible && isActive })
}
