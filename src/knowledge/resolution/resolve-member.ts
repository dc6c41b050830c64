// Tells what `qualifier.name` means: by the object around, by the type of the qualifier, or by what that names itself.
import type { CodeBinding } from '../../workspace/code-facts.ts'
import { outerOf } from './code-file.ts'
import type { CodeFile, CodeView, Meaning, SymbolPlace } from './code-model.ts'
import { findBaseMember, findMember } from './find-member.ts'
import { followExport } from './follow-exports.ts'
import { meansSymbols, outsideMeaning } from './meaning.ts'
import { symbolAt } from './symbol-at.ts'

const ownWords: ReadonlySet<string> = new Set(['this', '$this', 'self', 'Self', 'cls', 'static', '@', 'me'])
const baseWords: ReadonlySet<string> = new Set(['super', 'base', 'parent'])

/** @param within the symbol that it stands in */
export function resolveMember(
  view: CodeView,
  file: CodeFile,
  qualifier: string,
  name: string,
  within: number,
): Meaning | undefined {
  if (qualifier === '') return undefined
  if (ownWords.has(qualifier) || baseWords.has(qualifier)) {
    const own = findOfOwn(view, file, name, within, baseWords.has(qualifier))
    if (own !== undefined) return own
  }
  const binding = findBinding(file, qualifier, within)
  return binding === undefined
    ? resolveQualified(view, file, qualifier, name, within)
    : findOfType(view, file, binding, name)
}

/** The same of a qualifier that is no object: a module, a package, a type. */
export function resolveQualified(
  view: CodeView,
  file: CodeFile,
  qualifier: string,
  name: string,
  within: number,
): Meaning | undefined {
  const meaning = view.meaningOf(file, qualifier, within) ?? findRustModule(view, file, qualifier)
  if (meaning === undefined || meaning.kind === 'outside') return meaning
  if (meaning.kind === 'modules') return findOfModule(view, meaning.paths, name, meaning.confidence)
  return findOfSymbols(view, meaning.places, name, meaning.confidence)
}

/** A member of the object that the place is in, or of what that is derived from. */
function findOfOwn(view: CodeView, file: CodeFile, name: string, within: number, ofBase: boolean): Meaning | undefined {
  const types = listOwnTypes(view, file, within)
  for (const place of types) {
    const members = ofBase ? findBaseMember(view, place, name) : findMember(view, place, name)
    if (members.length > 0) return meansSymbols(members, 0.9)
  }
  // A class that is all here has no such member; what it is derived from may.
  return types.length > 0 ? outsideMeaning : undefined
}

/** The types whose object is meant by `this`: the one around, also where a method stands outside of it. */
function listOwnTypes(view: CodeView, file: CodeFile, within: number): readonly SymbolPlace[] {
  for (let at = within; at !== -1; at = outerOf(file.facts, at)) {
    const { owner, kind } = file.facts.symbols[at]!
    if (owner !== null) {
      const meaning = view.meaningOf(file, owner, -1)
      if (meaning?.kind === 'symbols') return meaning.places
    }
    if (kind === 'class' || kind === 'interface' || kind === 'enum' || (kind === 'module' && file.family === 'ruby'))
      return [{ path: file.path, ordinal: at }]
    // Methods of an object that has a name.
    if (kind === 'value') return [{ path: file.path, ordinal: at }]
  }
  return []
}

/** The type that the file gives to a name: inside of the symbol, of one around it, or at its top. */
function findBinding(file: CodeFile, name: string, within: number): CodeBinding | undefined {
  const bindings = file.bindings(name)
  if (bindings.length === 0) return undefined
  for (let at = within; ; at = outerOf(file.facts, at)) {
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

function findOfType(view: CodeView, file: CodeFile, { type, within }: CodeBinding, name: string): Meaning | undefined {
  if (type === '') return undefined
  const meaning = view.typeNamed(file, type, within)
  // A type of a library, or one that the file only gives a name to.
  if (meaning?.kind !== 'symbols') return outsideMeaning
  const members = meaning.places.flatMap((place) => findMember(view, place, name))
  return meansSymbols(members, Math.min(0.85, meaning.confidence)) ?? outsideMeaning
}

function findOfModule(view: CodeView, paths: readonly string[], name: string, confidence: number): Meaning | undefined {
  const found = followExport(view, paths, name)
  if (found === undefined) return outsideMeaning
  return found.kind === 'outside' ? found : { ...found, confidence: Math.min(found.confidence, confidence) }
}

/** Static members of types, what objects and modules hold, methods of a value whose type its own file tells. */
function findOfSymbols(
  view: CodeView,
  places: readonly SymbolPlace[],
  name: string,
  confidence: number,
): Meaning | undefined {
  for (const place of places) {
    const members = findMember(view, place, name)
    if (members.length > 0) return meansSymbols(members, Math.min(0.9, confidence))
    const file = view.file(place.path)
    const symbol = symbolAt(view, place)
    const binding = file && symbol && findBinding(file, symbol.name, symbol.within)
    if (binding !== undefined && file !== undefined) return findOfType(view, file, binding, name)
  }
  return outsideMeaning
}

/** `cart::total()`: a module beside the file, which need not be imported. */
function findRustModule(view: CodeView, file: CodeFile, name: string): Meaning | undefined {
  if (file.family !== 'rust') return undefined
  const found = view.imports.resolve(file.path, { line: 0, from: `self::${name}`, names: [], kind: 'static' })
  const paths = found.paths.filter((path) => path !== file.path)
  return paths.length === 0 ? undefined : { kind: 'modules', paths, confidence: 0.9 }
}
