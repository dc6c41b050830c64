// Analyzes the code around a change: callers, used definitions, affected tests and broken imports.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { resolveFileEdges } from '../resolution/resolve-file-edges.ts'
import { chooseCallers } from './choose-callers.ts'
import type { CodeContext } from './code-context.ts'
import { findAffectedTests } from './find-affected-tests.ts'
import { findBrokenImports } from './find-broken-imports.ts'
import { findChangeCallers } from './find-change-callers.ts'
import { findUsedDefinitions } from './find-used-definitions.ts'
import {
  type ChangeCode,
  type CodeImpactInput,
  loadChangeCode,
  maxDifferingFiles,
} from './load-change-code.ts'
import { confirmBrokenImports, readCallerLines } from './read-head-texts.ts'
import { maxUsingFiles } from './stored-code.ts'
import type { FileUse } from './trace-dependents.ts'

const maxCallers = 200
const maxDefinitions = 60
const maxBrokenImports = 50
const maxTests = 50
/** Edges with a lower confidence connect too many files to be useful. */
const minConfidence = 0.5

/** The part of a change graph that is derived from code. */
export type CodeImpact = Omit<ChangeGraph, 'symbols' | 'history' | 'related' | 'memories'>

export const noCodeImpact: CodeImpact = {
  commit: null,
  isSearched: false,
  callers: [],
  definitions: [],
  brokenImports: [],
  tests: [],
  untested: [],
  counts: { callers: 0, callingFiles: 0, reachedFiles: 0, tests: 0 },
  notes: [],
}

/** Parts of the impact that exceed a limit are left out, with a note. */
export async function readCodeImpact(
  context: CodeContext,
  input: CodeImpactInput,
  signal: AbortSignal,
): Promise<CodeImpact> {
  const { files, symbols, head, stored } = input
  const code = await loadChangeCode(context, input, signal)
  const { views, usingPaths, headIndex } = code
  const callSites = findChangeCallers(views, files, symbols, usingPaths).filter(({ symbol }) =>
    code.searchedSymbols.has(symbols[symbol]!),
  )
  const suspected = findBrokenImports(views, files, usingPaths).slice(0, maxBrokenImports)
  const testImpact = findAffectedTests(files, listUses(code), code.entries.keys(), hasAllUses(code))
  const [callers, brokenImports] = await Promise.all([
    readCallerLines(head, chooseCallers(callSites, symbols, maxCallers), signal),
    confirmBrokenImports(head, suspected, signal),
  ])
  return {
    commit: stored?.commit ?? null,
    isSearched: stored === null,
    callers,
    definitions: findUsedDefinitions(views.after, files).slice(0, maxDefinitions),
    brokenImports,
    tests: testImpact.tests.slice(0, maxTests),
    untested: testImpact.untested,
    counts: {
      callers: callSites.length,
      callingFiles: new Set(callSites.map(({ path }) => path)).size,
      reachedFiles: testImpact.reachedFiles,
      tests: testImpact.tests.length,
    },
    notes: describeLimits(code, headIndex.countUnread()),
  }
}

/** Finds uses between files at the head. Stored uses of files that were read there are replaced. */
function listUses({ input, headIndex, views, entries }: ChangeCode): FileUse[] {
  const { diffs, stored } = input
  const readPaths = [...headIndex.differingFiles].filter(
    (path) => views.after.fileIndex(path) !== undefined,
  )
  const replacedPaths = new Set([...diffs.map(({ path }) => path), ...readPaths])
  const uses = (stored?.uses ?? []).filter(
    ({ source, target }) =>
      !replacedPaths.has(source) && entries.has(source) && entries.has(target),
  )
  for (const path of replacedPaths) {
    if (views.after.fileIndex(path) === undefined) continue
    for (const { target, confidence } of resolveFileEdges(views.after, path))
      if (confidence >= minConfidence) uses.push({ source: path, target })
  }
  return uses
}

function hasAllUses({ input: { stored }, headIndex }: ChangeCode): boolean {
  return (
    stored?.isWhole === true &&
    headIndex.differingFiles.size <= maxDifferingFiles &&
    headIndex.countUnread() === 0
  )
}

function describeLimits(
  { input: { stored }, usingPaths, headIndex }: ChangeCode,
  unreadCount: number,
): string[] {
  const notes: string[] = []
  const differingCount = headIndex.differingFiles.size
  if (stored !== null && differingCount > maxDifferingFiles) {
    notes.push(
      `${differingCount} files differ from the code graph; ` +
        `uses of the change were searched in ${maxDifferingFiles} of them.`,
    )
  }
  const omittedCount = (stored?.usingPaths.length ?? 0) - maxUsingFiles
  if (omittedCount > 0) {
    notes.push(
      `Uses of the change were searched in ${usingPaths.length} files, ` +
        `not in ${omittedCount} others.`,
    )
  }
  if (stored?.isWhole === false)
    notes.push('Too many files depend on the change to search all of its tests.')
  if (unreadCount > 0) {
    notes.push(
      `${unreadCount} files around the change were not read: there are too many, ` +
        'or reading took too long.',
    )
  }
  return notes
}
