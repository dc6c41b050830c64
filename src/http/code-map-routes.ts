// Serves the code map of a repository, which is empty if the graph layer is off.
import { emptyCodeMap } from '../analytics/read-code-map.ts'
import { createCodeMapReader } from '../analytics/timed-readers.ts'
import type { AppContext } from '../context.ts'
import { showCodeMapSchema } from '../contract/code-map-schemas.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage } from './memory-overview-routes.ts'
import type { Server } from './server.ts'

/** Adds `GET /api/v1/memory/code-map`. */
export function addCodeMapRoutes(
  server: Server,
  ctx: AppContext,
  { either: onRequest }: Authenticate,
): void {
  const { enabled, queryTimeoutMs: timeoutMs } = ctx.config.graph
  const readMap = createCodeMapReader({ db: ctx.db, log: ctx.log, timeoutMs })
  server.get(
    '/api/v1/memory/code-map',
    { schema: showCodeMapSchema, onRequest },
    async (request) => {
      const repo = await findRequestedRepository(
        ctx,
        callerOf(request),
        request.query.repo,
        malformedRepositoryMessage,
      )
      const directory = normalizeDirectory(request.query.path)
      const codeMap = enabled ? await readMap(repo, directory) : emptyCodeMap
      const { commit, nodes, edges, leftOut } = codeMap
      return {
        repo,
        commit,
        path: directory || '.',
        nodes: nodes.map(({ risks, usesElsewhere, usedElsewhere, ...node }) => ({
          ...node,
          high_risk: risks,
          uses_elsewhere: usesElsewhere,
          used_elsewhere: usedElsewhere,
        })),
        edges: [...edges],
        left_out: leftOut,
      }
    },
  )
}

/** Removes `./` and slashes at both ends. The root becomes an empty text. */
function normalizeDirectory(path: string): string {
  return path.replace(/^(\.?\/)+/, '').replace(/^\.$|\/+$/, '')
}
