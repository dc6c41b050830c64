// Follows a name that a file shows to others to where it is defined, through files that only pass it on.

import { enclosingSymbolOf } from './code-file.ts'
import type { CodeFile, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import { familyOfPath } from './language-families.ts'
import { filenameOf, folderOf } from './paths.ts'
import { externalName, resolvedToSymbols } from './resolved-name.ts'

/** From file to file at most. */
const maxSteps = 8
/** Of files that pass on all names of others, all together. */
const maxFiles = 200

/** What keeps files that pass names on in circles, or by the hundred, from being followed for ever. */
interface Trail {
  readonly seen: Set<string>
  readonly steps: number
}

/**
 * What a name means that is imported from one of some files (`*`: they themselves as a module).
 *
 * @returns undefined where the files are not known to define it
 */
export function followExport(
  view: CodeView,
  paths: readonly string[],
  name: string,
): ResolvedName | undefined {
  return followName(view, paths, name, { seen: new Set(), steps: maxSteps })
}

/** The definitions that an exported name of a file stands for; none where that isn't known. */
export function resolveExport(
  view: CodeView,
  path: string,
  name: string,
): readonly SymbolLocation[] {
  const meaning = followExport(view, [path], name)
  return meaning?.kind === 'symbols' ? meaning.places : []
}

function followName(
  view: CodeView,
  paths: readonly string[],
  name: string,
  trail: Trail,
): ResolvedName | undefined {
  if (name === '*') return { kind: 'modules', paths, confidence: 0.95 }
  for (const [index, path] of paths.entries()) {
    // Behind the package itself stand those of its modules that are named.
    if (index > 0 && isPythonModule(path, name))
      return { kind: 'modules', paths: [path], confidence: 0.95 }
    const key = `${name} ${path}`
    if (trail.seen.has(key) || trail.seen.size >= maxFiles) continue
    trail.seen.add(key)
    const file = view.file(path)
    const found =
      file === undefined ? findInUnreadFile(view, path, name) : searchFile(view, file, name, trail)
    if (found !== undefined) return found
    if (isPythonModule(path, name)) return { kind: 'modules', paths: [path], confidence: 0.95 }
  }
  return undefined
}

/** A module of Python by its name: its file, or its folder's. */
function isPythonModule(path: string, name: string): boolean {
  if (!/\.pyi?$/.test(path)) return false
  const filename = filenameOf(path)
  return filename.startsWith('__init__.')
    ? filenameOf(folderOf(path)) === name
    : filename.split('.', 1)[0] === name
}

/** Its facts aren't there; but who defines the name may be. */
function findInUnreadFile(view: CodeView, path: string, name: string): ResolvedName | undefined {
  return resolvedToSymbols(
    view.definitionsOf(name).filter((place) => place.path === path),
    0.9,
  )
}

function searchFile(
  view: CodeView,
  file: CodeFile,
  name: string,
  trail: Trail,
): ResolvedName | undefined {
  const own = listExportedSymbols(file, name)
  if (own.length > 0)
    return followDefaultExport(view, file, own, trail) ?? resolvedToSymbols(own, 0.95)
  if (name === 'default' && file.family === 'script') {
    const shown = file.fileIndex.symbols.findIndex(
      ({ signature, exported }) => exported && isDefault(signature),
    )
    if (shown !== -1) return resolvedToSymbols([{ path: file.path, ordinal: shown }], 0.95)
  }
  if (trail.steps === 0) return undefined
  const further = { ...trail, steps: trail.steps - 1 }
  const passed =
    file.reexportedName(name) ?? (file.family === 'script' ? undefined : file.importedName(name))
  if (passed !== undefined) {
    const target = file.resolveImport(passed.importIndex)
    return target.kind === 'inside'
      ? followName(view, target.paths, passed.name, further)
      : externalName
  }
  if (name === 'default') return undefined
  for (const index of file.wildcardImports) {
    const found = followName(view, file.resolveImport(index).paths, name, further)
    if (found !== undefined) return found
  }
  return findSubmodule(view, file, name)
}

function isDefault(signature: string): boolean {
  return signature.startsWith('export default')
}

/** The symbols of a name at the top of a file, those that are exported first and alone. */
function listExportedSymbols(file: CodeFile, name: string): SymbolLocation[] {
  const { fileIndex: facts, path } = file
  const top = file.symbolsNamed(name).filter((ordinal) => {
    const outer = enclosingSymbolOf(facts, ordinal)
    return (
      (outer === -1 || facts.symbols[outer]!.kind === 'module') &&
      facts.symbols[ordinal]!.owner === null
    )
  })
  const exported = top.filter((ordinal) => facts.symbols[ordinal]!.exported)
  return (exported.length > 0 ? exported : top).map((ordinal) => ({ path, ordinal }))
}

/** `export default name`: a symbol that only names another one. */
function followDefaultExport(
  view: CodeView,
  file: CodeFile,
  places: readonly SymbolLocation[],
  trail: Trail,
): ResolvedName | undefined {
  const ordinal = places[0]!.ordinal
  const { name, kind, startLine, endLine } = file.fileIndex.symbols[ordinal]!
  if (name !== 'default' || kind !== 'value' || startLine !== endLine) return undefined
  const named = file.fileIndex.references.filter((reference) => reference.within === ordinal)
  if (named.length !== 1 || named[0]!.kind !== 'value' || named[0]!.qualifier !== null)
    return undefined
  const target = named[0]!.name
  const own = listExportedSymbols(file, target).filter((place) => place.ordinal !== ordinal)
  if (own.length > 0) return resolvedToSymbols(own, 0.95)
  const bound = file.importedName(target)
  const found = bound && file.resolveImport(bound.importIndex)
  return found?.kind === 'inside' && trail.steps > 0
    ? followName(view, found.paths, bound!.name, { ...trail, steps: trail.steps - 1 })
    : undefined
}

/** A package of Python has its modules as names. */
function findSubmodule(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  if (file.family !== 'python' || !filenameOf(file.path).startsWith('__init__.')) return undefined
  const found = view.imports.resolve(file.path, {
    line: 0,
    from: '.',
    names: [{ name, local: name }],
    kind: 'static',
  })
  const paths = found.paths.filter((path) => path !== file.path && familyOfPath(path) === 'python')
  return paths.length === 0 ? undefined : { kind: 'modules', paths, confidence: 0.95 }
}
