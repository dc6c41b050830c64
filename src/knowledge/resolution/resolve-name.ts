// Tells what a name without anything before it means at a place in a file: by the rules of its language.
import { enclosingSymbolOf, isTypeSymbol } from './code-file.ts'
import type { CodeFile, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import { findMember } from './find-member.ts'
import { followExport } from './follow-exports.ts'
import type { LanguageFamily } from './language-families.ts'
import { filenameOf, folderOf } from './paths.ts'
import { externalName, resolvedToSymbols } from './resolved-name.ts'
import { findInScope } from './shared-scopes.ts'

/** Languages in which a class's members are called without naming the object. */
const implicitObject: ReadonlySet<LanguageFamily> = new Set(['jvm', 'c-sharp', 'c', 'ruby'])

/**
 * What a name means; `CodeView.meaningOf` asks each name once.
 *
 * @param around the type or module that it is used in; -1 for none
 * @returns undefined where nobody knows
 */
export function resolveName(
  view: CodeView,
  file: CodeFile,
  name: string,
  around: number,
): ResolvedName | undefined {
  return (
    findInEnclosingTypes(view, file, name, around) ??
    resolvedToSymbols(listVisibleSymbols(file, name, around), 0.95) ??
    findImported(view, file, name) ??
    findInScope(view, file, name, around)
  )
}

/** A member of one of the classes around. */
function findInEnclosingTypes(
  view: CodeView,
  file: CodeFile,
  name: string,
  around: number,
): ResolvedName | undefined {
  if (!implicitObject.has(file.family)) return undefined
  for (let at = around; at !== -1; at = file.enclosingType(enclosingSymbolOf(file.fileIndex, at))) {
    if (file.fileIndex.symbols[at]!.kind === 'module' && file.family !== 'ruby') continue
    const members = findMember(view, { path: file.path, ordinal: at }, name)
    if (members.length > 0)
      return resolvedToSymbols(members, members[0]!.path === file.path ? 0.95 : 0.9)
  }
  return undefined
}

/** What the file itself defines under the name, where that can be seen from the place. */
function listVisibleSymbols(file: CodeFile, name: string, around: number): SymbolLocation[] {
  const { fileIndex: facts, path } = file
  const visible = file.symbolsNamed(name).filter((ordinal) => {
    const symbol = facts.symbols[ordinal]!
    const outer = enclosingSymbolOf(facts, ordinal)
    if (outer === -1) return symbol.owner === null
    return (
      facts.symbols[outer]!.kind === 'module' ||
      (isTypeSymbol(symbol) && encloses(file, outer, around))
    )
  })
  return visible.map((ordinal) => ({ path, ordinal }))
}

function encloses(file: CodeFile, outer: number, place: number): boolean {
  let at = place
  while (at > outer) at = enclosingSymbolOf(file.fileIndex, at)
  return at === outer
}

/** What an import binds the name to. */
function findImported(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const bound = file.importedName(name)
  if (bound === undefined) return undefined
  const target = file.resolveImport(bound.importIndex)
  // C++'s `using a::Cart` names no file: what is included has it.
  if (target.kind !== 'inside') return file.family === 'c' ? undefined : externalName
  const found = findExported(view, file, target.paths, bound.name)
  if (found === undefined) return undefined
  return found.kind === 'outside'
    ? found
    : { ...found, confidence: Math.min(found.confidence, target.confidence) }
}

function findExported(
  view: CodeView,
  file: CodeFile,
  paths: readonly string[],
  name: string,
): ResolvedName | undefined {
  const found = followExport(view, paths, name)
  if (found !== undefined || file.family === 'script') return found
  if (file.family === 'rust') return findModule(paths, name) ?? findNestedSymbol(view, paths, name)
  return findNestedSymbol(view, paths, name)
}

/** `use crate::cart`: the module is the file itself. */
function findModule(paths: readonly string[], name: string): ResolvedName | undefined {
  const isNamed = paths.some((path) => {
    const filename = filenameOf(path)
    return (
      filename === `${name}.rs` || (filename === 'mod.rs' && filenameOf(folderOf(path)) === name)
    )
  })
  return isNamed ? { kind: 'modules', paths, confidence: 0.95 } : undefined
}

/** Members that are imported by themselves: Java's static ones, Rust's variants, nested types. */
function findNestedSymbol(
  view: CodeView,
  paths: readonly string[],
  name: string,
): ResolvedName | undefined {
  const places = paths.flatMap((path) =>
    (view.file(path)?.symbolsNamed(name) ?? []).map((ordinal) => ({ path, ordinal })),
  )
  return resolvedToSymbols(places.slice(0, 4), 0.9)
}
