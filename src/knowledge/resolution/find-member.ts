// Finds members of a type, module or object by name, including inherited ones.

import { folderOf } from '../../lib/tree-paths.ts'
import { isTypeSymbol } from './code-file.ts'
import type { CodeFile, CodeView, SymbolLocation } from './code-model.ts'

const maxInheritanceDepth = 8
const maxBases = 40
/** A type can have a method several times, for example for different build targets. */
const maxLocations = 8
const noLocations: readonly SymbolLocation[] = []

/** Returns the members of a symbol with this name, or those of the nearest base that has any. */
export function findMember(
  view: CodeView,
  type: SymbolLocation,
  name: string,
): readonly SymbolLocation[] {
  return searchType(view, type, name, { seen: new Set(), stepsLeft: maxInheritanceDepth })
}

/** Returns the members with this name of the nearest base that has any. */
export function findBaseMember(
  view: CodeView,
  type: SymbolLocation,
  name: string,
): readonly SymbolLocation[] {
  const file = view.file(type.path)
  if (file === undefined) return noLocations
  return searchBases(view, file, type, name, { seen: new Set(), stepsLeft: maxInheritanceDepth })
}

/** Bounds the search where types inherit in a circle or from very many bases. */
interface Search {
  readonly seen: Set<string>
  readonly stepsLeft: number
}

function searchType(
  view: CodeView,
  type: SymbolLocation,
  name: string,
  search: Search,
): readonly SymbolLocation[] {
  const { seen, stepsLeft } = search
  const file = view.file(type.path)
  const key = `${type.ordinal} ${type.path}`
  if (file === undefined || seen.has(key) || seen.size >= maxBases) return noLocations
  seen.add(key)
  const own = findOwnMembers(view, file, type.ordinal, name)
  return own.length > 0 || stepsLeft === 0 ? own : searchBases(view, file, type, name, search)
}

function searchBases(
  view: CodeView,
  file: CodeFile,
  { ordinal }: SymbolLocation,
  name: string,
  search: Search,
): readonly SymbolLocation[] {
  for (const base of listBases(view, file, ordinal)) {
    const resolved = view.resolveTypeName(file, lastPart(base), ordinal)
    if (resolved?.kind !== 'symbols') continue
    for (const baseType of resolved.locations) {
      const nextSearch = { ...search, stepsLeft: search.stepsLeft - 1 }
      const found = searchType(view, baseType, name, nextSearch)
      if (found.length > 0) return found
    }
  }
  return noLocations
}

/** Languages with partial types or `impl` blocks can name bases in other files too. */
function listBases(view: CodeView, file: CodeFile, ordinal: number): readonly string[] {
  const symbol = file.fileIndex.symbols[ordinal]!
  if (!file.family.typesHaveParts) return symbol.extends
  const parts = view
    .definitionsIn(file.family, symbol.name)
    .flatMap(({ path, ordinal }) => view.fileIndex(path)!.symbols[ordinal]!.extends)
  return [...symbol.extends, ...parts].slice(0, maxBases)
}

function lastPart(name: string): string {
  return /[A-Za-z_$][\w$]*$/.exec(name)?.[0] ?? name
}

/** Returns symbols that are nested in the symbol, or else those that name it as their owner. */
function findOwnMembers(
  view: CodeView,
  file: CodeFile,
  ordinal: number,
  name: string,
): readonly SymbolLocation[] {
  const key = `${ordinal}.${name}`
  const known = file.resolvedMembers.get(key)
  if (known !== undefined) return known
  let members: readonly SymbolLocation[] = file
    .symbolsNamed(name)
    .filter((member) => file.fileIndex.symbols[member]!.within === ordinal && member !== ordinal)
    .map((member) => ({ path: file.path, ordinal: member }))
  if (members.length === 0 && file.family.definesMembersOutside)
    members = findMembersOutsideType(view, file, ordinal, name)
  file.resolvedMembers.set(key, members)
  return members
}

function findMembersOutsideType(
  view: CodeView,
  file: CodeFile,
  ordinal: number,
  name: string,
): readonly SymbolLocation[] {
  const type = file.fileIndex.symbols[ordinal]!
  if (!isTypeSymbol(type)) return noLocations
  const members = view.definitionsIn(file.family, name).filter((location) => {
    const { symbols } = view.fileIndex(location.path)!
    const symbol = symbols[location.ordinal]!
    const outer = symbols[symbol.within]
    const belongsToType =
      symbol.owner === type.name ||
      (outer !== undefined && (outer.owner ?? outer.name) === type.name)
    const canBelong = !file.family.folderPackages || folderOf(location.path) === file.folder
    return belongsToType && canBelong
  })
  const inFile = members.filter(({ path }) => path === file.path)
  if (inFile.length > 0) return inFile.slice(0, maxLocations)
  const inFolder = members.filter(({ path }) => folderOf(path) === file.folder)
  if (inFolder.length > 0) return inFolder.slice(0, maxLocations)
  // Where several types share the name, members elsewhere can't be attributed to one of them.
  const typeFolders = new Set(
    view.definitionsIn(file.family, type.name).map(({ path }) => folderOf(path)),
  )
  const memberFiles = new Set(members.map(({ path }) => path))
  const isClear = typeFolders.size <= 2 || memberFiles.size === 1
  return isClear ? members.slice(0, maxLocations) : noLocations
}
