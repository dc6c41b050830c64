// The control socket: through it the commands reach the service that holds the embedded database.
import { chmod, rm } from 'node:fs/promises'
import type { Log } from '../lib/logger.ts'
import type { Control } from '../workflows/control.ts'
import {
  createTokenRoute,
  listTokensRoute,
  longestSocketPath,
  revokeTokenRoute,
  statusRoute,
} from './contract/control.ts'
import { createServer, type Server } from './server.ts'

/**
 * Listens on a unix socket that only our own user can open: who can write there could read the database too, so nothing
 * further is asked for. To be called by the holder of the database alone: a socket that is there is a dead process's.
 * Where it can't listen it warns, for the service works without.
 */
export async function startControlServer(options: {
  path: string
  control: Control
  log: Log
}): Promise<AsyncDisposable> {
  const { path, control, log } = options
  const server = await createServer(log)
  addControlRoutes(server, control)
  try {
    if (Buffer.byteLength(path) > longestSocketPath) {
      throw new Error(`its path is longer than ${longestSocketPath} bytes; choose a DATA_DIR with a shorter one`)
    }
    await rm(path, { force: true })
    await server.listen({ path })
    await chmod(path, 0o600)
  } catch (error) {
    const reason = (error as Error).message
    log.warn({ path }, `The control socket could not be opened: commands can't reach this process (${reason})`)
  }
  return { [Symbol.asyncDispose]: () => server.close() }
}

function addControlRoutes(server: Server, control: Control): void {
  server.get('/status', { schema: statusRoute }, async () => ({
    pid: process.pid,
    database: await control.readDatabase(),
  }))
  server.get('/tokens', { schema: listTokensRoute }, () => control.listTokens())
  server.post('/tokens', { schema: createTokenRoute }, ({ body }) => control.createToken(body))
  server.delete('/tokens/:id', { schema: revokeTokenRoute }, async ({ params }) => ({
    name: await control.revokeToken(params.id),
  }))
}
