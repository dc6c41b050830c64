// Reads what code says of a change: whom it reaches, what it uses, which tests reach it, which imports it breaks.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { resolveFileEdges } from '../resolution/resolve-file-edges.ts'
import type { ChangeGraphContext } from './change-graph-context.ts'
import { listRemovedPaths } from './changed-file.ts'
import { chooseCallers } from './choose-callers.ts'
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
import { maxUsingFiles } from './read-stored-code.ts'
import type { FileUse } from './trace-dependents.ts'

const maxCallers = 200
const maxDefinitions = 60
const maxBrokenImports = 50
const maxTests = 50

/** The part of a change's graph that its code tells. */
export type CodeImpact = Omit<ChangeGraph, 'symbols' | 'history' | 'related' | 'memories'>

/** With nothing known. */
export const noCodeImpact: CodeImpact = {
  commit: null,
  callers: [],
  definitions: [],
  brokenImports: [],
  tests: [],
  untested: [],
  counts: { callers: 0, callingFiles: 0, reachedFiles: 0, tests: 0 },
  notes: [],
}

/** Reads what code tells of a change. What can't be told is left out and noted. */
export async function readCodeImpact(
  reading: ChangeGraphContext,
  task: CodeImpactInput,
  signal: AbortSignal,
): Promise<CodeImpact> {
  const { files, symbols, head, stored } = task
  const commit = stored?.graph.commit ?? null
  if (files.length === 0 && listRemovedPaths(task.diffs).size === 0)
    return { ...noCodeImpact, commit }
  const known = await loadChangeCode(reading, task, signal)
  const { views, usingPaths: users, headIndex: code } = known
  const uses = stored === null ? [] : findChangeCallers(views, files, symbols, users)
  const suspicions = findBrokenImports(views, files, users).slice(0, maxBrokenImports)
  const reach = findAffectedTests(files, listUses(known), known.entries.keys(), knowsAllUses(known))
  const [callers, brokenImports] = await Promise.all([
    readCallerLines(head, chooseCallers(uses, symbols, maxCallers), signal),
    confirmBrokenImports(head, suspicions, signal),
  ])
  return {
    commit,
    callers,
    definitions: findUsedDefinitions(views.after, files).slice(0, maxDefinitions),
    brokenImports,
    tests: reach.tests.slice(0, maxTests),
    untested: reach.untested,
    counts: {
      callers: uses.length,
      callingFiles: new Set(uses.map(({ path }) => path)).size,
      reachedFiles: reach.reachedFiles,
      tests: reach.tests.length,
    },
    notes: describeLimits(known, code.countUnread()),
  }
}

/** Uses between files at the head: those of files that were read there in place of the stored ones. */
function listUses({ input: task, headIndex: code, views, entries }: ChangeCode): FileUse[] {
  const read = [...code.differingFiles].filter((path) => views.after.fileIndex(path) !== undefined)
  const own = new Set([...task.diffs.map(({ path }) => path), ...read])
  const uses = (task.stored?.uses ?? []).filter(
    ({ source, target }) => !own.has(source) && entries.has(source) && entries.has(target),
  )
  for (const path of own) {
    if (views.after.fileIndex(path) === undefined) continue
    for (const { target, confidence } of resolveFileEdges(views.after, path))
      if (confidence >= 0.5) uses.push({ source: path, target })
  }
  return uses
}

function knowsAllUses({ input: { stored }, headIndex: code }: ChangeCode): boolean {
  return (
    stored?.isWhole === true &&
    code.differingFiles.size <= maxDifferingFiles &&
    code.countUnread() === 0
  )
}

function describeLimits(
  { input: { stored }, usingPaths: users, headIndex: code }: ChangeCode,
  unread: number,
): string[] {
  const notes: string[] = []
  if (stored !== null && code.differingFiles.size > maxDifferingFiles)
    notes.push(
      `${code.differingFiles.size} files are others than in the code graph; whether they use the change was looked for in ${maxDifferingFiles}.`,
    )
  const left = (stored?.usingPaths.length ?? 0) - maxUsingFiles
  if (left > 0)
    notes.push(
      `Uses of what changed were looked for in ${users.length} files, not in ${left} others.`,
    )
  if (stored?.isWhole === false)
    notes.push('So many files depend on the change that not all of its tests were looked for.')
  if (unread > 0)
    notes.push(
      `${unread} files around the change were not read: they are too many, or it took too long.`,
    )
  return notes
}
