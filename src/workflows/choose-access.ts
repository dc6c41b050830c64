// Chooses with whose token a repository is read and written.
import type { AppContext } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import type { Access } from '../platforms/platform.ts'

/**
 * The access for a repository: today the deployment-wide token.
 *
 * @throws UmpireError of code `no_token` where there is none
 */
export async function chooseAccess(ctx: Pick<AppContext, 'config'>, repo: string): Promise<Access> {
  const { token } = ctx.config.fallback
  if (token === null) {
    throw new UmpireError('no_token', 'No token for this repository: connect it, or set PLATFORM_TOKEN.')
  }
  return { repo, token }
}
