// Finds the uses of a symbol by its name in the stored code graph of the default branch.
import { sql } from 'kysely'
import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import { minSureConfidence } from '../../domain/change-graph.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { mayUseAnyOf } from '../graph/name-filter.ts'
import {
  findDefinitionsByName,
  findGraph,
  type Graph,
  readFileIndexes,
  readInOneSnapshot,
  readPaths,
} from '../graph/read-graph.ts'
import { queryStoredView } from '../graph/stored-view.ts'
import { createImportResolver } from '../resolution/import-resolver.ts'
import { chooseCallers } from './choose-callers.ts'
import { qualifiedNameOf } from './compare-symbols.ts'
import {
  matchReferences,
  symbolKey,
  toCallSite,
  type UnreadCallSite,
} from './find-change-callers.ts'
import { narrowFileIndex } from './open-change-views.ts'

interface SymbolQuery {
  readonly repo: RepositoryName
  /** Its name, optionally with enclosing definitions: `Cart.add`, `Cart::add`, `Cart#add`. */
  readonly symbol: string
  /** Restricts the definitions to one file. */
  readonly path?: string | undefined
  /** Applies to the uses of all definitions together. */
  readonly limit: number
  /** Applies to each statement. */
  readonly timeoutMs: number
}

/** A definition that matches the query, and its uses. */
export interface SymbolUses {
  /** The commit that the graph was built from. */
  readonly commit: string
  /** Includes the names of enclosing definitions, joined by full stops. */
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  /** Is sorted by reliability; tests come last. */
  readonly uses: readonly UnreadCallSite[]
  /** Counts all uses, including those beyond the limit. */
  readonly count: number
}

const maxDefinitions = 20
const maxUsingFiles = 200
/** With a lower confidence, a use more likely means another definition. */
const minConfidence = 0.3
const maxAliases = 20

/**
 * Finds the definitions of a name and the uses of each outside of itself.
 * The list is empty if there is no graph or no such definition.
 *
 * @throws the reason of the signal if it is aborted
 */
export async function findSymbolUses(
  db: Db,
  query: SymbolQuery,
  signal: AbortSignal,
): Promise<SymbolUses[]> {
  // PostgreSQL rejects text with null characters, which no stored name contains.
  if (!isStorable(query.symbol) || !isStorable(query.path ?? '')) return []
  return readInOneSnapshot(db, query.timeoutMs, async (tx) => {
    const graph = await findGraph(tx, query.repo)
    if (graph === null) return []
    const definitions = await findSymbolDefinitions(tx, graph, query)
    if (definitions.length === 0) return []
    const uses = await findUses(tx, graph, definitions, signal)
    const chosenUses = chooseCallers(uses, definitions, query.limit)
    const usesBySymbol = Map.groupBy(chosenUses, ({ symbol }) => symbol)
    return definitions.map(({ overloads: _, ...definition }, symbol) => ({
      ...definition,
      commit: graph.commit,
      uses: sortUses(usesBySymbol.get(symbol) ?? []),
      count: uses.filter((use) => use.symbol === symbol).length,
    }))
  })
}

function isStorable(text: string): boolean {
  return toStorableText(text) === text
}

/** Symbols that have the same name in one file are one definition. */
interface Definition extends Pick<SymbolUses, 'name' | 'kind' | 'path' | 'startLine' | 'endLine'> {
  readonly overloads: readonly { ordinal: number; startLine: number; endLine: number }[]
}

