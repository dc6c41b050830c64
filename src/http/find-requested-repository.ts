// The one repository that a request is about: well-formed, connected to the caller, and shown to them by the platform.
import { findConnectedRepository } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import { splitRepositoryName } from '../contract/repository-name.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { type AccessContext, checkOverdue } from '../workflows/connecting/check-access.ts'

/**
 * The repository as the platform spells it. Waits for the platform only where nobody has asked it for long whether the caller
 * may still see the repository, and then not for long.
 *
 * @param malformed the 400 of endpoints that tell a malformed name from one that isn't connected
 * @throws RequestError where it isn't connected to the caller
 */
export async function findRequestedRepository(
  ctx: AccessContext,
  caller: Pick<Caller, 'userId'>,
  repo: string,
  malformed?: string,
): Promise<RepositoryName> {
  const isName = splitRepositoryName(repo) !== undefined
  if (malformed !== undefined && !isName) throw new RequestError('request_malformed', malformed)
  if (isName) await checkOverdue(ctx, caller, repo)
  const connected = await findConnectedRepository(ctx.db, caller, repo)
  if (connected === undefined)
    throw new RequestError('access_denied', 'Repo not connected or access denied')
  return connected
}
