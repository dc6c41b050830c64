// Chooses the token with which a repository is read and written: the App's, else a person's.
import { type AppConnection, findAppConnection } from '../accounts/app-installations.ts'
import { listTokenHolders, type RepositoryTokenHolder } from '../accounts/installations.ts'
import { readApp } from '../accounts/platform-apps.ts'
import { maySignIn } from '../accounts/users.ts'
import type { AppContext } from '../context.ts'
import { splitRepositoryName } from '../contract/repository-name.ts'
import { ConnectionEndedError, PlatformError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { isSealedByUnknownKey } from '../lib/key-ring.ts'
import { hostVariable } from '../platforms/code-hosts.ts'
import type { Access } from '../platforms/platform.ts'
import type { AccessBasis } from '../work/runs.ts'
import { secretKeyLostCode } from './describe-failure.ts'

/** The delay before the next attempt while the secret key is missing. */
const keyRetryMs = 60_000

type AccessContext = Pick<
  AppContext,
  'config' | 'db' | 'keys' | 'platform' | 'userTokens' | 'appTokens' | 'log'
>

export interface ChosenAccess extends Access, AccessBasis {}

interface CheckedAccess {
  readonly access: ChosenAccess
  readonly canPush: boolean
}

/**
 * Runs `work` with access to a repository. If the connection behind the access ends meanwhile, runs
 * it again with that of another connection, or with the deployment-wide token.
 *
 * @param work throws ConnectionEndedError when it must not write any more
 * @throws like `chooseAccess`, and what `work` throws; as retryable if the App's token was rejected
 */
export async function withAccess(
  ctx: AccessContext,
  repo: RepositoryName,
  work: (access: ChosenAccess) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let hasBegun = false; ; hasBegun = true) {
    const access = await chooseAccess(ctx, repo, signal, hasBegun)
    try {
      return await work(access)
    } catch (error) {
      if (!(error instanceof ConnectionEndedError)) throw toRetryable(error, access)
      ctx.log.info(
        { repo },
        'The connection whose token the review uses has ended; another token is chosen',
      )
    }
  }
}

/** The App's token may have expired while the work waited: a later attempt chooses another one. */
function toRetryable(error: unknown, { appSlug }: Access): unknown {
  const isRejected = error instanceof PlatformError && error.code === 'platform_unauthorized'
  if (!isRejected || appSlug === undefined) return error
  return new UmpireError(error.code, error.message, { retryable: true, cause: error })
}

/**
 * Chooses the token for a repository: of the App's installation, else of its newest active
 * connection that can push, else the deployment-wide token if it can push, else any token that can
 * read. Connections of users who may no longer sign in are skipped.
 *
 * @param hasBegun a review began before the repository was disconnected: the deployment-wide token
 *   ends it
 * @throws UmpireError `disconnected` if all connections have ended, `no_token` if no token works,
 *   and the retryable `secret_key_lost` if stored tokens can't be decrypted
 * @throws PlatformError if the platform doesn't answer whether a token works
 */
export async function chooseAccess(
  ctx: AccessContext,
  repo: RepositoryName,
  signal?: AbortSignal,
  hasBegun = false,
): Promise<ChosenAccess> {
  const { token } = ctx.config.fallback
  const holders = await listTokenHolders(ctx.db, repo)
  const active = holders.filter((holder) => holder.isActive)
  const isDisconnected = holders.length > 0 && active.length === 0
  if (isDisconnected && !(hasBegun && token !== null)) {
    throw new UmpireError(
      'disconnected',
      'The repository is disconnected: connect it again to have it reviewed.',
    )
  }
  const app = await chooseAppAccess(ctx, repo, signal)
  if (app !== null) return app
  const own = await chooseHolderAccess(ctx, repo, active, signal)
  const fallback =
    token === null ? null : { repo, token, installationId: null, appInstallationId: null }
  if (own !== null) return preferWritable(ctx, own, fallback, signal)
  if (fallback === null) throw noTokenError(ctx, active)
  return fallback
}

/** Returns null if the App doesn't have the repository, is suspended there, or is refused. */
async function chooseAppAccess(
  ctx: AccessContext,
  repo: RepositoryName,
  signal: AbortSignal | undefined,
): Promise<ChosenAccess | null> {
  const connection = await findAppConnection(ctx.db, ctx.platform.id, repo)
  if (connection === undefined) return null
  try {
    return await openAppAccess(ctx, repo, connection, signal)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error
    ctx.log.warn({ repo, reason: error.message }, "The App's installation does not work")
    return null
  }
}

