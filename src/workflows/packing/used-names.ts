// Lists names on shown lines whose definitions a reviewer may need.
import type { DiffLine } from '../../domain/diff.ts'
import { libraryMethodNames } from '../../knowledge/resolution/library-method-names.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import { familyOfPath } from '../../languages/index.ts'

/** A name as it is defined, and the file that uses it. */
export interface UsedName {
  readonly name: string
  readonly path: string
  /** The module specifier of its import. */
  readonly from: string | undefined
  /** Whether it is defined at the top level of a file, inside of something, or in either place. */
  readonly place: 'top' | 'member' | 'any'
  readonly weight: number
}

/** The lines of one file that are shown, and those around them. */
export interface ReadLines {
  readonly path: string
  readonly index: FileIndex
  readonly shown: readonly DiffLine[]
  /** Ranges of lines around the shown ones. */
  readonly around: readonly { readonly startLine: number; readonly endLine: number }[]
}

interface ImportedName {
  readonly name: string
  /** The module specifier. */
  readonly from: string
}

interface NameUse {
  readonly name: string
  /** The name before its dot, see `CodeReference`. */
  readonly qualifier: string | null
  readonly isCalled: boolean
  readonly worth: number
}

/** What the use of a name on such a line is worth. */
const worthOfKind: Readonly<Record<DiffLine['kind'], number>> = {
  added: 1,
  deleted: 0.3,
  context: 0.4,
}
const worthAround = 0.25
/** What the file itself defines is nearer at hand than other files. */
const worthOfOwn = 0.5
const wholeModule = '*'
/** The shortest name that is looked for; a whole module has a shorter one. */
const minNameLength = 3
const maxNameLength = 80
const maxLineLength = 300
const anyName = /[A-Za-z_$][\w$]*/g
/** The name of a constant; the index has no values that only other files define. */
const constantName = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/

/** Returns the names that shown lines use and don't define, most wanted first. */
export function collectNames(files: readonly ReadLines[]): UsedName[] {
  const found = new Map<string, UsedName>()
  const defined = new Set(files.flatMap(listDefined))
  for (const file of files) {
    const resolve = createNameResolver(file)
    for (const use of listUses(file)) {
      const used = resolve(use)
      if (used === undefined || defined.has(used.name)) continue
      found.set(used.name, mergeUses(found.get(used.name), used))
    }
  }
  return [...found.values()].sort((one, other) => other.weight - one.weight)
}

function listDefined({ index, shown }: ReadLines): string[] {
  const lines = new Set(shown.map(({ newLine }) => newLine))
  return index.symbols.filter(({ startLine }) => lines.has(startLine)).map(({ name }) => name)
}

/** A name that is used often is common rather than informative, so it gains little weight. */
function mergeUses(known: UsedName | undefined, next: UsedName): UsedName {
  if (known === undefined) return next
  const weight = Math.max(known.weight, next.weight) + next.weight / 8
  return { ...(known.from === undefined ? next : known), weight }
}

/**
 * Lists the uses on the lines. The index has those of the head; from deleted lines only names are
 * read that the file still uses.
 */
function listUses({ index, shown, around }: ReadLines): NameUse[] {
  const worths = new Map<number, number>()
  for (const { startLine, endLine } of around)
    for (let line = startLine; line <= endLine; line++) worths.set(line, worthAround)
  for (const { newLine, kind } of shown)
    if (newLine !== null) worths.set(newLine, worthOfKind[kind])
  const known = [
    ...index.references,
    ...index.imports.flatMap(({ names, line }) =>
      names.map(({ local }) => ({ name: local, qualifier: null, kind: 'value', line })),
    ),
  ].map(({ name, qualifier, kind, line }) => ({
    name,
    qualifier,
    isCalled: kind === 'call' || kind === 'new',
    worth: worths.get(line) ?? 0,
  }))
  const byName = new Map(known.map((use) => [use.name, use]))
  const inText = shown.flatMap(({ kind, text }) =>
    (text.slice(0, maxLineLength).match(anyName) ?? []).flatMap((name) => {
      const use = kind === 'deleted' ? byName.get(name) : undefined
      if (use === undefined && !constantName.test(name)) return []
      return [{ name, qualifier: null, isCalled: false, ...use, worth: worthOfKind[kind] }]
    }),
  )
  return [...known.filter(({ worth }) => worth > 0), ...inText]
}

/** Returns undefined for names that can't be from another file, or say too little. */
function createNameResolver({ path, index }: ReadLines): (use: NameUse) => UsedName | undefined {
  const imports = mapImports(index)
  const own = new Set(index.symbols.map(({ name }) => name))
  const family = familyOfPath(path)
  // Only an import can make the names of other files visible.
  const mustImport =
    family?.scopes.every((scope) => scope === 'wildcard imports') &&
    !index.imports.some(({ kind }) => kind === 'all')
  const isGlobal = ({ name, qualifier }: NameUse) =>
    libraryMethodNames.has(name) || (mustImport && qualifier === null && !own.has(name))
  return (use) => {
    const { qualifier, worth } = use
    const imported = imports.get(qualifier ?? use.name)
    const isForeign = imported ? family?.isLibraryImport?.(imported.from) : isGlobal(use)
    const name = qualifier === null && imported ? imported.name : use.name
    if (isForeign || !isInformative(name)) return undefined
    const isOwn = own.has(use.name)
    return {
      name,
      path,
      from: imported?.from,
      place: choosePlace(qualifier, imported),
      weight: rateUse(use, name, imported) * worth * (isOwn ? worthOfOwn : 1),
    }
  }
}

function isInformative({ length }: string): boolean {
  return length >= minNameLength && length <= maxNameLength
}

/** Calls and imported names say more, and so do capitalized and compound names. */
function rateUse({ isCalled }: NameUse, name: string, imported?: ImportedName): number {
  const isCapitalized = /^[A-Z]/.test(name)
  const isCompound = /[a-z0-9][A-Z]|[A-Za-z0-9]_/.test(name)
  return (isCalled ? 2 : 0) + (imported ? 2 : 0) + Number(isCapitalized) + Number(isCompound)
}

function choosePlace(qualifier: string | null, imported?: ImportedName): UsedName['place'] {
  if (qualifier === null) return imported === undefined ? 'any' : 'top'
  return imported?.name === wholeModule ? 'top' : 'member'
}

/** The exported names and module specifiers of imports, by the names that they bind. */
function mapImports({ imports }: FileIndex): Map<string, ImportedName> {
  return new Map(
    imports.flatMap(({ from, names }) =>
      names.map(({ name, local }) => {
        return [local, { name: name === 'default' ? local : name, from }] as const
      }),
    ),
  )
}
