// Follows a name that a file shows to others to where it is defined, through files that only pass it on.

import { outerOf } from './code-file.ts'
import type { CodeFile, CodeView, Meaning, SymbolPlace } from './code-model.ts'
import { familyOf } from './families.ts'
import { meansSymbols, outsideMeaning } from './meaning.ts'
import { filenameOf, folderOf } from './paths.ts'

/** From file to file at most. */
const mostSteps = 8
/** Of files that pass on all names of others, all together. */
const mostFiles = 200

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
): Meaning | undefined {
  return follow(view, paths, name, { seen: new Set(), steps: mostSteps })
}

/** The definitions that an exported name of a file stands for; none where that isn't known. */
export function resolveExport(view: CodeView, path: string, name: string): readonly SymbolPlace[] {
  const meaning = followExport(view, [path], name)
  return meaning?.kind === 'symbols' ? meaning.places : []
}

function follow(
  view: CodeView,
  paths: readonly string[],
  name: string,
  trail: Trail,
): Meaning | undefined {
  if (name === '*') return { kind: 'modules', paths, confidence: 0.95 }
  for (const [index, path] of paths.entries()) {
    // Behind the package itself stand those of its modules that are named.
    if (index > 0 && isModuleOf(path, name))
      return { kind: 'modules', paths: [path], confidence: 0.95 }
    const key = `${name} ${path}`
    if (trail.seen.has(key) || trail.seen.size >= mostFiles) continue
    trail.seen.add(key)
    const file = view.file(path)
    const found =
      file === undefined ? findUnread(view, path, name) : searchFile(view, file, name, trail)
    if (found !== undefined) return found
    if (isModuleOf(path, name)) return { kind: 'modules', paths: [path], confidence: 0.95 }
  }
  return undefined
}

/** A module of Python by its name: its file, or its folder's. */
function isModuleOf(path: string, name: string): boolean {
  if (!/\.pyi?$/.test(path)) return false
  const filename = filenameOf(path)
  return filename.startsWith('__init__.')
    ? filenameOf(folderOf(path)) === name
    : filename.split('.', 1)[0] === name
}

/** Its facts aren't there; but who defines the name may be. */
function findUnread(view: CodeView, path: string, name: string): Meaning | undefined {
  return meansSymbols(
    view.definers(name).filter((place) => place.path === path),
    0.9,
  )
}

function searchFile(
  view: CodeView,
  file: CodeFile,
  name: string,
  trail: Trail,
): Meaning | undefined {
  const own = listShown(file, name)
  if (own.length > 0) return leadOn(view, file, own, trail) ?? meansSymbols(own, 0.95)
  if (name === 'default' && file.family === 'script') {
    const shown = file.facts.symbols.findIndex(
      ({ signature, exported }) => exported && isDefault(signature),
    )
    if (shown !== -1) return meansSymbols([{ path: file.path, ordinal: shown }], 0.95)
  }
  if (trail.steps === 0) return undefined
  const further = { ...trail, steps: trail.steps - 1 }
  const passed = file.passed(name) ?? (file.family === 'script' ? undefined : file.bound(name))
  if (passed !== undefined) {
    const target = file.imported(passed.index)
    return target.kind === 'inside'
      ? follow(view, target.paths, passed.name, further)
      : outsideMeaning
  }
  if (name === 'default') return undefined
  for (const index of file.wholes) {
    const found = follow(view, file.imported(index).paths, name, further)
    if (found !== undefined) return found
  }
  return findSubmodule(view, file, name)
}

function isDefault(signature: string): boolean {
  return signature.startsWith('export default')
}

/** The symbols of a name at the top of a file, those that are exported first and alone. */
function listShown(file: CodeFile, name: string): SymbolPlace[] {
  const { facts, path } = file
  const top = file.named(name).filter((ordinal) => {
    const outer = outerOf(facts, ordinal)
    return (
      (outer === -1 || facts.symbols[outer]!.kind === 'module') &&
      facts.symbols[ordinal]!.owner === null
    )
  })
  const exported = top.filter((ordinal) => facts.symbols[ordinal]!.exported)
  return (exported.length > 0 ? exported : top).map((ordinal) => ({ path, ordinal }))
}

/** `export default name`: a symbol that only names another one. */
function leadOn(
  view: CodeView,
  file: CodeFile,
  places: readonly SymbolPlace[],
  trail: Trail,
): Meaning | undefined {
  const ordinal = places[0]!.ordinal
  const { name, kind, startLine, endLine } = file.facts.symbols[ordinal]!
  if (name !== 'default' || kind !== 'value' || startLine !== endLine) return undefined
  const named = file.facts.references.filter((reference) => reference.within === ordinal)
  if (named.length !== 1 || named[0]!.kind !== 'value' || named[0]!.qualifier !== null)
    return undefined
  const target = named[0]!.name
  const own = listShown(file, target).filter((place) => place.ordinal !== ordinal)
  if (own.length > 0) return meansSymbols(own, 0.95)
  const bound = file.bound(target)
  const found = bound && file.imported(bound.index)
  return found?.kind === 'inside' && trail.steps > 0
    ? follow(view, found.paths, bound!.name, { ...trail, steps: trail.steps - 1 })
    : undefined
}

/** A package of Python has its modules as names. */
function findSubmodule(view: CodeView, file: CodeFile, name: string): Meaning | undefined {
  if (file.family !== 'python' || !filenameOf(file.path).startsWith('__init__.')) return undefined
  const found = view.imports.resolve(file.path, {
    line: 0,
    from: '.',
    names: [{ name, local: name }],
    kind: 'static',
  })
  const paths = found.paths.filter((path) => path !== file.path && familyOf(path) === 'python')
  return paths.length === 0 ? undefined : { kind: 'modules', paths, confidence: 0.95 }
}
