// Creates the MCP tool that finds the callers of a symbol.
import { z } from 'zod'
import type { ServiceContext } from '../context.ts'
import { withTimeout } from '../db/with-timeout.ts'
import { minSureConfidence } from '../domain/change-graph.ts'
import { findSymbolUses, type SymbolUses } from '../knowledge/change/find-symbol-uses.ts'
import { defineListTool, type McpTool } from './mcp-tool.ts'
import { repositoryNameInput } from './review-tools.ts'

const maxCallers = 200

const callersOutput = z.object({
  name: z.string().describe('Qualified name, such as Cart.add'),
  kind: z.string(),
  path: z.string(),
  line: z.int(),
  end_line: z.int(),
  commit: z.string().describe('Commit of the default branch that paths and lines refer to'),
  callers: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
      within: z
        .string()
        .nullable()
        .describe('Name of the enclosing definition, or null at the top level'),
      kind: z.enum(['call', 'new', 'type', 'extends', 'value', 'import']),
      is_test: z.boolean(),
      confidence: z.number().describe(`Certain from ${minSureConfidence}, below that a guess`),
    }),
  ),
  caller_count: z.int().describe('Number of all callers, including those that are not listed'),
})

/** Creates the tool, which reads the code graph of the default branch. */
export function createFindCallersTool({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): McpTool {
  const { enabled, queryTimeoutMs: timeoutMs } = config.graph
  return defineListTool({
    kind: 'list',
    name: 'find_callers',
    title: 'Callers of a symbol',
    description:
      'Returns each definition of a name on the default branch, with the code that calls or ' +
      'otherwise uses it: certain uses first, tests last. The list is empty if the repository ' +
      'was not scanned. If many files define the name, pass the path of the definition.',
    input: z.object({
      repo: repositoryNameInput,
      symbol: z
        .string()
        .min(1)
        .max(500)
        .describe("Name of the symbol, optionally qualified: 'add' or 'Cart.add'"),
      path: z.string().min(1).max(4096).optional().describe('File that defines the symbol'),
      limit: z
        .int()
        .default(50)
        .describe(`Maximum number of callers of all definitions, at most ${maxCallers}`),
    }),
    output: callersOutput,
    run: async ({ limit, ...query }, { signal }) => {
      if (!enabled) return []
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const cappedLimit = Math.max(0, Math.min(limit, maxCallers))
      const search = findSymbolUses(db, { ...query, limit: cappedLimit, timeoutMs }, deadline)
      const definitions = await withTimeout(timeoutMs, search)
      return (definitions ?? []).map(describeDefinition)
    },
  })
}

function describeDefinition({ uses, count, ...definition }: SymbolUses) {
  return { ...definition, line: definition.startLine, callers: uses, callerCount: count }
}
