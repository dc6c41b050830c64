// Queries a code view over a stored graph and loads only the data that a query needs.

import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import { familyOfPath } from '../../languages/index.ts'
import { folderOf } from '../../lib/tree-paths.ts'
import {
  type CodeSource,
  type CodeView,
  openCodeView,
  type SymbolLocation,
} from '../resolution/code-view.ts'
import type { ImportResolver } from '../resolution/import-resolver.ts'
import {
  findNamespaceFiles,
  findSymbolLocations,
  type Graph,
  readFileIndexes,
} from './read-graph.ts'

/** Index entries that replace stored ones. Null: the file is deleted, or has no entry. */
type Overlay = ReadonlyMap<string, FileIndex | null>

/** Each step of a resolution can need data of one more round. */
const maxRounds = 40

/**
 * Runs a query on a view over a stored graph.
 *
 * @param query runs repeatedly, until all data that it reads is loaded (or `maxRounds` is reached)
 * @param imports resolves imports among the paths of the overlaid tree
 */
export async function queryStoredView<Answer>(
  db: Db,
  graph: Pick<Graph, 'id' | 'indexId'>,
  { overlay, imports }: { overlay: Overlay; imports: ImportResolver },
  query: (view: CodeView) => Answer,
): Promise<Answer> {
  const loaded: Loaded = {
    fileIndexes: new Map(overlay),
    definitions: new Map(),
    namespaces: new Map(),
  }
  for (let round = 1; ; round++) {
    const missing: Missing = { paths: new Set(), names: new Set(), namespaces: new Set() }
    const answer = query(openCodeView(recordMissing(loaded, missing), imports))
    const isComplete = missing.paths.size + missing.names.size + missing.namespaces.size === 0
    if (isComplete || round === maxRounds) return answer
    await loadMissing(db, graph, { overlay, loaded, missing })
  }
}

interface Loaded {
  readonly fileIndexes: Map<string, FileIndex | null>
  readonly definitions: Map<string, readonly SymbolLocation[]>
  readonly namespaces: Map<string, readonly string[]>
}

interface Missing {
  readonly paths: Set<string>
  readonly names: Set<string>
  readonly namespaces: Set<string>
}

/** Makes a source over the loaded data that adds each failed lookup to `missing`. */
function recordMissing(loaded: Loaded, missing: Missing): CodeSource {
  return {
    fileIndex(path) {
      if (!loaded.fileIndexes.has(path)) missing.paths.add(path)
      return loaded.fileIndexes.get(path) ?? undefined
    },
    definitionsOf(name) {
      // A name that PostgreSQL can't store has no stored definitions.
      if (!loaded.definitions.has(name) && toStorableText(name) === name) missing.names.add(name)
      return loaded.definitions.get(name) ?? []
    },
    filesInNamespace(namespace, near) {
      if (!loaded.namespaces.has(namespace)) missing.namespaces.add(namespace)
      const files = loaded.namespaces.get(namespace) ?? []
      return familyOfPath(near)?.folderPackages
        ? files.filter((path) => folderOf(path) === folderOf(near))
        : files
    },
  }
}

async function loadMissing(
  db: Db,
  graph: Pick<Graph, 'id' | 'indexId'>,
  { overlay, loaded, missing }: { overlay: Overlay; loaded: Loaded; missing: Missing },
): Promise<void> {
  const [fileIndexes, definitions, namespaces] = await Promise.all([
    readFileIndexes(db, graph, [...missing.paths]),
    findSymbolLocations(db, graph, [...missing.names]),
    findNamespaceFiles(db, graph, [...missing.namespaces]),
  ])
  for (const path of missing.paths) loaded.fileIndexes.set(path, fileIndexes.get(path) ?? null)
  for (const name of missing.names) {
    const stored = (definitions.get(name) ?? []).filter(({ path }) => !overlay.has(path))
    const locations = [...stored, ...listOverlaySymbols(overlay, name)]
    loaded.definitions.set(name, locations.sort(compareLocations))
  }
  for (const namespace of missing.namespaces) {
    const stored = (namespaces.get(namespace) ?? []).filter((path) => !overlay.has(path))
    const overlaid = [...overlay]
      .filter(([, fileIndex]) => fileIndex?.namespace === namespace)
      .map(([path]) => path)
    loaded.namespaces.set(namespace, [...stored, ...overlaid].sort(compareText))
  }
}

function listOverlaySymbols(overlay: Overlay, name: string): SymbolLocation[] {
  return [...overlay].flatMap(([path, fileIndex]) =>
    (fileIndex?.symbols ?? []).flatMap((symbol, ordinal) =>
      symbol.name === name ? [{ path, ordinal }] : [],
    ),
  )
}

function compareLocations(a: SymbolLocation, b: SymbolLocation): number {
  return compareText(a.path, b.path) || a.ordinal - b.ordinal
}

function compareText(a: string, b: string): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}
