// Answers an MCP client from a PostgreSQL database, whatever runs beside.

import { authenticateBearer } from '../accounts/authenticate-bearer.ts'
import { createCredentials } from '../accounts/credentials.ts'
import type { Caller } from '../accounts/tokens.ts'
import { completeConfig, openMigratedDatabase, openQueue } from '../app.ts'
import type { Config } from '../config/config.ts'
import { createKeyRing } from '../lib/key-ring.ts'
import type { Log } from '../lib/logger.ts'
import { createMcpBackend, type McpBackend } from '../mcp/mcp-backend.ts'
import { createPlatform } from '../platforms/index.ts'

/** Where the answers come from. */
export interface OpenMcpBackend extends AsyncDisposable {
  readonly backend: McpBackend
  /** As whom this process asks the database itself. */
  readonly caller: Caller | null
}

/** Dispose of it. Throws UmpireError with what to do about it. */
export async function openDatabaseBackend(given: Config, log: Log): Promise<OpenMcpBackend> {
  const config = await completeConfig(given)
  await using stack = new AsyncDisposableStack()
  const database = await openMigratedDatabase(config, log)
  stack.defer(() => database.close())
  const { db } = database
  const wakeUps = await openQueue(database, log)
  stack.defer(() => wakeUps.close())
  const keys = createKeyRing(config.secrets.current as string, config.secrets.old)
  const ctx = {
    ...{ config, db, log, keys, wakeUps },
    platform: createPlatform(config.platform),
    credentials: createCredentials(keys, config.http.publicUrl),
    // Memories are searched by words.
    embedder: null,
  }
  const caller = config.mcp.token === null ? null : await authenticateBearer(ctx, config.mcp.token)
  const held = stack.move()
  return {
    backend: createMcpBackend(ctx),
    caller,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
