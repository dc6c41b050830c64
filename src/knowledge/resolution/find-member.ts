// Finds what a type, a module or an object has under a name, in itself and in what it is derived from.
import { isType } from './code-file.ts'
import type { CodeFile, CodeView, SymbolPlace } from './code-model.ts'
import { folderOf } from './paths.ts'

/** From class to base class at most. */
const mostSteps = 8
const mostBases = 40
/** The same method of one type, for other targets of the build for example. */
const mostPlaces = 8
const none: readonly SymbolPlace[] = []

/** The members of a symbol with a name; those of the nearest base if it has none itself. */
export function findMember(
  view: CodeView,
  place: SymbolPlace,
  name: string,
): readonly SymbolPlace[] {
  return searchType(view, place, name, { seen: new Set(), steps: mostSteps })
}

/** The same in what a type is derived from alone. */
export function findBaseMember(
  view: CodeView,
  place: SymbolPlace,
  name: string,
): readonly SymbolPlace[] {
  const file = view.file(place.path)
  return file === undefined
    ? none
    : searchBases(view, file, place, name, { seen: new Set(), steps: mostSteps })
}

interface Trail {
  readonly seen: Set<string>
  readonly steps: number
}

function searchType(
  view: CodeView,
  place: SymbolPlace,
  name: string,
  trail: Trail,
): readonly SymbolPlace[] {
  const file = view.file(place.path)
  const key = `${place.ordinal} ${place.path}`
  if (file === undefined || trail.seen.has(key) || trail.seen.size >= mostBases) return none
  trail.seen.add(key)
  const own = findOwn(view, file, place.ordinal, name)
  return own.length > 0 || trail.steps === 0 ? own : searchBases(view, file, place, name, trail)
}

function searchBases(
  view: CodeView,
  file: CodeFile,
  { ordinal }: SymbolPlace,
  name: string,
  trail: Trail,
): readonly SymbolPlace[] {
  for (const base of listBases(view, file, ordinal)) {
    const meaning = view.typeNamed(file, lastPart(base), ordinal)
    if (meaning?.kind !== 'symbols') continue
    for (const place of meaning.places) {
      const found = searchType(view, place, name, { ...trail, steps: trail.steps - 1 })
      if (found.length > 0) return found
    }
  }
  return none
}

/** In languages that define types in parts, other parts name bases as well. */
function listBases(view: CodeView, file: CodeFile, ordinal: number): readonly string[] {
  const symbol = file.facts.symbols[ordinal]!
  if (file.family !== 'rust' && file.family !== 'c-sharp' && file.family !== 'ruby')
    return symbol.extends
  const parts = view
    .definersIn(file.family, symbol.name)
    .flatMap(({ path, ordinal }) => view.facts(path)!.symbols[ordinal]!.extends)
  return [...symbol.extends, ...parts].slice(0, mostBases)
}

function lastPart(name: string): string {
  return /[A-Za-z_$][\w$]*$/.exec(name)?.[0] ?? name
}

/** What lies inside of the symbol, or says to belong to it. */
function findOwn(
  view: CodeView,
  file: CodeFile,
  ordinal: number,
  name: string,
): readonly SymbolPlace[] {
  const key = `${ordinal}.${name}`
  const known = file.members.get(key)
  if (known !== undefined) return known
  const inside = file
    .named(name)
    .filter((one) => file.facts.symbols[one]!.within === ordinal && one !== ordinal)
  const found =
    inside.length > 0
      ? inside.map((one) => ({ path: file.path, ordinal: one }))
      : isOpen(file)
        ? findParts(view, file, ordinal, name)
        : none
  file.members.set(key, found)
  return found
}

/** Members of a type may stand outside of it. */
function isOpen({ family }: CodeFile): boolean {
  return family !== 'script' && family !== 'python' && family !== 'jvm' && family !== 'php'
}

function findParts(
  view: CodeView,
  file: CodeFile,
  ordinal: number,
  name: string,
): readonly SymbolPlace[] {
  const type = file.facts.symbols[ordinal]!
  if (!isType(type)) return none
  const parts = view.definersIn(file.family, name).filter((place) => {
    const { symbols } = view.facts(place.path)!
    const symbol = symbols[place.ordinal]!
    const outer = symbols[symbol.within]
    const belongs =
      symbol.owner === type.name ||
      (outer !== undefined && (outer.owner ?? outer.name) === type.name)
    return belongs && (file.family !== 'go' || folderOf(place.path) === file.folder)
  })
  const here = parts.filter(({ path }) => path === file.path)
  if (here.length > 0) return here.slice(0, mostPlaces)
  const near = parts.filter(({ path }) => folderOf(path) === file.folder)
  if (near.length > 0) return near.slice(0, mostPlaces)
  // Types of the same name elsewhere have members of that name too: then nobody knows whose these are.
  const owners = new Set(view.definersIn(file.family, type.name).map(({ path }) => folderOf(path)))
  return owners.size <= 2 || new Set(parts.map(({ path }) => path)).size === 1
    ? parts.slice(0, mostPlaces)
    : none
}
