// Finds what `qualifier.name` refers to, by the enclosing type or the qualifier and its type.
import type { CodeBinding, CodeSymbol } from '../../languages/code-index.ts'
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
/** Symbols that `this` refers to. A value can be an object literal with methods. */
const selfKinds: ReadonlySet<CodeSymbol['kind']> = new Set(['class', 'interface', 'enum', 'value'])

/** The maximum length of a chain of calls such as `b = a.f()`, `c = b.g()`. */
const maxCallDepth = 3
/** The minimum confidence at which the return type of a callee is used. */
const minCalleeConfidence = 0.7

/**
 * @param within the symbol that contains the reference
 * @param callDepth the maximum number of calls to follow from a name to its type
 */
export function resolveMember(
  view: CodeView,
  file: CodeFile,
  qualifier: string,
  name: string,
  within: number,
  callDepth = maxCallDepth,
): ResolvedName | undefined {
  if (qualifier === '') return undefined
  if (selfKeywords.has(qualifier) || superKeywords.has(qualifier)) {
    const onlyInBases = superKeywords.has(qualifier)
    const member = findSelfMember(view, file, { name, within, onlyInBases })
    if (member !== undefined) return member
  }
  const call = findBinding(file, qualifier, within, isCallBinding)
  const returnType = call && resolveReturnType(view, file, call, callDepth)
  if (returnType !== undefined) return findMemberOfType(view, returnType, name)
  const binding = findBinding(file, qualifier, within)
  return binding === undefined
    ? resolveQualified(view, file, qualifier, name, within)
    : findMemberOfBinding(view, file, binding, name)
}

/** Resolves `qualifier.name` for a qualifier that is a module, a package or a symbol. */
export function resolveQualified(
  view: CodeView,
  file: CodeFile,
  qualifier: string,
  name: string,
  within: number,
): ResolvedName | undefined {
  const resolved =
    view.resolveName(file, qualifier, within) ?? findChildModule(view, file, qualifier)
  if (resolved === undefined || resolved.kind === 'outside') return resolved
  if (resolved.kind === 'modules')
    return findModuleExport(view, resolved.paths, name, resolved.confidence)
  return findMemberOfSymbols(view, resolved.locations, name, resolved.confidence)
}

/** Finds a member of `this` or `super`. */
function findSelfMember(
  view: CodeView,
  file: CodeFile,
  { name, within, onlyInBases }: { name: string; within: number; onlyInBases: boolean },
): ResolvedName | undefined {
  const types = listSelfTypes(view, file, within)
  for (const type of types) {
    const members = onlyInBases ? findBaseMember(view, type, name) : findMember(view, type, name)
    if (members.length > 0) return resolvedToSymbols(members, 0.9)
  }
  // A base class outside of the repository may define the member.
  return types.length > 0 ? externalName : undefined
}

/** Lists the types that `this` can refer to. A method outside of its type names it as the owner. */
function listSelfTypes(view: CodeView, file: CodeFile, within: number): readonly SymbolLocation[] {
  for (let ordinal = within; ordinal !== -1; ordinal = enclosingSymbolOf(file.fileIndex, ordinal)) {
    const { owner, kind } = file.fileIndex.symbols[ordinal]!
    if (owner !== null) {
      const resolved = view.resolveName(file, owner, -1)
      if (resolved?.kind === 'symbols') return resolved.locations
    }
    const hasSelf = selfKinds.has(kind) || (kind === 'module' && file.family.modulesHaveMethods)
    if (hasSelf) return [{ path: file.path, ordinal }]
  }
  return []
}

const isCallBinding = ({ type }: CodeBinding) => type.endsWith('()')
const isTypeBinding = (binding: CodeBinding) => !isCallBinding(binding)

/**
 * Finds the type of a name in the innermost enclosing scope that binds it.
 *
 * @returns a binding with an empty type if the scope binds the name to different types
 */
