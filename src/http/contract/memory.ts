// Schemas of what is remembered of a repository.
import { z } from 'zod'
import { errors, repoParameter, security } from './common.ts'

const count = z.int().min(0)
const querystring = z.object({ repo: repoParameter })

export const projectMap = {
  summary: 'What the directories, modules and files of a repository are for',
  tags: ['Memory'],
  security: security.bearer,
  querystring,
  response: {
    200: z
      .object({
        memories: z.array(
          z.object({
            id: z.string(),
            memory: z.string(),
            metadata: z.object({
              memory_type: z.literal('project_map'),
              path: z.string(),
              component_type: z.string(),
              repo: z.string(),
            }),
          }),
        ),
        count,
      })
      .meta({ id: 'ProjectMap' }),
    ...errors(401, 403, 422),
  },
}

export const rescan = {
  summary: 'Build the memory of a repository anew, in the background',
  tags: ['Memory'],
  security: security.cookie,
  querystring,
  response: {
    200: z.object({ status: z.literal('rescan_started'), repo: z.string() }),
    ...errors(400, 401, 403, 422, 503),
  },
}

export const memoryStats = {
  summary: 'How much is remembered of a repository',
  tags: ['Memory'],
  security: security.cookie,
  querystring,
  response: {
    200: z
      .object({
        repo: z.string(),
        total: count.describe('With the project map'),
        by_type: z.object({
          project_pattern: count,
          decision: count,
          developer_pattern: count,
          developer_strength: count,
          risk_module: count,
          contributor_profile: count,
        }),
      })
      .meta({ id: 'MemoryStats' }),
    ...errors(400, 401, 403, 422),
  },
}
