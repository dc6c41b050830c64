// Finds the code host of a caller, whose repositories they connect with their token there.
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext, ServiceContext } from '../context.ts'

/** The operator belongs to no host and has no token there, so that the first one answers. */
export function hostOfCaller(
  { hosts }: Pick<ServiceContext, 'hosts'>,
  { platform }: Pick<Caller, 'platform'>,
): AppContext {
  return hosts.find(platform) ?? hosts.first
}
