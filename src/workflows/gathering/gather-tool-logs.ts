// Gathers what other tools found about a head, from code scanning and artifacts of CI.
import type { AppContext } from '../../context.ts'
import { type Change, listReviewedFiles } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { KnownToolLogs } from '../../domain/review.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { formatCount } from '../../lib/text.ts'
import { startDeadline } from '../../platforms/deadline.ts'
import type { Access } from '../../platforms/platform.ts'
import type { Reviewer } from '../../reviewers/reviewer.ts'
import { createToolReviewers, isPathOf } from '../../reviewers/tool-reviewer.ts'
import { identifyLog, type ListedLog } from './list-tool-logs.ts'
import { readToolBases } from './read-tool-bases.ts'
import { createLogReader, type FoundResult } from './read-tool-logs.ts'

/** Each log costs a download. */
const maxLogs = 10
const maxTools = 10
const timeoutMs = 60_000

/** What a review includes of other tools. */
export interface GatheredToolLogs {
  readonly reviewers: readonly Reviewer[]
  /** The logs that there are now; null if the settings ask for none. */
  readonly found: KnownToolLogs | null
  /** Whether there may be more later. */
  readonly mayGrow: boolean
  /** What could not be read, one sentence each. */
  readonly notes: readonly string[]
}

type ScannedChange = Pick<
  Change,
  'pullRequest' | 'headSha' | 'mergeBaseSha' | 'settings' | 'files' | 'exemptFiles' | 'base'
> & {
  /** The tip of the base branch. */
  readonly tip: Snapshot
}

/** Never fails a review. Throws the reason of an aborted signal. */
export async function gatherToolLogs(
  ctx: Pick<AppContext, 'platform' | 'log' | 'toolLogs'>,
  access: Access,
  change: ScannedChange,
  signal: AbortSignal,
): Promise<GatheredToolLogs> {
  const { headSha, pullRequest } = change
  const settings = change.settings.tools
  if (!settings.codeScanning && settings.artifacts.length === 0)
    return { reviewers: [], found: null, mayGrow: false, notes: [] }
  const within = AbortSignal.any([signal, startDeadline(timeoutMs)])
  const of = { number: pullRequest.number, headSha, settings }
  const { logs, mayGrow } = await ctx.toolLogs.list(access, of, within)
  const reader = createLogReader(ctx, access, within)
  const results: FoundResult[] = []
  for (const log of logs.slice(0, maxLogs)) results.push(...((await reader.read(log)) ?? []))
  const { located, moved } = await locate(change, results)
  const resultsIn = (kind: ListedLog['kind']) =>
    located.filter((one) => one.kind === kind).map(({ result }) => result)
  const scanned = resultsIn('analysis')
  const claimed = resultsIn('artifact')
  const all = [...new Set([...scanned, ...claimed].map(({ tool }) => tool))]
  const tools = all.slice(0, maxTools)
  const bases = await readToolBases(ctx, { access, change, logs, tools, reader }, within)
  signal.throwIfAborted()
  const origins = [
    { head: scanned, baseOf: (tool: string) => bases.get(tool) ?? null },
    { head: claimed, baseOf: () => null },
  ].map(({ head, baseOf }) => ({ head: head.filter(({ tool }) => tools.includes(tool)), baseOf }))
  const isStrangers = pullRequest.head.repo?.toLowerCase() !== pullRequest.repo.toLowerCase()
  const reviewers = createToolReviewers(origins, isStrangers)
  const leftOut = [
    ...count(logs.length - maxLogs, 'log'),
    ...count(all.length - maxTools, 'tool'),
    ...count(moved, 'result', ' in files that the base branch changed, too'),
  ]
  const notes = leftOut.map((what) => `Not used of what other tools found: ${what}.`)
  return {
    reviewers,
    found: { ...settings, known: logs.map(identifyLog) },
    mayGrow,
    notes: [...reader.notes, ...notes],
  }
}

function count(number: number, noun: string, rest = ''): string[] {
  return number > 0 ? [`${formatCount(number, noun)}${rest}`] : []
}

/**
 * Keeps the results in the changed files. In a trial merge, the lines of a file have the numbers of
 * the head only if the base branch didn't change it since.
 */
async function locate(
  change: ScannedChange,
  found: readonly FoundResult[],
): Promise<{ located: readonly FoundResult[]; moved: number }> {
  const files = listReviewedFiles(change)
  const located: FoundResult[] = []
  let moved = 0
  for (const [path, results] of Map.groupBy(found, ({ result }) => result.path)) {
    const file = files.find((one) => isPathOf(path, one.path))
    if (file === undefined) continue
    const isSame = !results.some(({ isMerge }) => isMerge) || (await isUnchanged(change, file))
    const kept = results.filter(({ isMerge }) => isSame || !isMerge)
    located.push(...kept)
    moved += results.length - kept.length
  }
  return { located, moved }
}

/** Whether the base branch has the file as it was at the merge base. */
async function isUnchanged({ base, tip }: ScannedChange, { oldPath }: FileDiff): Promise<boolean> {
  if (base === tip) return true
  try {
    const [before, after] = await Promise.all([base.readFile(oldPath), tip.readFile(oldPath)])
    if (before === undefined || after === undefined) return before === after
    return Buffer.compare(before, after) === 0
  } catch (error) {
    // It is larger than files that are read.
    if (error instanceof GitError && !error.retryable) return false
    throw error
  }
}
