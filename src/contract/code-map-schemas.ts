// Schemas of the map of a repository's code.
import { z } from 'zod'
import { errorResponses, repoParameter, security, textInput } from './common-schemas.ts'

const count = z.int().min(0)

const node = z
  .object({
    path: z.string(),
    kind: z.enum(['directory', 'file']).describe('A directory stands for all below it'),
    files: count,
    lines: count,
    language: z
      .string()
      .nullable()
      .describe('That most of its lines are in; null where nothing is known about any'),
    complexity: count.describe('Cyclomatic, of all its files together'),
    touches: count.describe('Reviewed pull requests that touched it'),
    high_risk: count.describe(
      'Files in it of which a review of a change to them asked for changes',
    ),
    uses_elsewhere: count.describe('How often it uses files that are in no node of this map'),
    used_elsewhere: count.describe('How often such files use it'),
  })
  .meta({ id: 'CodeMapNode' })

const edge = z
  .object({
    source: z.string().describe('Path of a node whose files use those of the other one'),
    target: z.string(),
    imports: count.describe('How often they import them'),
    calls: count.describe('How often they call them, refer to them or inherit from them'),
  })
  .meta({ id: 'CodeMapEdge' })

export const showCodeMapSchema = {
  summary: 'What a directory holds, how large and how busy it is, and what uses what',
  description:
    'What is right below a directory; and, where no more than 60 nodes come of it, what is below that in its place, where the largest parts come of it first. Generated, vendored and binary files are left out. Without the code graph, before the first scan, and where it takes too long, there is nothing.',
  tags: ['Memory'],
  security: security.either,
  querystring: z.object({
    repo: repoParameter,
    path: textInput('path', 4096).default('.').describe('The directory; `.` for the root'),
  }),
  response: {
    200: z
      .object({
        repo: z.string(),
        commit: z
          .string()
          .nullable()
          .describe('Of the default branch; null where there is no code graph'),
        path: z.string().describe('The directory, without slashes at its ends; `.` for the root'),
        nodes: z.array(node).max(300).describe('Most lines first, at most 300'),
        edges: z
          .array(edge)
          .max(1500)
          .describe('The strongest between these nodes first, at most 1,500'),
        left_out: z.object({ nodes: count, edges: count }).describe('What is beyond these bounds'),
      })
      .meta({ id: 'CodeMap' }),
    ...errorResponses(400, 401, 403, 422),
  },
}
