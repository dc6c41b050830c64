// Checks whether other files can import a name from a file, as far as the code index shows it.
import type { FileIndex } from '../../languages/code-index.ts'
import { parsedLanguageOfPath } from '../../languages/index.ts'
import type { CodeView } from '../resolution/code-view.ts'

/** The maximum number of files to search over re-exports. */
export const maxReexportingFiles = 8

/** A declaration file can describe names that are defined elsewhere. */
const declarationFile = /\.d\.[cm]?ts$/

export function canCheckExports(path: string): boolean {
  return findExportIn(path) !== undefined
}

/** Chooses by its language how a name is searched in a file; undefined if it can't be. */
function findExportIn(path: string): typeof findDeclaredExport | undefined {
  const family = parsedLanguageOfPath(path)?.language.family
  if (family?.hasExports) return findDeclaredExport
  return family?.exportsAll ? findAnyName : undefined
}

/**
 * Checks whether a name can be imported from a file.
 *
 * @param name the name in the imported file
 * @returns undefined if it isn't known: for `default`, for a file that isn't loaded or can't be
 *   parsed completely, and if such a file may define a re-exported name
 */
export function hasExport(view: CodeView, path: string, name: string): boolean | undefined {
  return findExport({ view, name, seen: new Set() }, path)
}

interface ExportSearch {
  readonly view: CodeView
  readonly name: string
  readonly seen: Set<string>
}

function findExport(search: ExportSearch, path: string): boolean | undefined {
  const { view, name, seen } = search
  if (seen.has(path)) return false
  seen.add(path)
  if (seen.size > maxReexportingFiles || name === '*' || name === 'default') return undefined
  const fileIndex = view.fileIndex(path)
  if (fileIndex === undefined || declarationFile.test(path)) return undefined
  return findExportIn(path)?.(search, path, fileIndex)
}

function findDeclaredExport(
  search: ExportSearch,
  path: string,
  fileIndex: FileIndex,
): boolean | undefined {
  if (declaresExport(fileIndex, search.name)) return true
  const { imports, symbols, incomplete } = fileIndex
  const reexports = imports.filter(({ kind }) => kind === 'reexport')
  const hasExports =
    reexports.length > 0 || symbols.some(({ exported, within }) => exported && within === -1)
  // A file without exports may be CommonJS, whose exports are only known at run time.
  if (incomplete || !hasExports) return undefined
  const wildcards = reexports.filter(({ names }) => names.some(({ local }) => local === '*'))
  return findInReexports(search, path, wildcards)
}

function findAnyName(
  search: ExportSearch,
  path: string,
  fileIndex: FileIndex,
): boolean | undefined {
  if (hasTopLevelName(fileIndex, search.name)) return true
  const { imports, symbols, incomplete } = fileIndex
  // A module of Python with `__getattr__` can provide any name at run time.
  if (incomplete || symbols.some((symbol) => symbol.name === '__getattr__')) return undefined
  const wildcards = imports.filter(({ kind }) => kind === 'all')
  return findInReexports(search, path, wildcards)
}

/** Checks whether a file binds a name that others can import from it, itself or by a re-export. */
export function bindsName(path: string, fileIndex: FileIndex, name: string): boolean {
  const find = findExportIn(path)
  if (find === undefined) return false
  return (find === findDeclaredExport ? declaresExport : hasTopLevelName)(fileIndex, name)
}

function declaresExport({ symbols, imports }: FileIndex, name: string): boolean {
  return (
    symbols.some((symbol) => symbol.exported && symbol.within === -1 && symbol.name === name) ||
    imports.some(
      ({ kind, names }) => kind === 'reexport' && names.some(({ local }) => local === name),
    )
  )
}

function hasTopLevelName({ symbols, imports, bindings }: FileIndex, name: string): boolean {
  return (
    symbols.some((symbol) => symbol.within === -1 && symbol.name === name) ||
    imports.some(({ names }) => names.some(({ local }) => local === name)) ||
    bindings.some((binding) => binding.within === -1 && binding.name === name)
  )
}

/** Searches the targets of imports that re-export all names. */
function findInReexports(
  search: ExportSearch,
  path: string,
  wildcards: FileIndex['imports'],
): boolean | undefined {
  let isKnown = true
  for (const item of wildcards) {
    const { kind, paths } = search.view.imports.resolve(path, item)
    const found =
      kind === 'inside' ? paths.map((target) => findExport(search, target)) : [undefined]
    if (found.includes(true)) return true
    if (found.includes(undefined)) isKnown = false
  }
  return isKnown ? false : undefined
}
