// Finds uses of changed definitions in lines that the change doesn't contain.

import { type CallSite, minSureConfidence } from '../../domain/change-graph.ts'
import type { CodeReference, FileIndex } from '../../languages/code-index.ts'
import { isHeader } from '../../languages/index.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import type { CodeView } from '../resolution/code-model.ts'
import { resolveReferences } from '../resolution/resolve-references.ts'
import type { ChangedFile } from './changed-file.ts'
import { qualifiedNameOf, type SymbolChange } from './compare-symbols.ts'

/** A call site of which the line's text isn't read yet. */
export type UnreadCallSite = Omit<CallSite, 'text'>

/** Contains the loaded part of the repository before and after the change. */
export interface ChangeViews {
  /** Contains the base versions of changed files, and the head versions of all others. */
  readonly before: CodeView
  readonly after: CodeView
}

/** With a lower confidence, a use more likely means another definition. */
const minConfidence = 0.3
/** Older code rarely uses a new definition, so that its uses need more confidence. */
const minAddedConfidence = 0.7
/** The confidence of a use if a few files that aren't loaded define the name too. */
const ambiguousConfidence = 0.3
/** A name that more files define is too ambiguous. */
const maxCompetingFiles = 3

/** Identifies a definition by its ordinal and path. */
type SymbolKey = string
export const symbolKey = (path: string, ordinal: number): SymbolKey => `${ordinal} ${path}`

/**
 * Finds uses of changed definitions outside of the changed lines.
 *
 * @param symbols the changed definitions; `symbol` of a result is an index into them
 * @param paths unchanged files at the head that may use them
 */
export function findChangeCallers(
  views: ChangeViews,
  files: readonly ChangedFile[],
  symbols: readonly SymbolChange[],
  paths: readonly string[],
): UnreadCallSite[] {
  const existing = indexSymbols(symbols, ({ path, afterOrdinal }) =>
    afterOrdinal === -1 ? undefined : symbolKey(path, afterOrdinal),
  )
  const oldPaths = new Map(
    files.map(({ diff, before }) => [diff.path, before?.path ?? diff.oldPath]),
  )
  const removed = indexSymbols(symbols, ({ path, beforeOrdinal, afterOrdinal }) =>
    afterOrdinal === -1 ? symbolKey(oldPaths.get(path) ?? path, beforeOrdinal) : undefined,
  )
  const changedPaths = new Set(files.map(({ diff }) => diff.path))
  const search = { views, symbols, existing, removed }
  return [
    ...files.flatMap((file) => findInChangedFile(search, file)),
    ...paths
      .filter((path) => !changedPaths.has(path))
      .flatMap((path) => findInUnchangedFile(search, path)),
  ]
}

interface CallerSearch {
  readonly views: ChangeViews
  readonly symbols: readonly SymbolChange[]
  /** Contains indexes into `symbols` for definitions at the head. */
  readonly existing: ReadonlyMap<SymbolKey, number>
  /** Maps removed definitions at the base to indexes into `symbols`. */
  readonly removed: ReadonlyMap<SymbolKey, number>
}

function indexSymbols(
  symbols: readonly SymbolChange[],
  keyOfSymbol: (symbol: SymbolChange) => SymbolKey | undefined,
): Map<SymbolKey, number> {
  const indexesByKey = new Map<SymbolKey, number>()
  for (const [index, symbol] of symbols.entries()) {
    const key = keyOfSymbol(symbol)
    if (key !== undefined) indexesByKey.set(key, index)
  }
  return indexesByKey
}

/** A reference that resolves to one of the searched definitions. */
interface ReferenceMatch {
  readonly reference: CodeReference
  readonly symbol: number
  readonly confidence: number
}

function findInUnchangedFile(search: CallerSearch, path: string): UnreadCallSite[] {
  const { views, symbols, existing, removed } = search
  const fileIndex = views.after.fileIndex(path)
  if (fileIndex === undefined) return []
  const resolvedAfter = new Map<number, ReferenceMatch>()
  const matches = matchReferences(views.after, path, fileIndex, existing, resolvedAfter)
  if (removed.size > 0) {
    const removedMatches = matchReferences(views.before, path, fileIndex, removed)
    for (const [index, match] of removedMatches) {
      // The definition may have moved to a file where the reference still resolves.
      const confidenceAfter = resolvedAfter.get(index)?.confidence ?? 0
      if (confidenceAfter < match.confidence) matches.set(index, match)
    }
  }
  return [...matches.values()]
    .filter(({ symbol, confidence }) => isConfident(symbols[symbol], confidence))
    .map((match) =>
      toCallSite(match, { path, fileIndex, line: match.reference.line, inChange: false }),
    )
}

