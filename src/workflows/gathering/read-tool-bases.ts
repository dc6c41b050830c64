// Reads what other tools found on the base branch, where code scanning has it.
import type { AppContext } from '../../context.ts'
import type { Change } from '../../domain/change.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { Access, ListedAnalysis } from '../../platforms/platform.ts'
import type { ToolResult } from '../../reviewers/sarif/read-sarif.ts'
import type { BaseResults } from '../../reviewers/tool-reviewer.ts'
import type { ListedLog } from './list-tool-logs.ts'
import type { LogReader } from './read-tool-logs.ts'

interface BaseTask {
  readonly access: Access
  readonly change: Pick<Change, 'mergeBaseSha' | 'pullRequest'>
  /** The logs of the head. */
  readonly logs: readonly ListedLog[]
  /** Tools that found something in the changed files. Others need no base. */
  readonly tools: readonly string[]
  readonly reader: LogReader
}

/**
 * Returns the results for the base by tool: from its logs at the merge base, else from the newest
 * ones of the base branch. Those of a tool are missing if not all of its logs are known.
 */
export async function readToolBases(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  { access, change, logs, tools, reader }: BaseTask,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BaseResults>> {
  const ofHead = logs
    .filter((log) => log.kind === 'analysis')
    .filter(({ tool }) => tools.includes(tool))
  const bases = new Map<string, BaseResults>()
  if (ofHead.length === 0) return bases
  const listed = await listOfBranch(ctx, access, change.pullRequest.base.branch, signal)
  for (const [tool, own] of Map.groupBy(ofHead, (log) => log.tool)) {
    const found = own.map((log) => findBase(listed, log, change.mergeBaseSha))
    const results = await readAll(reader, found)
    const isOther = found.some((base) => base?.sha !== change.mergeBaseSha)
    if (results !== null) bases.set(tool, { results, isOther })
  }
  return bases
}

async function listOfBranch(
  { log, platform }: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  branch: string,
  signal: AbortSignal,
): Promise<readonly ListedAnalysis[]> {
  try {
    return await platform.listAnalyses(access, { branch }, signal)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { repo } = access
    log.warn({ err: error, repo }, 'What other tools found on the base could not be listed')
    return []
  }
}

function findBase(
  listed: readonly ListedAnalysis[],
  { category, tool }: ListedAnalysis,
  mergeBaseSha: string,
): ListedAnalysis | undefined {
  const same = listed.filter((base) => base.tool === tool && base.category === category)
  return same.find(({ sha }) => sha === mergeBaseSha) ?? same[0]
}

/** Returns null if one of them is missing or can't be read. */
async function readAll(
  reader: LogReader,
  analyses: readonly (ListedAnalysis | undefined)[],
): Promise<ToolResult[] | null> {
  const results: ToolResult[] = []
  for (const analysis of analyses) {
    const read = analysis && (await reader.read({ ...analysis, kind: 'analysis' }))
    if (!read) return null
    results.push(...read.map(({ result }) => result))
  }
  return results
}
