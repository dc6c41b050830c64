// Reads what code says of a change: whom it reaches, what it uses, which tests reach it, which imports it breaks.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { resolveFileEdges } from '../resolution/resolve-file-edges.ts'
import { listGonePaths } from './changed-file.ts'
import { chooseCallers } from './choose-callers.ts'
import { findBrokenImports } from './find-broken-imports.ts'
import { findCallers } from './find-callers.ts'
import { findDefinitions } from './find-definitions.ts'
import { findTests } from './find-tests.ts'
import type { GraphReading } from './graph-reading.ts'
import { type CodeTask, type Known, mostFresh, readKnown } from './read-known.ts'
import { confirmSuspicions, readCallerLines } from './read-lines.ts'
import { mostUsers } from './read-stored.ts'
import type { Use } from './spread.ts'

const mostCallers = 200
const mostDefinitions = 60
const mostBroken = 50
const mostTests = 50

/** The part of a change's graph that its code tells. */
export type CodeGraph = Omit<ChangeGraph, 'symbols' | 'history' | 'related' | 'memories'>

/** With nothing known. */
export const noCode: CodeGraph = {
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
export async function readCode(
  reading: GraphReading,
  task: CodeTask,
  signal: AbortSignal,
): Promise<CodeGraph> {
  const { files, symbols, head, stored } = task
  const commit = stored?.graph.commit ?? null
  if (files.length === 0 && listGonePaths(task.diffs).size === 0) return { ...noCode, commit }
  const known = await readKnown(reading, task, signal)
  const { views, users, code } = known
  const uses = stored === null ? [] : findCallers(views, files, symbols, users)
  const suspicions = findBrokenImports(views, files, users).slice(0, mostBroken)
  const reach = findTests(files, listUses(known), known.entries.keys(), knowsAllUses(known))
  const [callers, brokenImports] = await Promise.all([
    readCallerLines(head, chooseCallers(uses, symbols, mostCallers), signal),
    confirmSuspicions(head, suspicions, signal),
  ])
  return {
    commit,
    callers,
    definitions: findDefinitions(views.after, files).slice(0, mostDefinitions),
    brokenImports,
    tests: reach.tests.slice(0, mostTests),
    untested: reach.untested,
    counts: {
      callers: uses.length,
      callingFiles: new Set(uses.map(({ path }) => path)).size,
      reachedFiles: reach.reachedFiles,
      tests: reach.tests.length,
    },
    notes: describeLimits(known, code.unread()),
  }
}

/** Uses between files at the head: those of files that were read there in place of the stored ones. */
function listUses({ task, code, views, entries }: Known): Use[] {
  const read = [...code.fresh].filter((path) => views.after.facts(path) !== undefined)
  const own = new Set([...task.diffs.map(({ path }) => path), ...read])
  const uses = (task.stored?.uses ?? []).filter(
    ({ source, target }) => !own.has(source) && entries.has(source) && entries.has(target),
  )
  for (const path of own) {
    if (views.after.facts(path) === undefined) continue
    for (const { target, confidence } of resolveFileEdges(views.after, path))
      if (confidence >= 0.5) uses.push({ source: path, target })
  }
  return uses
}

function knowsAllUses({ task: { stored }, code }: Known): boolean {
  return stored?.isWhole === true && code.fresh.size <= mostFresh && code.unread() === 0
}

function describeLimits({ task: { stored }, users, code }: Known, unread: number): string[] {
  const notes: string[] = []
  if (stored !== null && code.fresh.size > mostFresh)
    notes.push(
      `${code.fresh.size} files are others than in the code graph; whether they use the change was looked for in ${mostFresh}.`,
    )
  const left = (stored?.users.length ?? 0) - mostUsers
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
