// The map of a repository's code, as the page draws it. Without the graph layer there is none.
import { emptyMap } from '../analytics/code-map.ts'
import { createMapReader } from '../analytics/figures-in-time.ts'
import type { AppContext } from '../context.ts'
import { findAskedRepository } from './asked-repository.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { showCodeMap } from './contract/code-map.ts'
import { malformedRepository } from './memory-routes.ts'
import type { Server } from './server.ts'

/** Adds `GET /api/v1/memory/code-map`. */
export function addCodeMapRoutes(
  server: Server,
  ctx: AppContext,
  { either: onRequest }: Authenticate,
): void {
  const { enabled, queryTimeoutMs: timeoutMs } = ctx.config.graph
  const readMap = createMapReader({ db: ctx.db, log: ctx.log, timeoutMs })
  server.get('/api/v1/memory/code-map', { schema: showCodeMap, onRequest }, async (request) => {
    const repo = await findAskedRepository(
      ctx,
      callerOf(request),
      request.query.repo,
      malformedRepository,
    )
    const directory = trimDirectory(request.query.path)
    const { commit, nodes, edges, leftOut } = enabled ? await readMap(repo, directory) : emptyMap
    return {
      ...{ repo, commit, path: directory || '.' },
      nodes: nodes.map(({ risks, usesElsewhere, usedElsewhere, ...node }) => {
        return {
          ...node,
          high_risk: risks,
          uses_elsewhere: usesElsewhere,
          used_elsewhere: usedElsewhere,
        }
      }),
      edges: [...edges],
      left_out: leftOut,
    }
  })
}

/** Empty for the root, however it is written. */
function trimDirectory(path: string): string {
  return path.replace(/^(\.?\/)+/, '').replace(/^\.$|\/+$/, '')
}
