// Asks the platform, with people's own tokens, whether they may still see what they connected, and hides what they may not.
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
import { maySignIn, unsealToken } from '../../accounts/users.ts'
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { announceConnection } from '../../events/listing.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { startDeadline } from '../../platforms/deadline.ts'

export type AccessContext = Pick<AppContext, 'config' | 'db' | 'keys' | 'platform' | 'log'>

/** At a time, by one process: what is looked at in the background leaves room for what people wait for. */
const roundSize = 100
const backgroundConcurrency = 4
/** Somebody waits for these. */
const interactiveConcurrency = 16
const interactiveTimeoutMs = 1500
/** What the platform gives no answer about makes room for others, who would wait behind it for ever. */
const minutesAfterFailure = 5
/** The background didn't come by: nobody could do anything for so long, or there is no worker. */
const overdueSeconds = 60

/** Checks what is due. Resolves also where the platform doesn't answer; those are due again soon. */
export async function checkDueAccess(ctx: AccessContext, signal: AbortSignal): Promise<void> {
  for (;;) {
    const checks = await claimAccessChecks(ctx.db, { people: 'all', limit: roundSize })
    const isAnswered = await runChecks(ctx, checks, { atOnce: backgroundConcurrency, signal })
    if (checks.length < roundSize || !isAnswered || signal.aborted) return
  }
}

/** Checks what is due of a person who signs in, as far as the platform answers soon. The background does the others. */
export async function checkUserAccess(ctx: AccessContext, userId: number): Promise<void> {
  await checkSoon(ctx, await claimAccessChecks(ctx.db, { people: { userId }, limit: roundSize }))
}

/** Checks one connection where nobody did for too long, as far as the platform answers soon. */
export async function checkOverdueAccess(
  ctx: AccessContext,
  { userId }: { userId: number },
  repo: RepositoryName,
): Promise<void> {
  await checkSoon(
    ctx,
    await claimAccessChecks(ctx.db, { people: { userId, repo }, limit: 1, overdueSeconds }),
  )
}

async function checkSoon(ctx: AccessContext, checks: readonly AccessCheck[]): Promise<void> {
  if (checks.length === 0) return
  await runChecks(ctx, checks, {
    atOnce: interactiveConcurrency,
    signal: startDeadline(interactiveTimeoutMs),
  })
}

/** Asks no more of a token that was asked too much, and of nobody's when the platform can't be reached: false then. */
async function runChecks(
  ctx: AccessContext,
  checks: readonly AccessCheck[],
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
): Promise<boolean> {
  const slots = createSemaphore(atOnce)
  const limited = new Set<number>()
  const isOver = new AbortController()
  const run = async (check: AccessCheck) => {
    const release = await slots.acquire()
    try {
      if (isOver.signal.aborted || signal.aborted || limited.has(check.user.userId)) return
      const finding = await checkAtPlatform(ctx, check, signal)
      if (finding !== 'refused') return await settle(ctx, check, finding)
      await settle(ctx, check, 'unknown', minutesAfterFailure)
      await hideUnconfirmed(ctx, check, { isOfToken: true })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      ctx.log.debug(
        { err: error, repo: check.repo, user: check.user.userId },
        'Who may see what is not known now',
      )
      if (error.code === 'platform_rate_limited') {
        limited.add(check.user.userId)
        await postpone(ctx, check, error)
        return await hideUnconfirmed(ctx, check, { isOfToken: true })
      }
      isOver.abort()
      if (signal.aborted) return
      await settle(ctx, check, 'unknown', minutesAfterFailure)
      await hideUnconfirmed(ctx, check, { isOfToken: false })
    } finally {
      release()
    }
  }
  await Promise.all(checks.map(run))
  return !isOver.signal.aborted
}

