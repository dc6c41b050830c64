// Finds the code host of a request: the one that it names, or that of its caller.
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import { RequestError } from '../domain/errors.ts'

/**
 * @param id undefined for the first host
 * @throws RequestError `not_found`
 */
export function findHost({ hosts }: Pick<ServiceContext, 'hosts'>, id?: string): AppContext {
  const host = id === undefined ? hosts.first : hosts.find(id)
  if (host !== undefined) return host
  throw new RequestError('not_found', 'This service has no such code host')
}

/** The operator belongs to no host and has no token there, so that the first one answers. */
export function hostOfCaller(
  { hosts }: Pick<ServiceContext, 'hosts'>,
  { platform }: Pick<Caller, 'platform'>,
): AppContext {
  return hosts.find(platform) ?? hosts.first
}
