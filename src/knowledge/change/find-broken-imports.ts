// Finds imports that the change breaks, and broken imports that it adds.

import type { BrokenImport } from '../../domain/change-graph.ts'
import type { CodeImport, FileIndex } from '../../languages/code-index.ts'
import { familyOfPath } from '../../languages/index.ts'
import type { ChangedFile } from './changed-file.ts'
import { canCheckExports, hasExport } from './exported-names.ts'
import type { ChangeViews } from './find-change-callers.ts'

/** An import of a missing file or name; `isConfirmed` must check the text of its target. */
export interface SuspectedImport extends BrokenImport {
  /** Is true if the change removed the target, and false if the target may never have existed. */
  readonly isRemoved: boolean
}

/**
 * Finds imports without a target at the head.
 *
 * @param paths unchanged files at the head that may import removed files and names
 */
export function findBrokenImports(
  views: ChangeViews,
  files: readonly ChangedFile[],
  paths: readonly string[],
): SuspectedImport[] {
  const oldPaths = new Map(files.map(({ diff, before }) => [diff.path, before?.path]))
  const lostNames = listLostNames(files)
  const changedFiles = new Map(files.map((file) => [file.diff.path, file]))
  const found: SuspectedImport[] = []
  for (const path of new Set([...changedFiles.keys(), ...paths])) {
    const fileIndex = views.after.fileIndex(path)
    if (fileIndex === undefined) continue
    const importer = { path, file: changedFiles.get(path), oldPaths, lostNames }
    for (const item of fileIndex.imports) found.push(...checkImport(views, importer, item))
  }
  return found
}

interface Importer {
  readonly path: string
  /** Is undefined for an unchanged file. */
  readonly file: ChangedFile | undefined
  /** Maps changed files to their paths at the base; undefined for new files. */
  readonly oldPaths: ReadonlyMap<string, string | undefined>
  /** See `listLostNames`. */
  readonly lostNames: ReadonlySet<string>
}

/** Collects names that changed files no longer define or export; `*` if a re-export was removed. */
export function listLostNames(files: readonly ChangedFile[]): Set<string> {
  const lostNames = new Set<string>()
  for (const { before, after } of files) {
    if (before === null) continue
    const keysAfter = new Set(
      after === null ? [] : listVisibleNames(after.fileIndex).map(({ key }) => key),
    )
    for (const { name, key } of listVisibleNames(before.fileIndex))
      if (!keysAfter.has(key)) lostNames.add(name)
  }
  return lostNames
}

/** The key differs if a name is exported in one version only. */
interface VisibleName {
  readonly name: string
  readonly key: string
}

function listVisibleNames({ symbols, imports }: FileIndex): VisibleName[] {
  const toVisibleName = (name: string, isExported: boolean) => ({
    name,
    key: `${isExported ? '+' : '-'} ${name}`,
  })
  const topLevel = symbols.filter(({ within }) => within === -1)
  return [
    ...topLevel.map(({ name, exported }) => toVisibleName(name, exported)),
    ...imports.flatMap(({ names }) => names.map(({ local }) => toVisibleName(local, true))),
  ]
}

function checkImport(views: ChangeViews, importer: Importer, item: CodeImport): SuspectedImport[] {
  const { path, file } = importer
  const inChange = file?.lines.added.has(item.line) ?? false
  const location = { path, line: item.line, from: item.from, inChange }
  const { kind, paths } = views.after.imports.resolve(path, item)
  if (kind === 'missing') {
    const isNew = inChange && !wasImportedBefore(file, item)
    return isNew || resolvedBefore(views, importer, item)
      ? [{ ...location, name: null, target: null, isRemoved: !isNew }]
      : []
  }
  const [target] = paths
  if (kind !== 'inside' || target === undefined || paths.length > 1) return []
  if (!canCheckExports(target)) return []
  return checkNames(views, importer, item, target).map(({ name, isRemoved }) => ({
    ...location,
    name,
    target,
    isRemoved,
  }))
}

function resolvedBefore(views: ChangeViews, { path, file }: Importer, item: CodeImport): boolean {
  const oldPath = file?.before?.path ?? path
  return views.before.imports.resolve(oldPath, item).kind === 'inside'
}

/** Finds the imported names that the target doesn't export. */
function checkNames(
  views: ChangeViews,
  { path, file, oldPaths, lostNames }: Importer,
  item: CodeImport,
  target: string,
): { name: string; isRemoved: boolean }[] {
  const inChange = file?.lines.added.has(item.line) ?? false
  const oldTarget = oldPaths.get(target) ?? target
  return item.names.flatMap(({ name }) => {
    if (!inChange && !lostNames.has(name) && !lostNames.has('*')) return []
    if (isSubmodule(views, path, item, name)) return []
    if (hasExport(views.after, target, name) !== false) return []
    const isRemoved = hasExport(views.before, oldTarget, name) === true
    return isRemoved || inChange ? [{ name, isRemoved }] : []
  })
}

/** An import that only moved to another line is not new. */
function wasImportedBefore(file: ChangedFile | undefined, { from }: CodeImport): boolean {
  return file?.before?.fileIndex.imports.some((item) => item.from === from) ?? false
}

/** Checks whether an import names a module, as in Python's `from package import module`. */
function isSubmodule(
  { after }: ChangeViews,
  path: string,
  item: CodeImport,
  name: string,
): boolean {
  const submodules = familyOfPath(path)?.submodules
  if (submodules === undefined) return false
  const from = item.from.endsWith('.') ? `${item.from}${name}` : `${item.from}.${name}`
  const { paths } = after.imports.resolve(path, { ...item, from, names: [] })
  return paths.some((found) => submodules.isModule(found, name) || found.includes(`/${name}/`))
}

/** Checks that the target's text doesn't define the name in a way that the code index misses. */
export function isConfirmed({ name, isRemoved }: SuspectedImport, text: string): boolean {
  if (name === null) return true
  const escapedName = RegExp.escape(name)
  if (!isRemoved) return !new RegExp(`(?<![\\w$])${escapedName}(?![\\w$])`).test(text)
  const otherDefinition = new RegExp(`\\bexports\\s*[.=[]|^${escapedName}\\b`, 'm')
  return !otherDefinition.test(text)
}