/**
 * Returns access to read another repository of the same owner. The App's token is for one
 * repository, so a token for the other one is created. Without it, public repositories can be read.
 *
 * @throws PlatformError if the platform doesn't answer
 */
export async function openSibling(
  { db, keys, platform, appTokens }: Pick<AccessContext, 'db' | 'keys' | 'platform' | 'appTokens'>,
  access: Access,
  repo: RepositoryName,
): Promise<Access> {
  if (access.appSlug === undefined || appTokens === null) return { ...access, repo }
  const connection = await findAppConnection(db, platform.id, access.repo)
  const app = await readApp(db, keys, platform.id)
  if (connection === undefined || app === undefined) return { ...access, repo }
  const sibling = {
    installationId: connection.platformInstallationId,
    repositoryName: splitRepositoryName(repo)?.repo ?? '',
  }
  try {
    return { ...access, repo, token: await appTokens.getReader(app, sibling) }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error
    return { ...access, repo }
  }
}

async function openAppAccess(
  { db, keys, platform, appTokens }: AccessContext,
  repo: RepositoryName,
  connection: AppConnection,
  signal: AbortSignal | undefined,
): Promise<ChosenAccess | null> {
  const app = appTokens === null ? undefined : await readApp(db, keys, platform.id)
  if (app === undefined || appTokens === null) return null
  const { connectionId: installationId, appInstallationId } = connection
  const repository = {
    installationId: connection.platformInstallationId,
    repositoryId: connection.platformRepoId,
  }
  const open = async () => {
    const token = await appTokens.get(app, repository)
    const access = { repo, token, appSlug: app.slug, installationId, appInstallationId }
    // A token can be revoked before it expires.
    await platform.getRepository(access, signal)
    return access
  }
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'platform_unauthorized') throw error
    appTokens.drop(app, repository)
    return open()
  }
}

/** Chooses the fallback only if it can push and the connection's own token can't. */
async function preferWritable(
  ctx: AccessContext,
  own: CheckedAccess,
  fallback: ChosenAccess | null,
  signal: AbortSignal | undefined,
): Promise<ChosenAccess> {
  if (own.canPush || fallback === null) return own.access
  return (await canPush(ctx, fallback, signal)) ? fallback : own.access
}

function noTokenError(ctx: AccessContext, active: readonly RepositoryTokenHolder[]): UmpireError {
  if (active.some((holder) => isSealedUnderOtherKey(ctx, holder))) {
    return new UmpireError(
      secretKeyLostCode,
      "The tokens of this repository's connections can't be decrypted with the current secret " +
        'key: restore the key, or let one of those users sign in again.',
      { retryable: true, retryAfterMs: keyRetryMs },
    )
  }
  if (active.length === 0) {
    const variable = hostVariable('PLATFORM_TOKEN', ctx.config.platform)
    return new UmpireError(
      'no_token',
      `No token for this repository: connect it, or set ${variable}.`,
    )
  }
  return new UmpireError(
    'no_token',
    'No user who connected this repository can read it any more: one of them has to sign in again.',
  )
}

/** Whether the secret key is the only reason why a stored token can't be used. */
function isSealedUnderOtherKey(
  { config, keys }: AccessContext,
  holder: RepositoryTokenHolder,
): boolean {
  const { encryptedToken: sealed } = holder
  return sealed !== null && maySignIn(config, holder) && isSealedByUnknownKey(keys, sealed)
}

/** Returns the first access that can push, else the first that can read. */
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
      ctx.log.warn(fields, "The token of one of the repository's connections does not work")
      continue
    }
    if (found.canPush) return found
    reader ??= found
  }
  return reader
}

/** Returns the user's access, or the reason why there is none. */
async function tryHolder(
  ctx: AccessContext,
  repo: RepositoryName,
  holder: RepositoryTokenHolder,
  signal: AbortSignal | undefined,
): Promise<CheckedAccess | string> {
  if (!maySignIn(ctx.config, holder)) return 'SIGN_IN_ALLOWED does not include this user.'
  const token = await ctx.userTokens.open(holder)
  if (token === undefined) return 'It has ended or was revoked: the user has to sign in again.'
  const { installationId } = holder
  return checkAccess(ctx, { repo, token, installationId, appInstallationId: null }, signal)
}

async function canPush(
  ctx: AccessContext,
  access: ChosenAccess,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const checked = await checkAccess(ctx, access, signal)
  return typeof checked !== 'string' && checked.canPush
}

/** Returns what a token may do, or the platform's error message if it may do nothing. */
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
