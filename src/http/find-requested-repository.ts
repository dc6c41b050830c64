// Finds the repository that a request names, if it is connected and visible to the caller.
import { findConnectedRepository } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { ServiceContext } from '../context.ts'
import { splitRepositoryName } from '../contract/repository-name.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { checkOverdueAccess } from '../workflows/connecting/check-access.ts'

export interface RepositoryRequest {
  readonly caller: Pick<Caller, 'userId'>
  readonly query: { readonly repo: string }
}

/**
 * Finds a repository that is connected to the caller. Returns its name as the platform spells it.
 * Queries the platform, with a short deadline, only if the last check of the access is overdue.
 *
 * @param malformedMessage the 400 of endpoints that distinguish malformed names
 * @throws RequestError `access_denied` if the repository is not connected to the caller
 */
export async function findRequestedRepository(
  ctx: Pick<ServiceContext, 'db' | 'hosts'>,
  { caller, query: { repo } }: RepositoryRequest,
  malformedMessage?: string,
): Promise<RepositoryName> {
  const isWellFormed = splitRepositoryName(repo) !== undefined
  if (malformedMessage !== undefined && !isWellFormed) {
    throw new RequestError('request_malformed', malformedMessage)
  }
  if (isWellFormed) await checkOverdueAccess(ctx, caller, repo)
  const connected = await findConnectedRepository(ctx.db, caller, repo)
  if (connected === undefined) {
    throw new RequestError('access_denied', 'Repo not connected or access denied')
  }
  return connected
}
