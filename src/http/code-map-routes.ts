// Serves the code map of a repository, which is empty if the graph layer is off.
import { emptyCodeMap } from '../analytics/read-code-map.ts'
import { createCodeMapReader } from '../analytics/timed-readers.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/code-map-endpoints.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage } from './memory-overview-routes.ts'

export function addCodeMapRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const { enabled, queryTimeoutMs: timeoutMs } = ctx.config.graph
  const readMap = createCodeMapReader({ db: ctx.db, log: ctx.log, timeoutMs })
  addRoute(contract.showCodeMap, async (request) => {
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    const directory = normalizeDirectory(request.query.path)
    const codeMap = enabled ? await readMap(repo, directory) : emptyCodeMap
    return { ...codeMap, repo, path: directory || '.' }
  })
}

/** Removes `./` and slashes at both ends. The root becomes an empty text. */
function normalizeDirectory(path: string): string {
  return path.replace(/^(\.?\/)+/, '').replace(/^\.$|\/+$/, '')
}
