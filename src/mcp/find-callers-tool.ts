// The tool that tells who uses a symbol.
import { z } from 'zod'
import type { AppContext } from '../context.ts'
import { withTimeout } from '../db/with-timeout.ts'
import { minSureConfidence } from '../domain/change-graph.ts'
import { findSymbolUses, type SymbolUses } from '../knowledge/change/find-symbol-uses.ts'
import { defineListTool, type McpTool, type ToolRecord } from './mcp-tool.ts'
import { repositoryNameInput } from './review-tools.ts'

const maxCallers = 200

const callersOutput = z.object({
  name: z.string().describe('With what it is defined in'),
  kind: z.string(),
  path: z.string(),
  line: z.int(),
  end_line: z.int(),
  commit: z.string().describe('Of the default branch, which lines and paths are of'),
  callers: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
      within: z
        .string()
        .nullable()
        .describe('The definition that it stands in; null at the top of a file'),
      kind: z.enum(['call', 'new', 'type', 'extends', 'value', 'import']),
      is_test: z.boolean(),
      confidence: z.number().describe(`From ${minSureConfidence} on a fact, below it a guess`),
    }),
  ),
  caller_count: z.int().describe('With those that are not listed'),
})

/** Who uses a symbol of the default branch, as the code graph has it. */
export function createFindCallersTool({ db, config }: Pick<AppContext, 'db' | 'config'>): McpTool {
  const { enabled, queryTimeoutMs: timeoutMs } = config.graph
  return defineListTool({
    kind: 'list',
    name: 'find_callers',
    title: 'Callers of a symbol',
    description:
      'Each definition of a name on the default branch, and who calls or else uses it, the sure ones first, tests last. ' +
      'Empty where the repository was not scanned. Of names that many files define, say which by its path.',
    input: z.object({
      repo: repositoryNameInput,
      symbol: z
        .string()
        .min(1)
        .max(500)
        .describe("Its name, or with what it is defined in: 'Cart.add'"),
      path: z.string().min(1).max(4096).optional().describe('The file that defines it'),
      limit: z
        .int()
        .default(50)
        .describe(`How many callers at most, of all definitions; never more than ${maxCallers}`),
    }),
    output: callersOutput,
    run: async ({ limit, ...query }, { signal }) => {
      if (!enabled) return []
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const found = await withTimeout(
        timeoutMs,
        findSymbolUses(
          db,
          { ...query, limit: Math.max(0, Math.min(limit, maxCallers)), timeoutMs },
          limited,
        ),
      )
      return (found ?? []).map(describe)
    },
  })
}

function describe({
  name,
  kind,
  path,
  startLine,
  endLine,
  commit,
  uses,
  count,
}: SymbolUses): ToolRecord {
  return {
    ...{ name, kind, path, line: startLine, end_line: endLine, commit },
    callers: uses.map(({ path, line, within, kind, isTest, confidence }) => ({
      ...{ path, line, within, kind, is_test: isTest, confidence },
    })),
    caller_count: count,
  }
}
