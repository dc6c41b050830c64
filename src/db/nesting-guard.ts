// Finds queries beside an open transaction of the same flow: on one connection they would wait for themselves for ever.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConnectionProvider } from 'kysely'
import { UmpireDatabaseError } from './database-errors.ts'

export interface NestingGuard {
  /** Throws in a flow that has a transaction (or a connection) in use. */
  check(): void
  /** A provider whose users are known to `check`. */
  guard(provider: ConnectionProvider): ConnectionProvider
}

/** One guard for one database. It works the same on both engines: code that passes on one passes on the other. */
export function createNestingGuard(): NestingGuard {
  const uses = new AsyncLocalStorage<{ open: boolean }>()
  const check = () => {
    if (!uses.getStore()?.open) return
    throw new UmpireDatabaseError(
      'database_nested',
      'A query was sent beside the transaction that is open in the same flow. Pass the transaction on and use it.',
    )
  }
  const guard = (provider: ConnectionProvider): ConnectionProvider => ({
    async provideConnection(consumer, options) {
      check()
      const use = { open: true }
      return provider.provideConnection(
        (connection) =>
          uses.run(use, async () => {
            try {
              return await consumer(connection)
            } finally {
              use.open = false
            }
          }),
        options,
      )
    },
  })
  return { check, guard }
}
