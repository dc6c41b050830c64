// Code as references are resolved against it, over a stored graph: loads what a question turns out to need, and no more.

import type { FileIndex } from '../../code/code-index.ts'
import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import { type CodeView, openCodeView, type SymbolLocation } from '../resolution/code-view.ts'
import type { ImportResolver } from '../resolution/imports/import-resolver.ts'
import { folderOf } from '../resolution/paths.ts'
import {
  findNamespaceFiles,
  findSymbolLocations,
  type Graph,
  readFileIndexes,
} from './read-graph.ts'

/** Facts that stand in for the stored ones. Null: the file is gone, or has none. */
export type Overlay = ReadonlyMap<string, FileIndex | null>

/** So often a question finds that something more is missing, at most: one more for each step that it takes. */
const maxRounds = 40

/**
 * Asks something of a view over a stored graph.
 *
 * @param ask is called again and again, until it asked for nothing that wasn't there
 * @param imports of the paths as the overlay makes them
 */
export async function queryStoredView<Answer>(
  db: Db,
  graph: Pick<Graph, 'id' | 'factsId'>,
  { overlay, imports }: { overlay: Overlay; imports: ImportResolver },
  ask: (view: CodeView) => Answer,
): Promise<Answer> {
  const loaded: Loaded = { facts: new Map(overlay), definers: new Map(), namespaces: new Map() }
  for (let round = 1; ; round++) {
    const missing: Missing = { paths: new Set(), names: new Set(), namespaces: new Set() }
    const answer = ask(openCodeView(recordMissing(loaded, missing), imports))
    const isComplete = missing.paths.size + missing.names.size + missing.namespaces.size === 0
    if (isComplete || round === maxRounds) return answer
    await loadMissing(db, graph, { overlay, loaded, missing })
  }
}

interface Loaded {
  readonly facts: Map<string, FileIndex | null>
  readonly definers: Map<string, readonly SymbolLocation[]>
  readonly namespaces: Map<string, readonly string[]>
}

interface Missing {
  readonly paths: Set<string>
  readonly names: Set<string>
  readonly namespaces: Set<string>
}

function recordMissing(loaded: Loaded, missing: Missing) {
  return {
    fileIndex(path: string) {
      if (!loaded.facts.has(path)) missing.paths.add(path)
      return loaded.facts.get(path) ?? undefined
    },
    definitionsOf(name: string) {
      // What can't be stored, nobody defines.
      if (!loaded.definers.has(name) && toStorableText(name) === name) missing.names.add(name)
      return loaded.definers.get(name) ?? []
    },
    filesInNamespace(namespace: string, near: string) {
      if (!loaded.namespaces.has(namespace)) missing.namespaces.add(namespace)
      const files = loaded.namespaces.get(namespace) ?? []
      return near.endsWith('.go')
        ? files.filter((path) => folderOf(path) === folderOf(near))
        : files
    },
  }
}

async function loadMissing(
  db: Db,
  graph: Pick<Graph, 'id' | 'factsId'>,
  { overlay, loaded, missing }: { overlay: Overlay; loaded: Loaded; missing: Missing },
): Promise<void> {
  const [facts, definers, namespaces] = await Promise.all([
    readFileIndexes(db, graph, [...missing.paths]),
    findSymbolLocations(db, graph, [...missing.names]),
    findNamespaceFiles(db, graph, [...missing.namespaces]),
  ])
  for (const path of missing.paths) loaded.facts.set(path, facts.get(path) ?? null)
  for (const name of missing.names) {
    const stored = (definers.get(name) ?? []).filter(({ path }) => !overlay.has(path))
    loaded.definers.set(name, sortLocations([...stored, ...listOverlaySymbols(overlay, name)]))
  }
  for (const namespace of missing.namespaces) {
    const stored = (namespaces.get(namespace) ?? []).filter((path) => !overlay.has(path))
    const own = [...overlay]
      .filter(([, facts]) => facts?.namespace === namespace)
      .map(([path]) => path)
    loaded.namespaces.set(namespace, [...stored, ...own].sort(compareText))
  }
}

function listOverlaySymbols(overlay: Overlay, name: string): SymbolLocation[] {
  return [...overlay].flatMap(([path, facts]) =>
    (facts?.symbols ?? []).flatMap((symbol, ordinal) =>
      symbol.name === name ? [{ path, ordinal }] : [],
    ),
  )
}

function sortLocations(places: SymbolLocation[]): SymbolLocation[] {
  return places.sort(
    (one, other) => compareText(one.path, other.path) || one.ordinal - other.ordinal,
  )
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
