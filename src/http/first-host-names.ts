// Accepts names of repositories that end with the id of the first host, which they needn't have.
import type { ServiceContext } from '../context.ts'
import type { Server } from './server.ts'

/** Shortens the names in the path and the query of each request. Call it before adding routes. */
export function acceptFirstHostInNames(server: Server, { hosts }: Pick<ServiceContext, 'hosts'>) {
  server.addHook('preValidation', (request, _reply, done) => {
    for (const input of [request.params, request.query]) {
      const named = input as { repo?: unknown } | null
      if (typeof named?.repo === 'string') named.repo = hosts.shorten(named.repo)
    }
    done()
  })
}
