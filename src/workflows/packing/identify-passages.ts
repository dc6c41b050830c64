// Computes the keys of passages: digests of all that a model's answer about a passage rests on.
import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Change } from '../../domain/change.ts'
import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import { isInDirectory } from '../../domain/repository-settings.ts'
import { libraryMethodNames } from '../../knowledge/resolution/library-method-names.ts'
import { cutPassages, linesOf, type Passage } from './cut-passages.ts'
import { listChangedSignatures } from './list-changed-symbols.ts'
import type { HeadReader, HeadView } from './read-head.ts'

/** Increment it when keys or answers mean something else, so that earlier answers aren't found. */
const keyVersion = 1

/** A longer definition around a passage counts by its signature only, and isn't shown again. */
export const maxEnclosingLines = 100
/** Shorter names are used for too many things. */
const minNameLength = 3
const anyName = /[A-Za-z_$][\w$]*/g
/** Further lines don't fit into the rounds of a review anyway. */
const maxLines = 20_000

/**
 * Returns the passages of a change with their keys. Line numbers are no part of a key, so that it
 * survives lines that are added above. Neither are texts about the whole change that each push
 * alters, such as its commits and the list of its files.
 *
 * @param basis what all answers rest on, such as prompts and models
 */
export async function identifyPassages(
  change: Change,
  head: HeadReader,
  basis: unknown,
): Promise<ReadonlyMap<Passage, string>> {
  const views = new Map<FileDiff, HeadView | undefined>()
  let linesLeft = maxLines
  for (const file of change.files) {
    await setImmediate()
    linesLeft -= file.additions + file.deletions
    if (linesLeft < 0) break
    if (file.hunks.length === 0) continue
    views.set(file, file.status === 'deleted' ? undefined : await head.readChanged(file.path))
  }
  const definitions = Map.groupBy(collectDefinitions(change, views), ({ name }) => name)
  const keys = new Map<Passage, string>()
  for (const [file, view] of views) {
    await setImmediate()
    // Without its view, what encloses a passage isn't known.
    if (view === undefined && file.status !== 'deleted') continue
    const common = [keyVersion, basis, file.path, file.oldPath, file.status, listImports(view)]
    const wishes = [listInstructions(change, file.path), listMemories(change, file.path)]
    const callers = listCallers(change, file.path)
    const seen = new Map<string, number>()
    for (const passage of cutPassages(file)) {
      const lines = linesOf(passage)
      const around = listEnclosing(lines, view, file)
      const names = listNames([...lines.map(({ text }) => text), ...around])
      const parts = [
        ...[common, wishes, lines.map(({ kind, text }) => [kind, text]), around],
        names.flatMap((name) => definitions.get(name) ?? []),
        callers.filter(({ symbol }) => containsLine(symbol, lines)).map(({ uses }) => uses),
      ]
      const digest = hash('sha256', JSON.stringify(parts))
      // Equal passages of one file have answers of their own.
      const repetition = seen.get(digest) ?? 0
      seen.set(digest, repetition + 1)
      keys.set(passage, repetition === 0 ? digest : hash('sha256', `${digest} ${repetition}`))
    }
  }
  return keys
}

function listInstructions({ settings }: Change, path: string): unknown {
  const inside = settings.directories.filter(({ directory }) => isInDirectory(path, directory))
  return [settings.instructions, inside.map((each) => [each.directory, each.instructions])]
}

/** Lists what people want to be remembered; reviews themselves add the other memories. */
function listMemories({ graph }: Change, path: string): string[] {
  return (graph?.memories ?? [])
    .filter((memory) => memory.trust === 'person')
    .filter((memory) => memory.path === null || isNear(path, memory.path))
    .map(({ text }) => text)
    .sort()
}

function isNear(path: string, about: string): boolean {
  return about === '.' || path === about || path.startsWith(`${about}/`)
}

/** Lines that say where names come from, in the languages that are indexed. */
const importLine =
  /^\s*(?:import\b|from\b|export\b.*\bfrom\b|\}\s*from\b|use\b|using\b|#\s*include\b|.*\brequire\b)/

function listImports(view: HeadView | undefined): string[] {
  return (view?.lines ?? []).filter((line) => importLine.test(line))
}

/** Lists the texts of the innermost definitions around added lines; of long ones, what changed. */
function listEnclosing(
  lines: readonly DiffLine[],
  view: HeadView | undefined,
  file: FileDiff,
): string[] {
  const texts = new Map<number, string>()
  for (const { kind, newLine } of lines) {
    if (kind !== 'added') continue
    const innermost = view?.enclosing(newLine!).at(-1)
    if (innermost === undefined || texts.has(innermost.startLine)) continue
    const { startLine, endLine, signature } = innermost
    const isShort = endLine - startLine < maxEnclosingLines
    const text = isShort
      ? view!.lines.slice(startLine - 1, endLine).join('\n')
      : [signature, ...listChanges(file, startLine, endLine)].join('\n')
    texts.set(startLine, text)
  }
  return [...texts.values()]
}

/** Lists the changed lines of a file between two lines of the head. */
function listChanges({ hunks }: FileDiff, startLine: number, endLine: number): string[] {
  return hunks.flatMap((hunk) => {
    let at = hunk.newStart
    return hunk.lines.flatMap(({ kind, newLine, text }) => {
      at = newLine ?? at
      return kind !== 'context' && at >= startLine && at <= endLine ? [`${kind} ${text}`] : []
    })
  })
}

/** Finds the names in a text that are long enough to say which definition is meant. */
export function findNames(text: string): string[] {
  return (text.match(anyName) ?? []).filter(({ length }) => length >= minNameLength)
}

/** Lists the names in texts that say which definition is meant, in alphabetical order. */
function listNames(texts: readonly string[]): string[] {
  const names = new Set(texts.flatMap(findNames))
  return [...names].filter((name) => !libraryMethodNames.has(name)).sort()
}

interface NamedDefinition {
  readonly name: string
  readonly path: string
  readonly signature: string
}

/** Lists the definitions whose signatures the change adds or alters, and those that it uses. */
function collectDefinitions(
  { graph }: Change,
  views: ReadonlyMap<FileDiff, HeadView | undefined>,
): NamedDefinition[] {
  const changed = [...views].flatMap(([file, view]) =>
    listChangedSignatures(file, view).map(({ name, signature }) => ({
      ...{ name, path: file.path, signature },
    })),
  )
  const used = (graph?.definitions ?? []).map(({ name, path, signature }) => ({
    ...{ name: name.slice(name.lastIndexOf('.') + 1), path, signature },
  }))
  const toText = ({ path, signature }: NamedDefinition) => `${path} ${signature}`
  return [...changed, ...used].sort((one, other) => (toText(one) < toText(other) ? -1 : 1))
}

/** Lists the uses of the definitions of a file in files that are no part of the change. */
function listCallers({ graph }: Change, path: string) {
  if (graph === null) return []
  const usesOf = Map.groupBy(
    graph.callers.filter(({ inChange }) => !inChange),
    ({ symbol }) => symbol,
  )
  return [...usesOf].flatMap(([index, uses]) => {
    const symbol = graph.symbols[index]!
    return symbol.path === path
      ? [{ symbol, uses: uses.map((use) => `${use.path} ${use.text}`).sort() }]
      : []
  })
}

function containsLine(
  { startLine, endLine }: { startLine: number; endLine: number },
  lines: readonly DiffLine[],
): boolean {
  return lines.some(({ newLine }) => newLine !== null && newLine >= startLine && newLine <= endLine)
}
