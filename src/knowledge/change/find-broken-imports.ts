// Finds imports that the change makes lead nowhere, or that it writes so.

import type { CodeImport, FileIndex } from '../../code/code-index.ts'
import type { BrokenImport } from '../../domain/change-graph.ts'
import type { ChangedFile } from './changed-file.ts'
import { canCheckExports, hasExport } from './exported-names.ts'
import type { ChangeViews } from './find-change-callers.ts'

const maxOccurrences = 200
const maxExportListLength = 5_000

/** A name that a file doesn't have any more, to be looked for in its text before it is told. */
export interface SuspectedImport extends BrokenImport {
  /** The change took the name away; otherwise it names what may never have been there. */
  readonly isRemoved: boolean
}

/**
 * Imports that lead nowhere at the head.
 *
 * @param paths of files at the head that may import what the change took away, beside the changed ones
 */
export function findBrokenImports(
  views: ChangeViews,
  files: readonly ChangedFile[],
  paths: readonly string[],
): SuspectedImport[] {
  const oldPaths = new Map(files.map(({ diff, before }) => [diff.path, before?.path]))
  const lost = listLostExports(files)
  const changed = new Map(files.map((file) => [file.diff.path, file]))
  const found: SuspectedImport[] = []
  for (const path of new Set([...changed.keys(), ...paths])) {
    const facts = views.after.fileIndex(path)
    if (facts === undefined) continue
    const file = changed.get(path)
    for (const item of facts.imports)
      found.push(...checkImport(views, { path, file, oldPaths, lost }, item))
  }
  return found
}

interface Importer {
  readonly path: string
  /** Where it is one of the change. */
  readonly file: ChangedFile | undefined
  /** What changed files were called before; undefined where they are new. */
  readonly oldPaths: ReadonlyMap<string, string | undefined>
  /** See `listLostNames`. */
  readonly lost: ReadonlySet<string>
}

/** Names that changed files showed to others before, and don't show by themselves now; `*` where they passed on all of others. */
function listLostExports(files: readonly ChangedFile[]): Set<string> {
  return new Set(
    files.flatMap(({ before, after }) => {
      if (before === null) return []
      const now = new Set(after === null ? [] : listVisibleNames(after.fileIndex))
      return listVisibleNames(before.fileIndex).flatMap((shown) =>
        now.has(shown) ? [] : [shown.slice(2)],
      )
    }),
  )
}

/** Each with whether it says to be for others. */
function listVisibleNames({ symbols, imports }: FileIndex): string[] {
  return [
    ...symbols.flatMap(({ name, within, exported }) =>
      within === -1 ? [`${exported ? '+' : '-'} ${name}`] : [],
    ),
    ...imports.flatMap(({ names }) => names.map(({ local }) => `+ ${local}`)),
  ]
}

function checkImport(views: ChangeViews, importer: Importer, item: CodeImport): SuspectedImport[] {
  const { path, file, oldPaths, lost } = importer
  const inChange = file?.lines.added.has(item.line) ?? false
  const place = { path, line: item.line, from: item.from, inChange }
  const now = views.after.imports.resolve(path, item)
  if (now.kind === 'missing') {
    const then = views.before.imports.resolve(file?.before?.path ?? path, item)
    const isNew = inChange && !wasImportedBefore(file, item)
    return then.kind === 'inside' || isNew
      ? [{ ...place, name: null, target: null, isRemoved: !isNew }]
      : []
  }
  const target = now.paths[0]
  if (
    now.kind !== 'inside' ||
    target === undefined ||
    now.paths.length !== 1 ||
    !canCheckExports(target)
  )
    return []
  return item.names.flatMap(({ name }) => {
    if (!inChange && !lost.has(name) && !lost.has('*')) return []
    if (isSubmodule(views, path, item, name) || hasExport(views.after, target, name) !== false)
      return []
    const oldTarget = oldPaths.get(target) ?? target
    const isRemoved = hasExport(views.before, oldTarget, name) === true
    return isRemoved || inChange ? [{ ...place, name, target, isRemoved }] : []
  })
}

/** It was there before, on another line: whatever it leads to isn't the change's doing. */
function wasImportedBefore(file: ChangedFile | undefined, { from }: CodeImport): boolean {
  return file?.before?.fileIndex.imports.some((item) => item.from === from) ?? false
}

/** Python's `from package import module`. */
function isSubmodule(
  { after }: ChangeViews,
  path: string,
  item: CodeImport,
  name: string,
): boolean {
  if (!/\.pyi?$/.test(path)) return false
  const from = item.from.endsWith('.') ? `${item.from}${name}` : `${item.from}.${name}`
  const { paths } = after.imports.resolve(path, { ...item, from, names: [] })
  return paths.some((found) => found.includes(`/${name}.py`) || found.includes(`/${name}/`))
}

/** Whether the text of the target still leaves the suspicion standing: it may have the name in a way that facts don't show. */
export function isConfirmed({ name, isRemoved }: SuspectedImport, text: string): boolean {
  if (name === null) return true
  const word = RegExp.escape(name)
  if (!isRemoved) return !new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(text)
  return (
    !isInExportList(text, word) && !new RegExp(`\\bexports\\s*[.=[]|^${word}\\b`, 'm').test(text)
  )
}

/** It stands in an `export { … }`. */
function isInExportList(text: string, word: string): boolean {
  const places = text.matchAll(new RegExp(`(?<![\\w$])${word}(?![\\w$])`, 'g')).take(maxOccurrences)
  return places.some(({ index }) => {
    const before = text.slice(Math.max(0, index - maxExportListLength), index)
    const open = before.lastIndexOf('{')
    return (
      open > before.lastIndexOf('}') &&
      /\bexport\s{0,20}(type\s{0,20})?$/.test(before.slice(0, open))
    )
  })
}
