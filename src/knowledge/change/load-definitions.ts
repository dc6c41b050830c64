// Loads the files that changed lines may use: those that their names are imported from, or are defined in.
import type { CodeBinding, CodeImport, FileIndex } from '../../code/code-index.ts'
import type { ImportResolver } from '../resolution/imports/import-resolver.ts'
import { folderOf } from '../resolution/paths.ts'
import type { ChangedFile } from './changed-file.ts'
import type { HeadIndex } from './head-index.ts'

/** From the changed file over files that pass names on, and base classes. */
const maxSteps = 3
const maxFiles = 120
/** A name that more files define is most likely none of these. */
const maxDefiningFiles = 4

/** A file whose names are looked for, and which: `null` for whatever it imports. */
type WantedNames = ReadonlyMap<string, ReadonlySet<string>>

/** The names that changed lines of files use, by path. */
export function listUsedNames(files: readonly ChangedFile[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  for (const { diff, after, lines } of files) {
    if (after === null) continue
    const used = after.fileIndex.references.filter(({ line }) => lines.added.has(line))
    names.set(
      diff.path,
      new Set(used.flatMap(({ name, qualifier }) => (qualifier ? [name, qualifier] : [name]))),
    )
  }
  return names
}

/**
 * Loads what names in some files may lead to: who defines them, whom they are imported from, over how many files ever.
 *
 * @param wanted names by the file that uses them, whose facts are there
 * @param definers of names for others
 */
export async function loadDefinitions(
  code: HeadIndex,
  imports: ImportResolver,
  wanted: WantedNames,
  definers: ReadonlyMap<string, readonly { readonly path: string }[]>,
): Promise<void> {
  const named = new Set<string>()
  for (const [path, names] of wanted)
    for (const name of names)
      for (const near of chooseDefiningFiles(definers.get(name) ?? [], path)) named.add(near)
  await code.load([...named].slice(0, maxFiles))
  const defining = new Set([...definers.values()].flatMap((list) => list.map(({ path }) => path)))
  let at = wanted
  let left = maxFiles
  for (let step = 0; step < maxSteps && at.size > 0 && left > 0; step++) {
    const next = followImports({ code, imports, defining }, at, left)
    await code.load(next.keys())
    left -= next.size
    at = next
  }
}

interface ImportSearch {
  readonly code: HeadIndex
  readonly imports: ImportResolver
  /** Files that define a name that is used. */
  readonly defining: ReadonlySet<string>
}

/** All of a few; of many those beside the file that uses the name. */
function chooseDefiningFiles(
  definers: readonly { readonly path: string }[],
  user: string,
): string[] {
  const paths = definers.map(({ path }) => path)
  return paths.length <= maxDefiningFiles
    ? paths
    : paths.filter((path) => folderOf(path) === folderOf(user))
}

/** The files that imports lead to from those in hand, each with the names that are looked for there. */
function followImports(
  { code, imports, defining }: ImportSearch,
  wanted: WantedNames,
  limit: number,
): Map<string, Set<string>> {
  const next = new Map<string, Set<string>>()
  for (const [path, names] of wanted) {
    const facts = code.fileIndexes.get(path)
    if (facts === undefined) continue
    const sought = new Set([...names, ...listTypeNames(facts, names)])
    for (const item of facts.imports) {
      if (!mayImport(item, sought)) continue
      const { paths } = imports.resolve(path, item)
      // Of a package that is many files, those that have something to offer.
      const targets = paths.length === 1 ? paths : paths.filter((target) => defining.has(target))
      for (const target of targets) {
        if (wanted.has(target) || (next.size >= limit && !next.has(target))) continue
        const names = item.names.filter(({ local }) => sought.has(local)).map(({ name }) => name)
        next.set(target, new Set([...(next.get(target) ?? []), ...sought, ...names]))
      }
    }
  }
  return next
}

/** What bindings and base classes say of names: their methods are in there. */
function listTypeNames({ bindings, symbols }: FileIndex, names: ReadonlySet<string>): string[] {
  // What a function returns is bound inside of it.
  const speaksOf = ({ name, within }: CodeBinding) =>
    names.has(name === '()' ? (symbols[within]?.name ?? '') : name)
  return [
    ...bindings.filter(speaksOf).flatMap(({ type }) => type.replace(/\(\)$/, '').split('.')),
    ...symbols.filter(({ name }) => names.has(name)).flatMap((symbol) => symbol.extends),
  ].flatMap((type) => [type, type.slice(type.search(/\w+$/))])
}

function mayImport({ names, kind }: CodeImport, sought: ReadonlySet<string>): boolean {
  if (kind === 'all' || kind === 'include' || kind === 'system') return true
  return names.some(({ local }) => local === '*' || sought.has(local))
}
