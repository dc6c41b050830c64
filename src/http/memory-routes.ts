// What is remembered of a repository. There is no memory layer: each endpoint answers as if it were turned off.
import type { AppContext } from '../context.ts'
import { RequestError } from '../domain/errors.ts'
import { findAskedRepository } from './asked-repository.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { memoryStats, projectMap, rescan } from './contract/memory.ts'
import type { Server } from './server.ts'

/** What endpoints say that can't work without the memory layer. */
export const memoryNotConfigured = 'Memory layer not configured'

const malformed = 'repo must be owner/repo'

/** Adds what stands under `/api/v1/memory`. */
export function addMemoryRoutes(server: Server, { db }: Pick<AppContext, 'db'>, authenticate: Authenticate): void {
  const mapRoute = { schema: projectMap, onRequest: authenticate.bearer }
  server.get('/api/v1/memory/project-map', mapRoute, async (request) => {
    await findAskedRepository(db, callerOf(request), request.query.repo)
    return { memories: [], count: 0 }
  })

  const rescanRoute = { schema: rescan, onRequest: authenticate.cookie }
  server.post('/api/v1/memory/rescan', rescanRoute, async (request) => {
    await findAskedRepository(db, callerOf(request), request.query.repo, malformed)
    throw new RequestError('not_configured', memoryNotConfigured)
  })

  const statsRoute = { schema: memoryStats, onRequest: authenticate.cookie }
  server.get('/api/v1/memory/stats', statsRoute, async (request) => {
    const repo = await findAskedRepository(db, callerOf(request), request.query.repo, malformed)
    return { repo, total: 0, by_type: nothingRemembered }
  })
}

const nothingRemembered = {
  project_pattern: 0,
  decision: 0,
  developer_pattern: 0,
  developer_strength: 0,
  risk_module: 0,
  contributor_profile: 0,
}
