// Serves the project map and the memory statistics, which are empty if the memory layer is off.
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/memory-endpoints.ts'
import { toCamelCase } from '../contract/records.ts'
import { countMemories, readMemoriesOfType } from '../knowledge/memory/read-memories.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'

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

export function addMemoryOverviewRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const { db, config } = ctx
  addRoute(contract.projectMap, async (request) => {
    const repo = await findRequestedRepository(ctx, request)
    const entries = config.memory ? await readMemoriesOfType(db, repo, ['project_map']) : []
    const memories = entries.map(({ id, text, path, componentType }) => ({
      id,
      memory: text,
      metadata: {
        memoryType: 'project_map' as const,
        path: path ?? '.',
        componentType: componentType ?? 'directory',
        repo,
      },
    }))
    return { memories, count: memories.length }
  })

  addRoute(contract.memoryStats, async (request) => {
    const repo = await findRequestedRepository(ctx, request, malformedRepositoryMessage)
    const { total, byType } = config.memory
      ? await countMemories(db, repo)
      : { total: 0, byType: new Map() }
    const counts = countedTypes.map((type) => [type, byType.get(type) ?? 0] as const)
    const byTypeName = Object.fromEntries(counts) as Record<(typeof countedTypes)[number], number>
    return { repo, total, byType: toCamelCase(byTypeName) }
  })
}
