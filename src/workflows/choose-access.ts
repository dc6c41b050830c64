// Chooses with whose token a repository is read and written.
import { listTokenHolders } from '../accounts/installations.ts'
import { openToken } from '../accounts/users.ts'
import type { AppContext } from '../context.ts'
import { PlatformError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Access } from '../platforms/platform.ts'

type AccessContext = Pick<AppContext, 'config' | 'db' | 'keys' | 'platform' | 'log'>

/**
 * The access for a repository: the token of its newest active installation that works, else the others', else the
 * deployment-wide one.
 *
 * @throws UmpireError of code `disconnected` for a repository that was connected and isn't any more, `no_token` where no
 *   token works
 * @throws PlatformError when the platform doesn't say whether a token works
 */
export async function chooseAccess(ctx: AccessContext, repo: RepositoryName, signal?: AbortSignal): Promise<Access> {
  const holders = await listTokenHolders(ctx.db, repo)
  const active = holders.filter((holder) => holder.isActive)
  if (holders.length > 0 && active.length === 0) {
    throw new UmpireError('disconnected', 'The repository is disconnected: connect it again to have it reviewed.')
  }
  for (const holder of active) {
    const token = openToken(ctx.keys, holder)
    const refusal = token === undefined ? 'It cannot be decrypted.' : await findRefusal(ctx, { repo, token }, signal)
    if (token !== undefined && refusal === null) return { repo, token }
    ctx.log.warn(
      { repo, user: holder.userId, reason: refusal },
      'The token of someone who connected the repository fails',
    )
  }
  const { token } = ctx.config.fallback
  if (token !== null) return { repo, token }
  throw new UmpireError(
    'no_token',
    active.length === 0
      ? 'No token for this repository: connect it, or set PLATFORM_TOKEN.'
      : 'Nobody who connected this repository can read it any more: one of them has to sign in again.',
  )
}

/** What the platform says of a token that it doesn't show the repository to; null where it does. */
async function findRefusal(ctx: AccessContext, access: Access, signal?: AbortSignal): Promise<string | null> {
  try {
    await ctx.platform.getRepository(access, signal)
    return null
  } catch (error) {
    if (error instanceof PlatformError && !error.retryable) return error.message
    throw error
  }
}
