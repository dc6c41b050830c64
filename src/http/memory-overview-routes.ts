// Serves the project map and the memory statistics, which are empty if the memory layer is off.
import type { AppContext } from '../context.ts'
import { memoryStatsSchema, projectMapSchema } from '../contract/memory-schemas.ts'
import { countMemories, readMemoriesOfType } from '../knowledge/memory/read-memories.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import type { Server } from './server.ts'

export const memoryNotConfiguredMessage = 'Memory layer not configured'
export const malformedRepositoryMessage = 'repo must be owner/repo'

const countedTypes = [
  'project_pattern',
  'decision',
  'developer_pattern',
  'developer_strength',
  'risk_module',
  'contributor_profile',
] as const

/** Adds `GET /api/v1/memory/project-map` and `GET /api/v1/memory/stats`. */
export function addMemoryOverviewRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const { db, config } = ctx
  const mapRoute = { schema: projectMapSchema, onRequest: authenticate.bearer }
  server.get('/api/v1/memory/project-map', mapRoute, async (request) => {
    const repo = await findRequestedRepository(ctx, callerOf(request), request.query.repo)
    const entries = config.memory ? await readMemoriesOfType(db, repo, ['project_map']) : []
    const memories = entries.map(({ id, text, path, componentType }) => ({
      id,
      memory: text,
      metadata: {
        memory_type: 'project_map' as const,
        path: path ?? '.',
        component_type: componentType ?? 'directory',
        repo,
      },
    }))
    return { memories, count: memories.length }
  })

  const statsRoute = { schema: memoryStatsSchema, onRequest: authenticate.cookie }
  server.get('/api/v1/memory/stats', statsRoute, async (request) => {
    const repo = await findRequestedRepository(
      ctx,
      callerOf(request),
      request.query.repo,
      malformedRepositoryMessage,
    )
    const { total, byType } = config.memory
      ? await countMemories(db, repo)
      : { total: 0, byType: new Map() }
    const counts = countedTypes.map((type) => [type, byType.get(type) ?? 0] as const)
    return {
      repo,
      total,
      by_type: Object.fromEntries(counts) as Record<(typeof countedTypes)[number], number>,
    }
  })
}
