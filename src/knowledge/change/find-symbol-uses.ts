// Finds who uses a symbol of the default branch, by its name, in the stored code graph.
import { sql } from 'kysely'
import type { FileIndex } from '../../code/code-index.ts'
import { isTestPath } from '../../code/languages.ts'
import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import { minSureConfidence } from '../../domain/change-graph.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
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
import type { ImportConfig } from '../resolution/import-config.ts'
import { createImportResolver } from '../resolution/imports/import-resolver.ts'
import { chooseCallers } from './choose-callers.ts'
import { qualifiedNameOf } from './compare-symbols.ts'
import {
  matchReferences,
  symbolKey,
  toCallSite,
  type UnreadCallSite,
} from './find-change-callers.ts'
import { narrowFileIndex } from './open-change-views.ts'

export interface SymbolQuery {
  readonly repo: RepositoryName
  /** Of the symbol; where it is defined in others, those before it: `Cart.add`, `Cart::add`, `Cart#add`. */
  readonly symbol: string
  /** Of the file that defines it; left out: any. */
  readonly path?: string | undefined
  /** Uses at most, of all definitions together. */
  readonly limit: number
  /** For one statement. */
  readonly timeoutMs: number
}

/** A definition of the symbol, and who uses it. */
export interface SymbolUses {
  /** The commit that all of it is of. */
  readonly commit: string
  /** With what it is defined in, joined by a full stop. */
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  /** The sure ones first, and tests last. */
  readonly uses: readonly UnreadCallSite[]
  /** How many there are with those that are not shown. */
  readonly count: number
}

/** A name that more places define says nothing without a path. */
const maxDefinitions = 20
/** Files whose code is looked at. */
const maxUsingFiles = 200
/** Below it a use is more likely one of something else. */
const minConfidence = 0.3
/** Names that files give it one after the other, as they pass it on. */
const maxAliases = 20

/**
 * The definitions of that name, and the uses of each outside of itself. Empty where there is no graph, or nothing of that name.
 *
 * @throws the signal's reason when it fires
 */
export async function findSymbolUses(
  db: Db,
  query: SymbolQuery,
  signal: AbortSignal,
): Promise<SymbolUses[]> {
  // No name of the graph holds what text can't.
  if (
    toStorableText(query.symbol) !== query.symbol ||
    toStorableText(query.path ?? '') !== (query.path ?? '')
  )
    return []
  return readInOneSnapshot(db, query.timeoutMs, async (tx) => {
    const graph = await findGraph(tx, query.repo)
    const definitions = graph === null ? [] : await findSymbolDefinitions(tx, graph, query)
    if (graph === null || definitions.length === 0) return []
    const uses = await findUses(tx, graph, definitions, signal)
    const shown = Map.groupBy(chooseCallers(uses, definitions, query.limit), ({ symbol }) => symbol)
    return definitions.map(({ places: _, ...definition }, symbol) => ({
      ...definition,
      commit: graph.commit,
      uses: sortUses(shown.get(symbol) ?? []),
      count: uses.filter((use) => use.symbol === symbol).length,
    }))
  })
}

/** Those of one name in one file are one, as overloads are. */
interface Definition extends Pick<SymbolUses, 'name' | 'kind' | 'path' | 'startLine' | 'endLine'> {
  /** The symbols of the file's facts that it is. */
  readonly places: readonly { ordinal: number; startLine: number; endLine: number }[]
}

async function findSymbolDefinitions(
  db: Db,
  graph: Graph,
  { symbol, path }: SymbolQuery,
): Promise<Definition[]> {
  const names = symbol.split(/::|[.#]/)
  const own = names.at(-1) as string
  const isMeant = (name: string) => `.${name}`.endsWith(`.${names.join('.')}`)
  const definers =
    path === undefined ? ((await findDefinitionsByName(db, graph, [own])).get(own) ?? []) : []
  const paths = definers
    .filter(({ container }) => isMeant(`${container}.${own}`))
    .map((definer) => definer.path)
  const chosen = path === undefined ? sortPaths(new Set(paths)).slice(0, maxDefinitions) : [path]
  const facts = await readFileIndexes(db, graph, chosen)
  return chosen
    .flatMap((at) => listDefinitions(at, facts.get(at), own, isMeant))
    .slice(0, maxDefinitions)
}

/** What is no test first. */
function sortPaths(paths: Iterable<string>): string[] {
  return [...paths].sort(
    (a, b) => Number(isTestPath(a)) - Number(isTestPath(b)) || (a < b ? -1 : 1),
  )
}

function listDefinitions(
  path: string,
  facts: FileIndex | undefined,
  own: string,
  isMeant: (fullName: string) => boolean,
): Definition[] {
  const found = (facts?.symbols ?? []).flatMap((symbol, ordinal) => {
    const name = symbol.name === own && facts ? qualifiedNameOf(facts, ordinal) : ''
    return name !== '' && isMeant(name) ? [{ ...symbol, name, ordinal }] : []
  })
  return [...Map.groupBy(found, ({ name }) => name).values()].map((places) => {
    const { name, kind, startLine, endLine } = places[0]!
    return { name, kind, path, startLine, endLine, places }
  })
}

async function findUses(
  db: Db,
  graph: Graph,
  definitions: readonly Definition[],
  signal: AbortSignal,
): Promise<UnreadCallSite[]> {
  const homes = new Set(definitions.map(({ path }) => path))
  // A constructor is used by the name of its class.
  const names = new Set(definitions.flatMap(({ name }) => name.split('.').slice(-2)))
  const users = new Set([...homes, ...(await listUsingFiles(db, graph, [...homes], [...names]))])
  const facts = await readFileIndexes(db, graph, [...users])
  addAliases(names, [...facts.values()])
  const overlay = new Map([...facts].map(([path, item]) => [path, narrowFileIndex(item, names)]))
  const imports = createImportResolver(
    await readPaths(db, graph),
    graph.resolution as unknown as ImportConfig,
  )
  const index = new Map(
    definitions.flatMap(({ path, places }, at) =>
      places.map(({ ordinal }) => [symbolKey(path, ordinal), at] as const),
    ),
  )
  return queryStoredView(db, graph, { overlay, imports }, (view) => {
    signal.throwIfAborted()
    return [...overlay].flatMap(([path, item]) =>
      [...matchReferences(view, path, item, index).values()]
        .filter(({ confidence }) => confidence >= minConfidence)
        .map((match) => toCallSite(path, item, match, match.reference.line, false))
        .filter((use) => !isWithin(use, definitions[use.symbol])),
    )
  })
}

/** Files with an edge to one of these, those first that have one of the names in their code. */
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

/** Adds the names under which files import these, or pass them on. */
function addAliases(names: Set<string>, facts: readonly FileIndex[]): void {
  for (let before = -1; before !== names.size && names.size < maxAliases; ) {
    before = names.size
    for (const { imports } of facts)
      for (const item of imports)
        for (const { name, local } of item.names)
          if (names.has(name) && local !== '*') names.add(local)
  }
}

function isWithin({ path, line }: UnreadCallSite, definition: Definition | undefined): boolean {
  const places = definition?.path === path ? definition.places : []
  return places.some(({ startLine, endLine }) => line >= startLine && line <= endLine)
}

function sortUses(uses: readonly UnreadCallSite[]): UnreadCallSite[] {
  const isSure = ({ confidence }: UnreadCallSite) => confidence >= minSureConfidence
  return uses.toSorted((a, b) => Number(isSure(b)) - Number(isSure(a)))
}
