// `umpire mcp`: the MCP server for one client that starts it, on stdin and stdout.
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Config } from '../config/config.ts'
import { UmpireError } from '../domain/errors.ts'
import { createLogger, type Log } from '../lib/logger.ts'
import { readPackageInfo } from '../lib/package-info.ts'
import { createMcpServer } from '../mcp/mcp-server.ts'
import { listSecrets } from '../review-context.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { findRunningService } from './control-client.ts'
import { exitCode } from './exit-codes.ts'
import type { OpenMcpBackend } from './open-database-backend.ts'
import { parseOptions } from './parse-options.ts'

export const mcpUsage = `Usage: umpire mcp [--env-file <file>]

Answers an MCP client on stdin and stdout, until stdin ends: coding agents start it themselves. It asks the service that
runs with the same DATA_DIR, or reads the database of DATABASE_URL. With UMPIRE_TOKEN, a token of "umpire token" or of a
person's own, it answers as that person. Variables come from the environment, and from the file of --env-file where that
doesn't set them. See docs/mcp.md.`

/** Returns the exit code, when the client has gone. Throws what explains itself. */
export async function runMcp(args: string[]): Promise<number> {
  const { values } = parseOptions(args, envFileOption)
  const config = readCommandConfig(values['env-file'])
  const log = createLogger({ level: 'warn', secrets: listSecrets(config) })
  await using source = await openMcpBackend(config, log)
  const { backend, caller } = source
  const identity = {
    name: config.serviceName,
    title: 'Umpire',
    version: (await readPackageInfo()).version,
  }
  // A wrong token is told before the client believes that all is well.
  await backend.listTools(caller)
  const transport = new StdioServerTransport()
  const server = serveStdio(() => createMcpServer({ backend, identity, caller }), {
    transport,
    onerror: (error) => log.warn({ err: error }, 'The client sent what is not understood'),
  })
  await Promise.race([finished(process.stdin), once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await server.close()
  return exitCode.ok
}

async function openMcpBackend(config: Config, log: Log): Promise<OpenMcpBackend> {
  const { token } = config.mcp
  if (config.database.engine === 'postgresql') {
    // Most of what the program consists of, which a question to a service doesn't need.
    const { openDatabaseBackend } = await import('./open-database-backend.ts')
    return openDatabaseBackend(config, log)
  }
  const service = await findRunningService(config.dataDir)
  // To open the database here would keep the service from starting for as long as the client runs.
  if (service === null) {
    const message = `No service runs with ${config.dataDir}: start it with "umpire serve", or set DATA_DIR.`
    throw new UmpireError('control_silent', message, { retryable: true })
  }
  return {
    backend: service.createMcpBackend(token),
    caller: null,
    [Symbol.asyncDispose]: async () => undefined,
  }
}
