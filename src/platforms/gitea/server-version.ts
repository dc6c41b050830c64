// Reads the version of the server, from which some of its abilities follow.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import { sendForJson } from '../http/request.ts'

/** Servers are upgraded while we run. */
const maxAgeMs = 60 * 60 * 1000

interface ServerVersion {
  /** What was read last; null while it is unknown. */
  readonly current: string | null
  /** Reads it if that was long ago. It stays unknown if the server doesn't show it. */
  refresh(token: string, signal: AbortSignal | undefined): Promise<void>
}

/** GET /version. */
export function createServerVersion(connection: Connection): ServerVersion {
  let current: string | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const schema = z.object({ version: z.string() })
  return {
    get current() {
      return current
    },
    async refresh(token, signal) {
      if (performance.now() - readAt < maxAgeMs) return
      try {
        current = (await sendForJson(connection, { path: '/version', token, signal }, schema))
          .version
        readAt = performance.now()
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
      }
    },
  }
}
