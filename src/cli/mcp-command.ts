// Runs `umpire mcp`, an MCP server on stdin and stdout for the client that starts it.
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Config } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import type { Log } from '../lib/logger.ts'
import { readPackageInfo } from '../lib/package-info.ts'
import { createMcpServer } from '../mcp/mcp-server.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { findRunningService } from './control-client.ts'
import { exitCode } from './exit-codes.ts'
import type { OpenMcpBackend } from './open-database-backend.ts'
import { parseOptions } from './parse-options.ts'

export const usage = `Usage: umpire mcp [--env-file <file>]

Serves MCP on stdin and stdout until stdin ends. Coding agents start this command. It uses the
service that runs with the same DATA_DIR, or the database of DATABASE_URL. If UMPIRE_TOKEN is an API
token or a token of "umpire token", it acts as the user of the token. Variables are read from the
environment, and from the file of --env-file if the environment does not set them. See docs/mcp.md.`

/** Returns the exit code when the client has disconnected. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, envFileOption)
  const { config, log } = await readCommandConfig(values['env-file'], 'warn')
  await using source = await openMcpBackend(config, log)
  const { backend, caller } = source
  const identity = {
    name: config.serviceName,
    title: 'Umpire',
    version: (await readPackageInfo()).version,
  }
  // Reports a wrong token before the client connects.
  await backend.listTools(caller)
  const transport = new StdioServerTransport()
  const server = serveStdio(() => createMcpServer({ backend, identity, caller }), {
    transport,
    onerror: (error) => log.warn({ err: error }, 'The MCP client sent invalid data'),
  })
  await Promise.race([finished(process.stdin), once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await server.close()
  return exitCode.ok
}

async function openMcpBackend(config: Config, log: Log): Promise<OpenMcpBackend> {
  const { token } = config.mcp
  if (config.database.engine === 'postgresql') {
    // This loads most of the program, so it is imported only when needed.
    const { openDatabaseBackend } = await import('./open-database-backend.ts')
    return openDatabaseBackend(config, log)
  }
  const service = await findRunningService(config.dataDir)
  // The command doesn't open the database itself, because a service could not start meanwhile.
  if (service === null) {
    const remedy = 'start it with "umpire serve", or set DATA_DIR.'
    const message = `No service runs with ${config.dataDir}: ${remedy}`
    throw new UmpireError('control_silent', message, { retryable: true })
  }
  return {
    backend: service.createMcpBackend(token),
    caller: null,
    [Symbol.asyncDispose]: async () => undefined,
  }
}
