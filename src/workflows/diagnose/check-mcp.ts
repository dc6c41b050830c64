// Checks who can use the MCP server.
import type { Config } from '../../context.ts'
import { type Observation, ok, warning } from './check.ts'
import { isReachableByOthers } from './check-public-address.ts'

/** Whether the configuration lets users of other machines in without a token. */
export function isMcpOpenToOthers({ http, mcp }: Pick<Config, 'http' | 'mcp'>): boolean {
  return mcp.access === 'open' && isReachableByOthers(http)
}

/** An open server gets a warning only, because it may be intended. */
export function checkMcp(config: Pick<Config, 'http' | 'mcp'>): Observation {
  const { access } = config.mcp
  if (access === 'off') return ok('The MCP server is off.')
  if (access === 'token') return ok('The MCP server answers those who have a token.')
  if (!isMcpOpenToOthers(config)) return ok('The MCP server answers all users of this machine.')
  return warning(
    'The MCP server answers anyone who can connect, about every repository.',
    'Set MCP_ACCESS to token or off, unless only a trusted network can reach this machine.',
  )
}