function postpone(
  ctx: AccessContext,
  { user }: AccessCheck,
  { retryAfterMs = 0 }: PlatformError,
): Promise<void> {
  const least = { leastSeconds: minutesAfterFailure * 60, minutes: ctx.config.accessCheckMinutes }
  return postponeAccessChecks(ctx.db, user.userId, { seconds: retryAfterMs / 1000, ...least })
}

/**
 * Hides what the platform hasn't confirmed to a person for long, for whatever reason, while it answers others.
 *
 * @param options `isOfToken`: it refused or limited their token, and so all that they see; else it said nothing of the repository
 */
async function hideUnconfirmed(
  ctx: AccessContext,
  { user, repo }: AccessCheck,
  { isOfToken }: { isOfToken: boolean },
): Promise<void> {
  const minutes = ctx.config.accessCheckMinutes
  const people = isOfToken ? { userId: user.userId } : { userId: user.userId, repo }
  const { records, isAnswering, isAlone } = await findUnconfirmedAccess(ctx.db, people, minutes)
  if (records.length === 0) return
  const isUp = isAnswering || (isOfToken && isAlone && (await answersWithoutToken(ctx)))
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
        'The platform has not confirmed for long what somebody connected: it is hidden from them',
      )
  }
}

/** Whether the platform is there for who has no token. Asked only where nobody else could have had an answer. */
async function answersWithoutToken({ platform }: AccessContext): Promise<boolean> {
  try {
    await platform.inspect(null, startDeadline(interactiveTimeoutMs))
    return true
  } catch {
    return false
  }
}

/** @throws PlatformError where it doesn't say */
async function checkAtPlatform(
  ctx: AccessContext,
  check: AccessCheck,
  signal: AbortSignal,
): Promise<AccessCheckResult | 'refused'> {
  const { user, repo, platformRepoId } = check
  // Their token is not to be used; they can't come in either.
  if (!maySignIn(ctx.config.signInAllowed, user.login)) return 'unknown'
  const token = unsealToken(ctx.keys, user)
  if (token === undefined) return 'refused'
  try {
    const { id } = await ctx.platform.getRepository({ repo, token }, signal)
    // Another repository may have got the name since.
    return id === (platformRepoId ?? id) ? 'seen' : 'hidden'
  } catch (error) {
    const finding = error instanceof PlatformError ? resultsByErrorCode[error.code] : undefined
    if (finding === undefined) throw error
    return finding
  }
}

/** What a refusal means; others say nothing about the person. */
const resultsByErrorCode: Partial<Record<PlatformError['code'], AccessCheckResult | 'refused'>> = {
  platform_not_found: 'hidden',
  platform_forbidden: 'hidden',
  platform_unauthorized: 'refused',
}

/** Writes down what a check came to; tells the audit log and the live streams where something is shown or hidden by it. */
async function settle(
  ctx: AccessContext,
  check: AccessCheck,
  finding: AccessCheckResult,
  mostMinutes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { user, repo } = check
  const minutes = Math.min(mostMinutes, ctx.config.accessCheckMinutes)
  const change = await transactionWithRetry(ctx.db, async (tx) => {
    const changed = await settleAccessCheck(tx, check, { finding, minutes })
    if (changed === undefined) return undefined
    await recordAccessChange(tx, user, { repo, ...changed })
    return changed
  })
  if (change === undefined) return
  const fields = { repo, user: user.userId }
  if (change.isVisible)
    ctx.log.info(fields, 'The platform shows a repository again to who connected it')
  else
    ctx.log.info(
      fields,
      'The platform shows a repository no more to who connected it: it is hidden from them',
    )
}

/** Tells the audit log and the live streams. */
async function recordAccessChange(
  tx: Db,
  user: AccessCheck['user'],
  { repo, isVisible, isActive }: { repo: RepositoryName; isVisible: boolean; isActive: boolean },
): Promise<void> {
  await recordAudit(tx, user, isVisible ? 'access_regained' : 'access_lost', repo)
  await announceConnection(tx, { repo, user: user.userId, connected: isVisible && isActive })
}
