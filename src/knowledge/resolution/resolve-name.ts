// Tells what a name without anything before it means at a place in a file: by the rules of its language.
import { isType, outerOf } from './code-file.ts'
import type { CodeFile, CodeView, Meaning, SymbolPlace } from './code-model.ts'
import type { Family } from './families.ts'
import { findMember } from './find-member.ts'
import { followExport } from './follow-exports.ts'
import { meansSymbols, outsideMeaning } from './meaning.ts'
import { filenameOf, folderOf } from './paths.ts'
import { findInScope } from './shared-scopes.ts'

/** Languages in which a class's members are called without naming the object. */
const implicitObject: ReadonlySet<Family> = new Set(['jvm', 'c-sharp', 'c', 'ruby'])

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
): Meaning | undefined {
  return (
    findAround(view, file, name, around) ??
    meansSymbols(listOwn(file, name, around), 0.95) ??
    findImported(view, file, name) ??
    findInScope(view, file, name, around)
  )
}

/** A member of one of the classes around. */
function findAround(
  view: CodeView,
  file: CodeFile,
  name: string,
  around: number,
): Meaning | undefined {
  if (!implicitObject.has(file.family)) return undefined
  for (let at = around; at !== -1; at = file.typeAround(outerOf(file.facts, at))) {
    if (file.facts.symbols[at]!.kind === 'module' && file.family !== 'ruby') continue
    const members = findMember(view, { path: file.path, ordinal: at }, name)
    if (members.length > 0)
      return meansSymbols(members, members[0]!.path === file.path ? 0.95 : 0.9)
  }
  return undefined
}

/** What the file itself defines under the name, where that can be seen from the place. */
function listOwn(file: CodeFile, name: string, around: number): SymbolPlace[] {
  const { facts, path } = file
  const visible = file.named(name).filter((ordinal) => {
    const symbol = facts.symbols[ordinal]!
    const outer = outerOf(facts, ordinal)
    if (outer === -1) return symbol.owner === null
    return (
      facts.symbols[outer]!.kind === 'module' || (isType(symbol) && isAround(file, outer, around))
    )
  })
  return visible.map((ordinal) => ({ path, ordinal }))
}

function isAround(file: CodeFile, outer: number, place: number): boolean {
  let at = place
  while (at > outer) at = outerOf(file.facts, at)
  return at === outer
}

/** What an import binds the name to. */
function findImported(view: CodeView, file: CodeFile, name: string): Meaning | undefined {
  const bound = file.bound(name)
  if (bound === undefined) return undefined
  const target = file.imported(bound.index)
  // C++'s `using a::Cart` names no file: what is included has it.
  if (target.kind !== 'inside') return file.family === 'c' ? undefined : outsideMeaning
  const found = findBound(view, file, target.paths, bound.name)
  if (found === undefined) return undefined
  return found.kind === 'outside'
    ? found
    : { ...found, confidence: Math.min(found.confidence, target.confidence) }
}

function findBound(
  view: CodeView,
  file: CodeFile,
  paths: readonly string[],
  name: string,
): Meaning | undefined {
  const found = followExport(view, paths, name)
  if (found !== undefined || file.family === 'script') return found
  if (file.family === 'rust') return findModule(paths, name) ?? findWithin(view, paths, name)
  return findWithin(view, paths, name)
}

/** `use crate::cart`: the module is the file itself. */
function findModule(paths: readonly string[], name: string): Meaning | undefined {
  const isNamed = paths.some((path) => {
    const filename = filenameOf(path)
    return (
      filename === `${name}.rs` || (filename === 'mod.rs' && filenameOf(folderOf(path)) === name)
    )
  })
  return isNamed ? { kind: 'modules', paths, confidence: 0.95 } : undefined
}

/** Members that are imported by themselves: Java's static ones, Rust's variants, nested types. */
function findWithin(view: CodeView, paths: readonly string[], name: string): Meaning | undefined {
  const places = paths.flatMap((path) =>
    (view.file(path)?.named(name) ?? []).map((ordinal) => ({ path, ordinal })),
  )
  return meansSymbols(places.slice(0, 4), 0.9)
}
