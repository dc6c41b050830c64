// Checks who may ask the MCP server.
import type { Config } from '../../config/config.ts'
import { type Observation, ok, warning } from './check.ts'
import { isReachableByOthers } from './check-public-address.ts'

/** Whether others than this machine's own users are answered without a token, as far as the configuration tells. */
export function isMcpOpenToOthers({ http, mcp }: Pick<Config, 'http' | 'mcp'>): boolean {
  return mcp.access === 'open' && isReachableByOthers(http)
}

/** Whether it is meant so is for people to say. */
export function checkMcp(config: Pick<Config, 'http' | 'mcp'>): Observation {
  const { access } = config.mcp
  if (access === 'off') return ok('The MCP server is off.')
  if (access === 'token') return ok('The MCP server answers those who have a token.')
  if (!isMcpOpenToOthers(config)) return ok('The MCP server answers everybody on this machine.')
  return warning(
    'The MCP server answers everybody who reaches it, about every repository.',
    'Set MCP_ACCESS to token or off, unless only a trusted network reaches this machine.',
  )
}