function findInChangedFile(search: CallerSearch, file: ChangedFile): UnreadCallSite[] {
  const { views, symbols, existing } = search
  const { diff, after, lines } = file
  if (after === null) return []
  const { fileIndex } = after
  const resolvedAfter = new Map<number, ReferenceMatch>()
  const matches = matchReferences(views.after, diff.path, fileIndex, existing, resolvedAfter)
  const sites = [...matches.values()]
    .filter(({ reference, symbol, confidence }) => {
      const { path, startLine, endLine } = symbols[symbol]!
      const isInDefinition =
        path === diff.path && reference.line >= startLine && reference.line <= endLine
      const isChanged = lines.added.has(reference.line)
      return !isInDefinition && !isChanged && isConfident(symbols[symbol], confidence)
    })
    .map((match) =>
      toCallSite(match, {
        path: diff.path,
        fileIndex,
        line: match.reference.line,
        inChange: true,
      }),
    )
  return [...sites, ...findRemovedInChangedFile(search, file, [...resolvedAfter.values()])]
}

/** Finds uses of removed definitions in the base version, by their lines at the head. */
function findRemovedInChangedFile(
  { views, symbols, removed }: CallerSearch,
  { diff, before, lines }: ChangedFile,
  resolvedAfter: readonly ReferenceMatch[],
): UnreadCallSite[] {
  if (removed.size === 0 || before === null) return []
  const { path, fileIndex } = before
  const confidences = new Map(
    resolvedAfter.map(({ reference, confidence }) => [
      `${reference.line} ${reference.name}`,
      confidence,
    ]),
  )
  const matches = matchReferences(views.before, path, fileIndex, removed)
  return [...matches.values()].flatMap((match) => {
    const { reference, symbol, confidence } = match
    const line = lines.toHead(reference.line)
    if (line === undefined || !isConfident(symbols[symbol], confidence)) return []
    const confidenceAfter = confidences.get(`${line} ${reference.name}`) ?? 0
    if (confidenceAfter >= confidence) return []
    return [toCallSite(match, { path: diff.path, fileIndex, line, inChange: true })]
  })
}

/**
 * Finds the references of a file to searched definitions.
 *
 * @param symbolsByKey maps the searched definitions to symbol indexes
 * @param allResolved receives the best match of each resolved reference, with the symbol -1 for
 *   definitions that aren't searched
 * @returns the best matches by their indexes into the file's references
 */
export function matchReferences(
  view: CodeView,
  path: string,
  fileIndex: FileIndex,
  symbolsByKey: ReadonlyMap<SymbolKey, number>,
  allResolved = new Map<number, ReferenceMatch>(),
): Map<number, ReferenceMatch> {
  const matches = new Map<number, ReferenceMatch>()
  const addIfBetter = (
    bestMatches: Map<number, ReferenceMatch>,
    index: number,
    match: ReferenceMatch,
  ) => {
    const bestConfidence = bestMatches.get(index)?.confidence ?? 0
    if (match.confidence > bestConfidence) bestMatches.set(index, match)
  }
  for (const { reference: index, targets } of resolveReferences(view, path)) {
    const reference = fileIndex.references[index]
    if (reference === undefined) continue
    for (const target of targets) {
      const symbol = symbolsByKey.get(symbolKey(target.path, target.ordinal)) ?? -1
      const confidence = adjustConfidence(view, reference, target.confidence)
      const match = { reference, symbol, confidence }
      addIfBetter(allResolved, index, match)
      if (symbol !== -1) addIfBetter(matches, index, match)
    }
  }
  return matches
}

/** Lowers the confidence of a guess by name if files that aren't loaded define the name too. */
function adjustConfidence(view: CodeView, { name }: CodeReference, confidence: number): number {
  if (confidence >= minSureConfidence) return confidence
  const definingPaths = view.definitionsOf(name).map(({ path }) => path)
  const fileCount = new Set(definingPaths.filter((path) => !isHeader(path))).size
  if (fileCount <= 1) return confidence
  return fileCount <= maxCompetingFiles ? Math.min(confidence, ambiguousConfidence) : 0
}

function isConfident(symbol: SymbolChange | undefined, confidence: number): boolean {
  return confidence >= (symbol?.change === 'added' ? minAddedConfidence : minConfidence)
}

interface CallLocation {
  readonly path: string
  /** The index entry that contains the reference. */
  readonly fileIndex: FileIndex
  /** It is the line at the head. */
  readonly line: number
  readonly inChange: boolean
}

export function toCallSite(
  { reference, symbol, confidence }: ReferenceMatch,
  { path, fileIndex, line, inChange }: CallLocation,
): UnreadCallSite {
  return {
    path,
    line,
    symbol,
    within: reference.within === -1 ? null : qualifiedNameOf(fileIndex, reference.within),
    kind: reference.kind,
    arguments: reference.arguments,
    inChange,
    isTest: isTestPath(path),
    confidence,
  }
}
