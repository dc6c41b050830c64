// The one repository that a request is about: well-formed, and connected to the caller.
import { findConnectedRepository } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { splitRepositoryName } from '../platforms/repository-name.ts'

/**
 * The repository as the platform spells it.
 *
 * @param malformed the 400 of endpoints that tell a malformed name from one that isn't connected
 * @throws RequestError where it isn't connected to the caller
 */
export async function findAskedRepository(
  db: Db,
  caller: Pick<Caller, 'userId'>,
  repo: string,
  malformed?: string,
): Promise<RepositoryName> {
  if (malformed !== undefined && splitRepositoryName(repo) === undefined) {
    throw new RequestError('request_malformed', malformed)
  }
  const connected = await findConnectedRepository(db, caller, repo)
  if (connected === undefined) throw new RequestError('access_denied', 'Repo not connected or access denied')
  return connected
}
