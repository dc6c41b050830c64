// Serves the control socket, through which commands reach the holder of the embedded database.
import { chmod, rm } from 'node:fs/promises'
import type { Caller } from '../accounts/tokens.ts'
import { RequestError } from '../domain/errors.ts'
import type { Log } from '../lib/logger.ts'
import type { McpBackend } from '../mcp/mcp-backend.ts'
import type { Control } from '../workflows/control.ts'
import { type AddRoute, createAddRoute, type OpenRoute } from './add-route.ts'
import * as endpoints from './control-endpoints.ts'
import { createServer } from './create-server.ts'
import { onDisconnect } from './on-disconnect.ts'

interface McpControlBackend {
  readonly backend: McpBackend
  /** @throws RequestError `not_authenticated` */
  findCaller(token: string): Promise<Caller>
}

/**
 * Listens on a Unix socket that only the service's own user can open. That user can read the
 * database files too, so requests need no credential. Only the holder of the database may call
 * this: it removes an existing socket, which a dead process left. If it can't listen, it logs a
 * warning, because the service works without the socket.
 */
export async function startControlServer(options: {
  path: string
  control: Control
  mcp: McpControlBackend
  log: Log
}): Promise<AsyncDisposable> {
  const { path, control, mcp, log } = options
  const server = await createServer(log)
  const addRoute = createAddRoute(server)
  addControlRoutes(addRoute, control)
  addToolRoutes(addRoute, mcp)
  try {
    if (Buffer.byteLength(path) > endpoints.maxSocketPathBytes) {
      throw new Error(
        `its path is longer than ${endpoints.maxSocketPathBytes} bytes; ` +
          'choose a DATA_DIR with a shorter one',
      )
    }
    await rm(path, { force: true })
    await server.listen({ path })
    await chmod(path, 0o600)
  } catch (error) {
    const reason = (error as Error).message
    const message = `The control socket could not be opened: commands can't reach this process`
    log.warn({ path }, `${message} (${reason})`)
  }
  return { [Symbol.asyncDispose]: () => server.close() }
}

function addControlRoutes(addRoute: AddRoute<OpenRoute>, control: Control): void {
  addRoute(endpoints.readStatus, async () => ({
    pid: process.pid,
    database: await control.readDatabase(),
  }))
  addRoute(endpoints.listTokens, () => control.listTokens())
  addRoute(endpoints.createToken, ({ body }) => control.createToken(body))
  addRoute(endpoints.revokeToken, async ({ params }) => ({
    name: await control.revokeToken(params.id),
  }))
  addRoute(endpoints.deleteLostTokens, async () => ({ count: await control.forgetLostTokens() }))
  addRoute(endpoints.listPeople, () => control.listPeople())
  addRoute(endpoints.changeAdministrator, async ({ body: { user, isAdmin } }) => {
    await control.changeAdministrator(user, isAdmin)
    return { user }
  })
  addRoute(endpoints.planDeletion, ({ body }) => control.planDeletion(body.user))
  addRoute(endpoints.deletePerson, ({ params }) => control.deletePerson(params.user))
  addRoute(endpoints.trustSource, async ({ body }) => ({
    count: await control.trustSource(body.name),
  }))
}

function addToolRoutes(
  addRoute: AddRoute<OpenRoute>,
  { backend, findCaller }: McpControlBackend,
): void {
  const callerOf = async (token: string | null) => (token === null ? null : findCaller(token))
  addRoute(endpoints.listTools, async ({ body }) => backend.listTools(await callerOf(body.token)))
  addRoute(endpoints.callTool, async ({ body }, reply) => {
    const { token, name, given } = body
    const caller = await callerOf(token)
    const answer = await backend.callTool(name, given, { caller, signal: onDisconnect(reply) })
    if (answer === undefined) throw new RequestError('not_found', 'There is no such tool')
    return answer
  })
  addRoute(endpoints.listRepositories, async ({ body }) =>
    backend.listRepositories(await callerOf(body.token)),
  )
  addRoute(endpoints.readReviews, async ({ body }) =>
    backend.readReviews(body.repo, await callerOf(body.token)),
  )
}
