// Defines the code map endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, repoParameter, textInput } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const node = z
  .object({
    path: z.string(),
    kind: z
      .enum(['directory', 'file'])
      .describe('A directory node represents all files below the directory'),
    files: count.describe('Number of files'),
    lines: count.describe('Number of lines'),
    language: z
      .string()
      .nullable()
      .describe('Language of most lines, or null if no language is known'),
    complexity: count.describe('Sum of the cyclomatic complexity of all files'),
    touches: count.describe('Number of reviewed pull requests that changed the node'),
    high_risk: count.describe('Number of files for which a review requested changes'),
    findings: count.describe(
      'Number of findings that reviews reported in the node. Dismissed ones do not count.',
    ),
    uses_elsewhere: count.describe('Number of references to files outside this map'),
    used_elsewhere: count.describe('Number of references from files outside this map'),
  })
  .meta({ id: 'CodeMapNode' })

const edge = z
  .object({
    source: z.string().describe('Path of the node that depends on `target`'),
    target: z.string().describe('Path of the node that is depended on'),
    imports: count.describe('Number of imports'),
    calls: count.describe('Number of calls, other references and inheritances'),
  })
  .meta({ id: 'CodeMapEdge' })

export const showCodeMap = endpoint(addresses.showCodeMap, {
  summary: 'Get the code map of a directory',
  description:
    'Returns the files and directories directly below a directory, with their size, activity and ' +
    'dependencies. Directories are expanded, largest first, as long as the map has at most 60 ' +
    'nodes. Generated, vendored and binary files are excluded. The map is empty if the graph ' +
    'layer is off, before the first scan, and if the query takes too long.',
  tags: ['Memory'],
  credential: 'either',
  query: z.object({
    repo: repoParameter,
    path: textInput('path', 4096).default('.').describe('Path of the directory. `.` is the root.'),
  }),
  response: z
    .object({
      repo: z.string(),
      commit: z
        .string()
        .nullable()
        .describe('Scanned commit of the default branch, or null if there is no code graph'),
      path: z
        .string()
        .describe('Path of the directory without slashes at its ends. `.` is the root.'),
      nodes: z.array(node).max(300).describe('Up to 300 nodes, most lines first'),
      edges: z
        .array(edge)
        .max(1500)
        .describe('Up to 1,500 edges between the nodes, strongest first'),
      left_out: z
        .object({ nodes: count, edges: count })
        .describe('Number of nodes and edges beyond these limits'),
    })
    .meta({ id: 'CodeMap' }),
  errors: [400, 403, 422],
})
