// Requires that the caller can write to a repository, as the platform answers to their own token.
import type { Caller } from '../../accounts/tokens.ts'
import { operatorPlatform } from '../../accounts/users.ts'
import type { AppContext } from '../../context.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { requirePlatformToken } from './require-platform-token.ts'

/**
 * @throws RequestError `access_denied` if the caller can't write, `not_authenticated` without a
 *   platform token, `platform_failed` if the platform doesn't answer
 */
export async function requireWriteAccess(
  ctx: Pick<AppContext, 'db' | 'userTokens' | 'platform'>,
  caller: Pick<Caller, 'userId' | 'platform'>,
  repo: RepositoryName,
  signal: AbortSignal,
): Promise<void> {
  const isOfHost = caller.platform === ctx.platform.id || caller.platform === operatorPlatform
  if (!isOfHost) throw denied()
  const token = await requirePlatformToken(ctx, caller.userId)
  try {
    const { push } = await ctx.platform.getRepository({ repo, token }, signal)
    if (push) return
  } catch (cause) {
    if (!(cause instanceof PlatformError) && !signal.aborted) throw cause
    if (cause instanceof PlatformError && !cause.retryable) throw denied({ cause })
    const message =
      'Whether you may write to this repository could not be checked. Try again in a moment.'
    throw new RequestError('platform_failed', message, { cause })
  }
  throw denied()
}

function denied(options: { cause?: unknown } = {}): RequestError {
  const message = 'Only people who can write to this repository can do this'
  return new RequestError('access_denied', message, options)
}
