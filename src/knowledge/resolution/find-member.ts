// Finds what a type, a module or an object has under a name, in itself and in what it is derived from.
import { isTypeSymbol } from './code-file.ts'
import type { CodeFile, CodeView, SymbolLocation } from './code-model.ts'
import { folderOf } from './paths.ts'

/** From class to base class at most. */
const maxSteps = 8
const maxBases = 40
/** The same method of one type, for other targets of the build for example. */
const maxLocations = 8
const noLocations: readonly SymbolLocation[] = []

/** The members of a symbol with a name; those of the nearest base if it has none itself. */
export function findMember(
  view: CodeView,
  place: SymbolLocation,
  name: string,
): readonly SymbolLocation[] {
  return searchType(view, place, name, { seen: new Set(), steps: maxSteps })
}

/** The same in what a type is derived from alone. */
export function findBaseMember(
  view: CodeView,
  place: SymbolLocation,
  name: string,
): readonly SymbolLocation[] {
  const file = view.file(place.path)
  return file === undefined
    ? noLocations
    : searchBases(view, file, place, name, { seen: new Set(), steps: maxSteps })
}

interface Trail {
  readonly seen: Set<string>
  readonly steps: number
}

function searchType(
  view: CodeView,
  place: SymbolLocation,
  name: string,
  trail: Trail,
): readonly SymbolLocation[] {
  const file = view.file(place.path)
  const key = `${place.ordinal} ${place.path}`
  if (file === undefined || trail.seen.has(key) || trail.seen.size >= maxBases) return noLocations
  trail.seen.add(key)
  const own = findOwnMembers(view, file, place.ordinal, name)
  return own.length > 0 || trail.steps === 0 ? own : searchBases(view, file, place, name, trail)
}

function searchBases(
  view: CodeView,
  file: CodeFile,
  { ordinal }: SymbolLocation,
  name: string,
  trail: Trail,
): readonly SymbolLocation[] {
  for (const base of listBases(view, file, ordinal)) {
    const meaning = view.resolveTypeName(file, lastPart(base), ordinal)
    if (meaning?.kind !== 'symbols') continue
    for (const place of meaning.places) {
      const found = searchType(view, place, name, { ...trail, steps: trail.steps - 1 })
      if (found.length > 0) return found
    }
  }
  return noLocations
}

/** In languages that define types in parts, other parts name bases as well. */
function listBases(view: CodeView, file: CodeFile, ordinal: number): readonly string[] {
  const symbol = file.fileIndex.symbols[ordinal]!
  if (file.family !== 'rust' && file.family !== 'c-sharp' && file.family !== 'ruby')
    return symbol.extends
  const parts = view
    .definitionsIn(file.family, symbol.name)
    .flatMap(({ path, ordinal }) => view.fileIndex(path)!.symbols[ordinal]!.extends)
  return [...symbol.extends, ...parts].slice(0, maxBases)
}

function lastPart(name: string): string {
  return /[A-Za-z_$][\w$]*$/.exec(name)?.[0] ?? name
}

/** What lies inside of the symbol, or says to belong to it. */
function findOwnMembers(
  view: CodeView,
  file: CodeFile,
  ordinal: number,
  name: string,
): readonly SymbolLocation[] {
  const key = `${ordinal}.${name}`
  const known = file.resolvedMembers.get(key)
  if (known !== undefined) return known
  const inside = file
    .symbolsNamed(name)
    .filter((one) => file.fileIndex.symbols[one]!.within === ordinal && one !== ordinal)
  const found =
    inside.length > 0
      ? inside.map((one) => ({ path: file.path, ordinal: one }))
      : hasOpenTypes(file)
        ? findMembersOutsideType(view, file, ordinal, name)
        : noLocations
  file.resolvedMembers.set(key, found)
  return found
}

/** Members of a type may stand outside of it. */
function hasOpenTypes({ family }: CodeFile): boolean {
  return family !== 'script' && family !== 'python' && family !== 'jvm' && family !== 'php'
}

function findMembersOutsideType(
  view: CodeView,
  file: CodeFile,
  ordinal: number,
  name: string,
): readonly SymbolLocation[] {
  const type = file.fileIndex.symbols[ordinal]!
  if (!isTypeSymbol(type)) return noLocations
  const parts = view.definitionsIn(file.family, name).filter((place) => {
    const { symbols } = view.fileIndex(place.path)!
    const symbol = symbols[place.ordinal]!
    const outer = symbols[symbol.within]
    const belongs =
      symbol.owner === type.name ||
      (outer !== undefined && (outer.owner ?? outer.name) === type.name)
    return belongs && (file.family !== 'go' || folderOf(place.path) === file.folder)
  })
  const here = parts.filter(({ path }) => path === file.path)
  if (here.length > 0) return here.slice(0, maxLocations)
  const near = parts.filter(({ path }) => folderOf(path) === file.folder)
  if (near.length > 0) return near.slice(0, maxLocations)
  // Types of the same name elsewhere have members of that name too: then nobody knows whose these are.
  const owners = new Set(
    view.definitionsIn(file.family, type.name).map(({ path }) => folderOf(path)),
  )
  return owners.size <= 2 || new Set(parts.map(({ path }) => path)).size === 1
    ? parts.slice(0, maxLocations)
    : noLocations
}
