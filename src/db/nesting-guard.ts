// Detects queries that wait for a transaction of their own async flow, and thus would wait forever.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConnectionProvider } from 'kysely'
import { UmpireDatabaseError } from './database-errors.ts'

export interface NestingGuard {
  /** Throws if the current async flow is using a connection, for example in a transaction. */
  check(): void
  /** Wraps a provider, so that `check` detects the use of its connections. */
  guard(provider: ConnectionProvider): ConnectionProvider
}

/** Both engines use a guard, so that code which passes on one of them passes on the other. */
export function createNestingGuard(): NestingGuard {
  const uses = new AsyncLocalStorage<{ open: boolean }>()
  const check = () => {
    if (!uses.getStore()?.open) return
    throw new UmpireDatabaseError(
      'database_nested',
      'A query was sent outside of the transaction that is open in the same flow. ' +
        'Pass the transaction to the query and use it there.',
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