async function findSymbolDefinitions(
  db: Db,
  graph: Graph,
  { symbol, path }: SymbolQuery,
): Promise<Definition[]> {
  const names = symbol.split(/::|[.#]/)
  const matchesQuery = (name: string) => `.${name}`.endsWith(`.${names.join('.')}`)
  const lastName = names.at(-1) as string
  const paths =
    path === undefined ? await findDefiningFiles(db, graph, lastName, matchesQuery) : [path]
  const fileIndexes = await readFileIndexes(db, graph, paths)
  return paths
    .flatMap((each) => listDefinitions(each, fileIndexes.get(each), lastName))
    .filter(({ name }) => matchesQuery(name))
    .slice(0, maxDefinitions)
}

/** Finds the files that define a matching symbol; tests come last. */
async function findDefiningFiles(
  db: Db,
  graph: Graph,
  name: string,
  matchesQuery: (qualifiedName: string) => boolean,
): Promise<string[]> {
  const definitionsByName = await findDefinitionsByName(db, graph, [name])
  const definitions = definitionsByName.get(name) ?? []
  const paths = definitions
    .filter(({ container }) => matchesQuery(`${container}.${name}`))
    .map((definition) => definition.path)
  return [...new Set(paths)].sort(compareDefiningPaths).slice(0, maxDefinitions)
}

function compareDefiningPaths(a: string, b: string): number {
  return Number(isTestPath(a)) - Number(isTestPath(b)) || (a < b ? -1 : 1)
}

function listDefinitions(
  path: string,
  fileIndex: FileIndex | undefined,
  symbolName: string,
): Definition[] {
  if (fileIndex === undefined) return []
  const symbols = fileIndex.symbols.flatMap((symbol, ordinal) =>
    symbol.name === symbolName
      ? [{ ...symbol, ordinal, name: qualifiedNameOf(fileIndex, ordinal) }]
      : [],
  )
  return [...Map.groupBy(symbols, ({ name }) => name).values()].map((overloads) => {
    const { name, kind, startLine, endLine } = overloads[0]!
    return { name, kind, path, startLine, endLine, overloads }
  })
}

async function findUses(
  db: Db,
  graph: Graph,
  definitions: readonly Definition[],
  signal: AbortSignal,
): Promise<UnreadCallSite[]> {
  const definingPaths = new Set(definitions.map(({ path }) => path))
  // A constructor is called by the name of its class.
  const names = new Set(definitions.flatMap(({ name }) => name.split('.').slice(-2)))
  const usingPaths = await listUsingFiles(db, graph, [...definingPaths], [...names])
  const fileIndexes = await readFileIndexes(db, graph, [
    ...new Set([...definingPaths, ...usingPaths]),
  ])
  addAliases(names, [...fileIndexes.values()])
  const overlay = new Map(
    [...fileIndexes].map(([path, fileIndex]) => [path, narrowFileIndex(fileIndex, names)]),
  )
  const imports = createImportResolver(await readPaths(db, graph), graph.resolution)
  const symbolsByKey = new Map(
    definitions.flatMap(({ path, overloads }, symbol) =>
      overloads.map(({ ordinal }) => [symbolKey(path, ordinal), symbol] as const),
    ),
  )
  return queryStoredView(db, graph, { overlay, imports }, (view) => {
    signal.throwIfAborted()
    return [...overlay].flatMap(([path, fileIndex]) =>
      [...matchReferences(view, path, fileIndex, symbolsByKey).values()]
        .filter(({ confidence }) => confidence >= minConfidence)
        .map((match) =>
          toCallSite(match, { path, fileIndex, line: match.reference.line, inChange: false }),
        )
        .filter((use) => !isWithin(use, definitions[use.symbol])),
    )
  })
}

/** Finds files with an edge to one of these; those that may contain one of the names come first. */
async function listUsingFiles(
  db: Db,
  { id }: Pick<Graph, 'id'>,
  paths: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select s.path
    from code_files n
    join code_edges e on e.target_id = n.id
    join code_files s on s.id = e.source_id
    where n.graph_id = ${id} and n.path = any(${paths}::text[])
    group by s.id
    order by s.used_names is not null and ${mayUseAnyOf('s.used_names', names)} desc,
      max(e.confidence) filter (where e.kind <> 'import') desc nulls last, s.path
    limit ${sql.lit(maxUsingFiles)}`.execute(db)
  return rows.map(({ path }) => path)
}

/** Adds the local names of imports and re-exports until no further alias is found. */
function addAliases(names: Set<string>, fileIndexes: readonly FileIndex[]): void {
  const importedNames = fileIndexes.flatMap(({ imports }) => imports.flatMap((item) => item.names))
  let previousSize = -1
  while (previousSize !== names.size && names.size < maxAliases) {
    previousSize = names.size
    for (const { name, local } of importedNames)
      if (names.has(name) && local !== '*') names.add(local)
  }
}

function isWithin({ path, line }: UnreadCallSite, definition: Definition | undefined): boolean {
  const overloads = definition?.path === path ? definition.overloads : []
  return overloads.some(({ startLine, endLine }) => line >= startLine && line <= endLine)
}

function sortUses(uses: readonly UnreadCallSite[]): UnreadCallSite[] {
  const isReliable = ({ confidence }: UnreadCallSite) => confidence >= minSureConfidence
  return uses.toSorted((a, b) => Number(isReliable(b)) - Number(isReliable(a)))
}
