// Tells what `qualifier.name` means: by the object around, by the type of the qualifier, or by what that names itself.
import type { CodeBinding } from '../../code/code-index.ts'
import { enclosingSymbolOf } from './code-file.ts'
import type { CodeFile, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import { findBaseMember, findMember } from './find-member.ts'
import { followExport } from './follow-exports.ts'
import { externalName, resolvedToSymbols } from './resolved-name.ts'
import { symbolAt } from './symbol-at.ts'

const selfKeywords: ReadonlySet<string> = new Set([
  'this',
  '$this',
  'self',
  'Self',
  'cls',
  'static',
  '@',
  'me',
])
const superKeywords: ReadonlySet<string> = new Set(['super', 'base', 'parent'])

/** From call to call at most: `b = a.f()`, `c = b.g()`. */
const maxCallDepth = 3
/** Of what is called: less sure, it tells nothing about types. */
const minCalleeConfidence = 0.7

/**
 * @param within the symbol that it stands in
 * @param calls that may lie between a name and its type
 */
export function resolveMember(
  view: CodeView,
  file: CodeFile,
  qualifier: string,
  name: string,
  within: number,
  calls = maxCallDepth,
): ResolvedName | undefined {
  if (qualifier === '') return undefined
  if (selfKeywords.has(qualifier) || superKeywords.has(qualifier)) {
    const own = findSelfMember(view, file, name, within, superKeywords.has(qualifier))
    if (own !== undefined) return own
  }
  const call = findBinding(file, qualifier, within, isCallBinding)
  const returned = call && resolveReturnType(view, file, call, calls)
  if (returned !== undefined) return findMemberOfType(view, returned, name)
  const binding = findBinding(file, qualifier, within)
  return binding === undefined
    ? resolveQualified(view, file, qualifier, name, within)
    : findMemberOfBinding(view, file, binding, name)
}

/** The same of a qualifier that is no object: a module, a package, a type. */
export function resolveQualified(
  view: CodeView,
  file: CodeFile,
  qualifier: string,
  name: string,
  within: number,
): ResolvedName | undefined {
  const meaning = view.resolveName(file, qualifier, within) ?? findRustModule(view, file, qualifier)
  if (meaning === undefined || meaning.kind === 'outside') return meaning
  if (meaning.kind === 'modules')
    return findModuleExport(view, meaning.paths, name, meaning.confidence)
  return findMemberOfSymbols(view, meaning.places, name, meaning.confidence)
}

/** A member of the object that the place is in, or of what that is derived from. */
function findSelfMember(
  view: CodeView,
  file: CodeFile,
  name: string,
  within: number,
  ofBase: boolean,
): ResolvedName | undefined {
  const types = listSelfTypes(view, file, within)
  for (const place of types) {
    const members = ofBase ? findBaseMember(view, place, name) : findMember(view, place, name)
    if (members.length > 0) return resolvedToSymbols(members, 0.9)
  }
  // A class that is all here has no such member; what it is derived from may.
  return types.length > 0 ? externalName : undefined
}

/** The types whose object is meant by `this`: the one around, also where a method stands outside of it. */
function listSelfTypes(view: CodeView, file: CodeFile, within: number): readonly SymbolLocation[] {
  for (let at = within; at !== -1; at = enclosingSymbolOf(file.fileIndex, at)) {
    const { owner, kind } = file.fileIndex.symbols[at]!
    if (owner !== null) {
      const meaning = view.resolveName(file, owner, -1)
      if (meaning?.kind === 'symbols') return meaning.places
    }
    if (
      kind === 'class' ||
      kind === 'interface' ||
      kind === 'enum' ||
      (kind === 'module' && file.family === 'ruby')
    )
      return [{ path: file.path, ordinal: at }]
    // Methods of an object that has a name.
    if (kind === 'value') return [{ path: file.path, ordinal: at }]
  }
  return []
}

const isCallBinding = ({ type }: CodeBinding) => type.endsWith('()')
const isTypeBinding = (binding: CodeBinding) => !isCallBinding(binding)

/**
 * The type that the file gives to a name: inside of the symbol, of one around it, or at its top.
 *
 * @param counts which of the bindings are looked at: those with a type, or those with a call
 */
function findBinding(
  file: CodeFile,
  name: string,
  within: number,
  counts: (binding: CodeBinding) => boolean = isTypeBinding,
): CodeBinding | undefined {
  const bindings = file.bindings(name).filter(counts)
  if (bindings.length === 0) return undefined
  for (let at = within; ; at = enclosingSymbolOf(file.fileIndex, at)) {
    let found: CodeBinding | undefined
    // The last one that isn't of another type: a name that is given two types has neither.
    for (const binding of bindings) {
      if (binding.within !== at) continue
      if (found !== undefined && found.type !== binding.type) return { ...binding, type: '' }
      found = binding
    }
    if (found !== undefined || at === -1) return found
  }
}

function findMemberOfBinding(
  view: CodeView,
  file: CodeFile,
  { type, within }: CodeBinding,
  name: string,
): ResolvedName | undefined {
  return type === ''
    ? undefined
    : findMemberOfType(view, view.resolveTypeName(file, type, within), name)
}

/** @param meaning of a type */
function findMemberOfType(
  view: CodeView,
  meaning: ResolvedName | undefined,
  name: string,
): ResolvedName | undefined {
  // A type of a library, or one that the file only gives a name to.
  if (meaning?.kind !== 'symbols') return externalName
  const members = meaning.places.flatMap((place) => findMember(view, place, name))
  return resolvedToSymbols(members, Math.min(0.85, meaning.confidence)) ?? externalName
}

/** The type that a call comes to, as what is called declares or shows it; undefined where that isn't known. */
function resolveReturnType(
  view: CodeView,
  file: CodeFile,
  binding: CodeBinding,
  calls: number,
): ResolvedName | undefined {
  if (calls === 0 || !file.isCallOf(binding)) return undefined
  const { type, within } = binding
  const call = type.slice(0, -2)
  const dot = call.lastIndexOf('.')
  const name = call.slice(dot + 1)
  const called =
    dot === -1
      ? view.resolveName(file, name, within)
      : resolveMember(view, file, call.slice(0, dot), name, within, calls - 1)
  if (called?.kind !== 'symbols' || called.confidence < minCalleeConfidence) return undefined
  const types = called.places.map((place) => returnTypeOf(view, place))
  const [first] = types
  // Of several that are called so all return the same, or nobody knows.
  const isOne = types.every((one) => one?.kind === first?.kind && isSameSymbol(one, first))
  return isOne && first !== undefined ? first : undefined
}

function isSameSymbol(one: ResolvedName | undefined, other: ResolvedName | undefined): boolean {
  if (one?.kind !== 'symbols' || other?.kind !== 'symbols') return one?.kind === other?.kind
  const [a, b] = [one.places[0], other.places[0]]
  return a?.path === b?.path && a?.ordinal === b?.ordinal
}

/** What something returns that is called; a class is what is made. */
function returnTypeOf(view: CodeView, place: SymbolLocation): ResolvedName | undefined {
  const file = view.file(place.path)
  const kind = symbolAt(view, place)?.kind
  if (file === undefined || kind === undefined) return undefined
  if (kind === 'class') return resolvedToSymbols([place], 0.9)
  const types = new Set(
    file.bindings('()').flatMap(({ within, type }) => (within === place.ordinal ? [type] : [])),
  )
  const [type] = types
  if (types.size !== 1 || type === undefined || type === '?') return undefined
  if (selfKeywords.has(type))
    return resolvedToSymbols(listSelfTypes(view, file, place.ordinal), 0.9)
  return view.resolveTypeName(file, type, place.ordinal) ?? externalName
}

function findModuleExport(
  view: CodeView,
  paths: readonly string[],
  name: string,
  confidence: number,
): ResolvedName | undefined {
  const found = followExport(view, paths, name)
  if (found === undefined) return externalName
  return found.kind === 'outside'
    ? found
    : { ...found, confidence: Math.min(found.confidence, confidence) }
}

/** Static members of types, what objects and modules hold, methods of a value whose type its own file tells. */
function findMemberOfSymbols(
  view: CodeView,
  places: readonly SymbolLocation[],
  name: string,
  confidence: number,
): ResolvedName | undefined {
  for (const place of places) {
    const members = findMember(view, place, name)
    if (members.length > 0) return resolvedToSymbols(members, Math.min(0.9, confidence))
    const file = view.file(place.path)
    const symbol = symbolAt(view, place)
    const binding = file && symbol && findBinding(file, symbol.name, symbol.within)
    if (binding !== undefined && file !== undefined)
      return findMemberOfBinding(view, file, binding, name)
  }
  return externalName
}

/** `cart::total()`: a module beside the file, which need not be imported. */
function findRustModule(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  if (file.family !== 'rust') return undefined
  const found = view.imports.resolve(file.path, {
    line: 0,
    from: `self::${name}`,
    names: [],
    kind: 'static',
  })
  const paths = found.paths.filter((path) => path !== file.path)
  return paths.length === 0 ? undefined : { kind: 'modules', paths, confidence: 0.9 }
}
