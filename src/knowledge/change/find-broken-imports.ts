// Finds imports that the change makes lead nowhere, or that it writes so.
import type { BrokenImport } from '../../domain/change-graph.ts'
import type { CodeFacts, CodeImport } from '../../workspace/code-facts.ts'
import type { ChangedFile } from './changed-file.ts'
import { checksNames, exportsName } from './exported-names.ts'
import type { TwoViews } from './find-callers.ts'

const mostPlaces = 200
const longestList = 5_000

/** A name that a file doesn't have any more, to be looked for in its text before it is told. */
export interface Suspicion extends BrokenImport {
  /** The change took the name away; otherwise it names what may never have been there. */
  readonly isRemoved: boolean
}

/**
 * Imports that lead nowhere at the head.
 *
 * @param paths of files at the head that may import what the change took away, beside the changed ones
 */
export function findBrokenImports(
  views: TwoViews,
  files: readonly ChangedFile[],
  paths: readonly string[],
): Suspicion[] {
  const oldPaths = new Map(files.map(({ diff, before }) => [diff.path, before?.path]))
  const lost = listLostNames(files)
  const changed = new Map(files.map((file) => [file.diff.path, file]))
  const found: Suspicion[] = []
  for (const path of new Set([...changed.keys(), ...paths])) {
    const facts = views.after.facts(path)
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
function listLostNames(files: readonly ChangedFile[]): Set<string> {
  return new Set(
    files.flatMap(({ before, after }) => {
      if (before === null) return []
      const now = new Set(after === null ? [] : listShownNames(after.facts))
      return listShownNames(before.facts).flatMap((shown) =>
        now.has(shown) ? [] : [shown.slice(2)],
      )
    }),
  )
}

/** Each with whether it says to be for others. */
function listShownNames({ symbols, imports }: CodeFacts): string[] {
  return [
    ...symbols.flatMap(({ name, within, exported }) =>
      within === -1 ? [`${exported ? '+' : '-'} ${name}`] : [],
    ),
    ...imports.flatMap(({ names }) => names.map(({ local }) => `+ ${local}`)),
  ]
}

function checkImport(views: TwoViews, importer: Importer, item: CodeImport): Suspicion[] {
  const { path, file, oldPaths, lost } = importer
  const inChange = file?.lines.added.has(item.line) ?? false
  const place = { path, line: item.line, from: item.from, inChange }
  const now = views.after.imports.resolve(path, item)
  if (now.kind === 'missing') {
    const then = views.before.imports.resolve(file?.before?.path ?? path, item)
    const isNew = inChange && !hadImport(file, item)
    return then.kind === 'inside' || isNew
      ? [{ ...place, name: null, target: null, isRemoved: !isNew }]
      : []
  }
  const target = now.paths[0]
  if (
    now.kind !== 'inside' ||
    target === undefined ||
    now.paths.length !== 1 ||
    !checksNames(target)
  )
    return []
  return item.names.flatMap(({ name }) => {
    if (!inChange && !lost.has(name) && !lost.has('*')) return []
    if (isSubmodule(views, path, item, name) || exportsName(views.after, target, name) !== false)
      return []
    const oldTarget = oldPaths.get(target) ?? target
    const isRemoved = exportsName(views.before, oldTarget, name) === true
    return isRemoved || inChange ? [{ ...place, name, target, isRemoved }] : []
  })
}

/** It was there before, on another line: whatever it leads to isn't the change's doing. */
function hadImport(file: ChangedFile | undefined, { from }: CodeImport): boolean {
  return file?.before?.facts.imports.some((item) => item.from === from) ?? false
}

/** Python's `from package import module`. */
function isSubmodule({ after }: TwoViews, path: string, item: CodeImport, name: string): boolean {
  if (!/\.pyi?$/.test(path)) return false
  const from = item.from.endsWith('.') ? `${item.from}${name}` : `${item.from}.${name}`
  const { paths } = after.imports.resolve(path, { ...item, from, names: [] })
  return paths.some((found) => found.includes(`/${name}.py`) || found.includes(`/${name}/`))
}

/** Whether the text of the target still leaves the suspicion standing: it may have the name in a way that facts don't show. */
export function isConfirmed({ name, isRemoved }: Suspicion, text: string): boolean {
  if (name === null) return true
  const word = RegExp.escape(name)
  if (!isRemoved) return !new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(text)
  return !isListed(text, word) && !new RegExp(`\\bexports\\s*[.=[]|^${word}\\b`, 'm').test(text)
}

/** It stands in an `export { … }`. */
function isListed(text: string, word: string): boolean {
  const places = text.matchAll(new RegExp(`(?<![\\w$])${word}(?![\\w$])`, 'g')).take(mostPlaces)
  return places.some(({ index }) => {
    const before = text.slice(Math.max(0, index - longestList), index)
    const open = before.lastIndexOf('{')
    return (
      open > before.lastIndexOf('}') &&
      /\bexport\s{0,20}(type\s{0,20})?$/.test(before.slice(0, open))
    )
  })
}
