// Applies the scope rules of a language to resolve an unqualified name.

import { enclosingSymbolOf, isTypeSymbol } from './code-file.ts'
import type { CodeFile, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import { findMember } from './find-member.ts'
import { followExport } from './follow-exports.ts'
import { externalName, resolvedToSymbols } from './resolved-name.ts'
import { findInScope } from './shared-scopes.ts'

const maxNestedSymbols = 4

/**
 * Resolves a name without a cache, see `CodeView.resolveName`.
 *
 * @param enclosingType the ordinal of the type or module that contains the use; -1 for none
 * @returns undefined if the name can't be resolved
 */
export function resolveName(
  view: CodeView,
  file: CodeFile,
  name: string,
  enclosingType: number,
): ResolvedName | undefined {
  return (
    findInEnclosingTypes(view, file, name, enclosingType) ??
    resolvedToSymbols(listVisibleSymbols(file, name, enclosingType), 0.95) ??
    findImported(view, file, name) ??
    findInScope(view, file, name, enclosingType)
  )
}

function findInEnclosingTypes(
  view: CodeView,
  file: CodeFile,
  name: string,
  enclosingType: number,
): ResolvedName | undefined {
  if (!file.family.hasImplicitThis) return undefined
  const { fileIndex, path } = file
  let ordinal = enclosingType
  while (ordinal !== -1) {
    const { kind } = fileIndex.symbols[ordinal]!
    const isType = kind !== 'module' || file.family.modulesHaveMethods
    const members = isType ? findMember(view, { path, ordinal }, name) : []
    if (members.length > 0)
      return resolvedToSymbols(members, members[0]!.path === path ? 0.95 : 0.9)
    ordinal = file.enclosingType(enclosingSymbolOf(fileIndex, ordinal))
  }
  return undefined
}

/** Lists the file's own symbols with this name that are in scope. */
function listVisibleSymbols(file: CodeFile, name: string, enclosingType: number): SymbolLocation[] {
  const { fileIndex, path } = file
  const visible = file.symbolsNamed(name).filter((ordinal) => {
    const symbol = fileIndex.symbols[ordinal]!
    const outer = enclosingSymbolOf(fileIndex, ordinal)
    if (outer === -1) return symbol.owner === null
    return (
      fileIndex.symbols[outer]!.kind === 'module' ||
      (isTypeSymbol(symbol) && isEnclosedBy(file, enclosingType, outer))
    )
  })
  return visible.map((ordinal) => ({ path, ordinal }))
}

function isEnclosedBy(file: CodeFile, ordinal: number, outer: number): boolean {
  let current = ordinal
  while (current > outer) current = enclosingSymbolOf(file.fileIndex, current)
  return current === outer
}

function findImported(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const imported = file.importedName(name)
  if (imported === undefined) return undefined
  const target = file.resolveImport(imported.importIndex)
  if (target.kind !== 'inside') return file.family.declaresInIncludes ? undefined : externalName
  const found = findExported(view, file, target.paths, imported.name)
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
  if (found !== undefined || file.family.hasExports) return found
  // `use crate::cart` in Rust names the file of a module.
  if (paths.some((path) => file.family.childModules?.isModule(path, name)))
    return { kind: 'modules', paths, confidence: 0.95 }
  return findNestedSymbol(view, paths, name)
}

/** Finds members that are imported on their own: static members, enum variants and nested types. */
function findNestedSymbol(
  view: CodeView,
  paths: readonly string[],
  name: string,
): ResolvedName | undefined {
  const locations = paths.flatMap((path) =>
    (view.file(path)?.symbolsNamed(name) ?? []).map((ordinal) => ({ path, ordinal })),
  )
  return resolvedToSymbols(locations.slice(0, maxNestedSymbols), 0.9)
}
