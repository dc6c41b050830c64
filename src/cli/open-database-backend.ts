// Opens an MCP backend on a PostgreSQL database.

import { authenticateBearer } from '../accounts/authenticate-bearer.ts'
import { createCredentials } from '../accounts/credentials.ts'
import { assertStoredHosts } from '../accounts/stored-hosts.ts'
import type { Caller } from '../accounts/tokens.ts'
import { completeConfig, openMigratedDatabase } from '../app.ts'
import type { Config } from '../context.ts'
import { createHostAccess, indexHosts } from '../host-contexts.ts'
import { createKeyRing } from '../lib/key-ring.ts'
import type { Log } from '../lib/logger.ts'
import { createMcpBackend, type McpBackend } from '../mcp/mcp-backend.ts'

export interface OpenMcpBackend extends AsyncDisposable {
  readonly backend: McpBackend
  /** The user of the configured token. Null if the running service resolves the token. */
  readonly caller: Caller | null
}

/** Opens the database until the backend is disposed. Throws UmpireError. */
export async function openDatabaseBackend(
  commandConfig: Config,
  log: Log,
): Promise<OpenMcpBackend> {
  const config = await completeConfig(commandConfig)
  await using stack = new AsyncDisposableStack()
  const database = await openMigratedDatabase(config, log)
  stack.defer(() => database.close())
  const { db } = database
  await assertStoredHosts(db, config.hosts)
  const keys = createKeyRing(config.secrets.current as string, config.secrets.old)
  const hosts = config.hosts.map((settings) => ({
    ...createHostAccess({ db, keys, log }, settings),
    db,
    log,
    config: { ...config, ...settings },
  }))
  const ctx = {
    config,
    db,
    log,
    hosts: indexHosts(hosts),
    credentials: createCredentials(keys, config.http.publicUrl),
    // Without an embedder, memories are searched by keyword.
    embedder: null,
  }
  const caller = config.mcp.token === null ? null : await authenticateBearer(ctx, config.mcp.token)
  const resources = stack.move()
  return {
    backend: createMcpBackend(ctx),
    caller,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
