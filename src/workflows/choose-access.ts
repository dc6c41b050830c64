// Chooses with whose token a repository is read and written.
import { listTokenHolders, type RepositoryTokenHolder } from '../accounts/installations.ts'
import { maySignIn, unsealToken } from '../accounts/users.ts'
import type { AppContext } from '../context.ts'
import { ConnectionEndedError, PlatformError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { isSealedByUnknownKey } from '../lib/key-ring.ts'
import type { Access } from '../platforms/platform.ts'
import { secretKeyLostCode } from './describe-failure.ts'

/** Looking again costs a question to the database. */
const keyRetryMs = 60_000

type AccessContext = Pick<AppContext, 'config' | 'db' | 'keys' | 'platform' | 'log'>

/** Access to a repository, and whose it is. */
export interface ChosenAccess extends Access {
  /** Of the connection whose token it is; null for the deployment-wide one. */
  readonly installationId: number | null
}

/** As far as the platform lets its token. */
interface CheckedAccess {
  readonly access: ChosenAccess
  readonly canPush: boolean
}

/**
 * Does `work` with the access for a repository. When the connection behind it ends meanwhile, the work is done once more
 * with the access of another connection, or the deployment-wide one.
 *
 * @param work throws ConnectionEndedError when it must not write any more
 * @throws as `chooseAccess`, and what `work` throws
 */
export async function withAccess(
  ctx: AccessContext,
  repo: RepositoryName,
  work: (access: ChosenAccess) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let isUnderWay = false; ; isUnderWay = true) {
    const access = await chooseAccess(ctx, repo, signal, isUnderWay)
    try {
      return await work(access)
    } catch (error) {
      if (!(error instanceof ConnectionEndedError)) throw error
      ctx.log.info(
        { repo },
        'The repository was disconnected from whose token its review was to be written with',
      )
    }
  }
}

/**
 * The access for a repository: the token of its newest active installation that can write to it, else the others', else the
 * deployment-wide one. A token that can only read counts where none can write. Who may no longer sign in is passed over.
 *
 * @param isUnderWay whether a review has begun before the repository was disconnected: the deployment-wide token ends it
 * @throws UmpireError of code `disconnected` for a repository that was connected and isn't any more, `no_token` where no
 *   token works; retryable and of code `secret_key_lost` where one may work that the secret key doesn't open
 * @throws PlatformError when the platform doesn't say whether a token works
 */
export async function chooseAccess(
  ctx: AccessContext,
  repo: RepositoryName,
  signal?: AbortSignal,
  isUnderWay = false,
): Promise<ChosenAccess> {
  const { token } = ctx.config.fallback
  const holders = await listTokenHolders(ctx.db, repo)
  const active = holders.filter((holder) => holder.isActive)
  if (holders.length > 0 && active.length === 0 && !(isUnderWay && token !== null)) {
    throw new UmpireError(
      'disconnected',
      'The repository is disconnected: connect it again to have it reviewed.',
    )
  }
  const own = await chooseHolderAccess(ctx, repo, active, signal)
  if (own?.canPush) return own.access
  const fallback = token === null ? null : { repo, token, installationId: null }
  if (own !== null && (fallback === null || !(await canPush(ctx, fallback, signal))))
    return own.access
  if (fallback !== null) return fallback
  if (active.some((holder) => isSealedUnderOtherKey(ctx, holder))) {
    const message =
      'The secret key of this service does not open the tokens of those who connected this repository.'
    throw new UmpireError(
      secretKeyLostCode,
      `${message} It is to be restored, or one of them signs in again.`,
      {
        retryable: true,
        retryAfterMs: keyRetryMs,
      },
    )
  }
  throw new UmpireError(
    'no_token',
    active.length === 0
      ? 'No token for this repository: connect it, or set PLATFORM_TOKEN.'
      : 'Nobody who connected this repository can read it any more: one of them has to sign in again.',
  )
}

/** Whether all that stands in the way of someone's token is the secret key. */
function isSealedUnderOtherKey(
  { config, keys }: AccessContext,
  holder: RepositoryTokenHolder,
): boolean {
  const { login, encrypted_token: sealed } = holder
  return (
    sealed !== null && maySignIn(config.signInAllowed, login) && isSealedByUnknownKey(keys, sealed)
  )
}

/** With the token of the first who can push, else of the first who can read. */
async function chooseHolderAccess(
  ctx: AccessContext,
  repo: RepositoryName,
  holders: readonly RepositoryTokenHolder[],
  signal: AbortSignal | undefined,
): Promise<CheckedAccess | null> {
  let reader: CheckedAccess | null = null
  for (const holder of holders) {
    const found = await tryHolder(ctx, repo, holder, signal)
    if (typeof found === 'string') {
      const fields = { repo, user: holder.userId, reason: found }
      ctx.log.warn(fields, 'The token of someone who connected the repository fails')
    } else if (found.canPush) return found
    else reader ??= found
  }
  return reader
}

/** Their access, or why they have none. */
async function tryHolder(
  ctx: AccessContext,
  repo: RepositoryName,
  holder: RepositoryTokenHolder,
  signal: AbortSignal | undefined,
): Promise<CheckedAccess | string> {
  if (!maySignIn(ctx.config.signInAllowed, holder.login))
    return 'SIGN_IN_ALLOWED does not name them.'
  const token = unsealToken(ctx.keys, holder)
  if (token === undefined) return 'It cannot be decrypted.'
  return checkAccess(ctx, { repo, token, installationId: holder.installationId }, signal)
}

async function canPush(
  ctx: AccessContext,
  access: ChosenAccess,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const proof = await checkAccess(ctx, access, signal)
  return typeof proof !== 'string' && proof.canPush
}

/** What the platform lets a token do, or what it says where that is nothing. */
async function checkAccess(
  ctx: AccessContext,
  access: ChosenAccess,
  signal: AbortSignal | undefined,
): Promise<CheckedAccess | string> {
  try {
    const { push } = await ctx.platform.getRepository(access, signal)
    return { access, canPush: push }
  } catch (error) {
    if (error instanceof PlatformError && !error.retryable) return error.message
    throw error
  }
}