function findBinding(
  file: CodeFile,
  name: string,
  within: number,
  isWanted: (binding: CodeBinding) => boolean = isTypeBinding,
): CodeBinding | undefined {
  const bindings = file.bindings(name).filter(isWanted)
  if (bindings.length === 0) return undefined
  let scope = within
  while (true) {
    const inScope = bindings.filter((binding) => binding.within === scope)
    const last = inScope.at(-1)
    if (last !== undefined) {
      const isAmbiguous = inScope.some(({ type }) => type !== last.type)
      return isAmbiguous ? { ...last, type: '' } : last
    }
    if (scope === -1) return undefined
    scope = enclosingSymbolOf(file.fileIndex, scope)
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

function findMemberOfType(
  view: CodeView,
  type: ResolvedName | undefined,
  name: string,
): ResolvedName | undefined {
  // The type belongs to a library, or it is a type parameter.
  if (type?.kind !== 'symbols') return externalName
  const members = type.locations.flatMap((location) => findMember(view, location, name))
  return resolvedToSymbols(members, Math.min(0.85, type.confidence)) ?? externalName
}

/** Resolves the return type of the call that a binding names; undefined if it isn't known. */
function resolveReturnType(
  view: CodeView,
  file: CodeFile,
  binding: CodeBinding,
  callDepth: number,
): ResolvedName | undefined {
  if (callDepth === 0 || !file.isCallOf(binding)) return undefined
  const { type, within } = binding
  const call = type.slice(0, -'()'.length)
  const dot = call.lastIndexOf('.')
  const name = call.slice(dot + 1)
  const callee =
    dot === -1
      ? view.resolveName(file, name, within)
      : resolveMember(view, file, call.slice(0, dot), name, within, callDepth - 1)
  if (callee?.kind !== 'symbols' || callee.confidence < minCalleeConfidence) return undefined
  const types = callee.locations.map((location) => returnTypeOf(view, location))
  const [firstType] = types
  // Overloads with different return types leave the type unknown.
  return types.every((other) => isSameType(other, firstType)) ? firstType : undefined
}

function isSameType(a: ResolvedName | undefined, b: ResolvedName | undefined): boolean {
  if (a?.kind !== 'symbols' || b?.kind !== 'symbols') return a?.kind === b?.kind
  const firstOfA = a.locations[0]
  const firstOfB = b.locations[0]
  return firstOfA?.path === firstOfB?.path && firstOfA?.ordinal === firstOfB?.ordinal
}

/** Returns the type of a call's result; the call of a class returns its instance. */
function returnTypeOf(view: CodeView, callee: SymbolLocation): ResolvedName | undefined {
  const file = view.file(callee.path)
  const kind = symbolAt(view, callee)?.kind
  if (file === undefined || kind === undefined) return undefined
  if (kind === 'class') return resolvedToSymbols([callee], 0.9)
  const returnBindings = file.bindings('()').filter(({ within }) => within === callee.ordinal)
  const types = new Set(returnBindings.map(({ type }) => type))
  const [type] = types
  if (types.size !== 1 || type === undefined || type === '?') return undefined
  if (selfKeywords.has(type))
    return resolvedToSymbols(listSelfTypes(view, file, callee.ordinal), 0.9)
  return view.resolveTypeName(file, type, callee.ordinal) ?? externalName
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

/** Finds static members of types, members of objects, and methods of values with a known type. */
function findMemberOfSymbols(
  view: CodeView,
  locations: readonly SymbolLocation[],
  name: string,
  confidence: number,
): ResolvedName | undefined {
  for (const location of locations) {
    const members = findMember(view, location, name)
    if (members.length > 0) return resolvedToSymbols(members, Math.min(0.9, confidence))
    const file = view.file(location.path)
    const symbol = symbolAt(view, location)
    const binding = file && symbol && findBinding(file, symbol.name, symbol.within)
    if (binding !== undefined && file !== undefined)
      return findMemberOfBinding(view, file, binding, name)
  }
  return externalName
}

/** Resolves `cart` in `cart::total()` to a child module, which needs no import in Rust. */
function findChildModule(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const item = file.family.childModules?.importOf(file.path, name)
  if (item === undefined) return undefined
  const found = view.imports.resolve(file.path, { ...item, line: 0, kind: 'static' })
  const paths = found.paths.filter((path) => path !== file.path)
  return paths.length === 0 ? undefined : { kind: 'modules', paths, confidence: 0.9 }
}
