// Lists names on shown lines whose definitions a reviewer may need.
import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import { readDefinedName } from './definition-lines.ts'
import { type NameUse, readImports } from './read-imports.ts'

/** A name, the file that uses it, and the module specifier of its import. */
export interface UsedName {
  readonly name: string
  readonly file: FileDiff
  readonly from: string | undefined
  /** It may be defined inside of something: a method, a constant of an enumeration. */
  readonly isMember: boolean
  readonly weight: number
}

/** Lines of one file that are shown, and its text at the head, as far as it is known. */
export interface ReadLines {
  readonly file: FileDiff
  readonly lines: readonly DiffLine[]
  /** Lines of the definitions that they are in. */
  readonly around: readonly string[]
  readonly head: readonly string[]
}

const longestRead = 300
/** The limit is for all files. */
const mostLinesRead = 4_000
const mostNames = 80

/** What the use of a name on such a line is worth. */
const weightOfKind: Readonly<Record<DiffLine['kind'], number>> = {
  added: 1,
  deleted: 0.3,
  context: 0.4,
}
const weightAround = 0.25

/** Excludes keywords, and names that most programs use. */
const common = new Set(
  `abstract and any args array assert async await begin bool boolean break byte case catch char
  class const constructor continue data def default defer delete dict double elif else elseif end
  ensure enum err error errors except export extends extern false final finally float for foreach
  from func function get global goto if implements import include index init instanceof int
  interface item items key keys lambda len length let list local long main map match method mod
  module mut name namespace new nil none not null number object out override package params parent
  pass path private protected public raise range readonly ref require rescue result return self
  set short signed size sizeof static str string struct super switch template test text then this
  throw throws trait true try type typedef typeof undefined union unless unsigned use using val
  value values var virtual void volatile when where while with yield Array Boolean Date Error
  Exception False Function Infinity JSON List Map Math None Number Object Option Optional Promise
  Record RegExp Result Self Set Some String Symbol True Vec console print println printf sprintf
  fmt log json push pop append add remove close open read write find filter reduce forEach then
  catch toString equals hashCode describe expect before after beforeEach afterEach toBe toEqual
  NULL TRUE FALSE EOF Ok Err Box Uint8Array Buffer process window document require exports
  undefined isinstance getattr setattr hasattr super range enumerate sorted`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** The names that shown lines use and don't define, most wanted first. */
// oxlint-disable-next-line complexity -- to be replaced by the parser
export function collectNames(files: readonly ReadLines[]): UsedName[] {
  const found = new Map<string, UsedName>()
  const defined = new Set<string>()
  let left = mostLinesRead
  for (const { file, lines, around, head } of files) {
    const imports = readImports(file.path, head)
    const shown = lines.map(({ text, kind }) => ({ text, worth: weightOfKind[kind] }))
    const read = [...shown, ...around.map((text) => ({ text, worth: weightAround }))].slice(0, left)
    left -= read.length
    for (const { text, worth } of read) {
      const line = text.slice(0, longestRead)
      const here = worth === weightAround ? undefined : readDefinedName(line)
      if (here) defined.add(here.name)
      for (const use of readUses(line)) {
        const imported = imports.find(use)
        if (imported === 'elsewhere') continue
        const name = imported?.name ?? use.name
        const weight = (use.weight + (imported ? 2 : 0)) * worth
        const isMember =
          (use.qualifier !== undefined && !imported) || /^[A-Z][A-Z0-9_]+$/.test(name)
        found.set(
          name,
          mergeUses(found.get(name), { name, file, from: imported?.from, isMember, weight }),
        )
      }
    }
  }
  const names = [...found.values()].filter(({ name }) => !defined.has(name))
  return names.sort((one, other) => other.weight - one.weight).slice(0, mostNames)
}

/** A name that is used often is common rather than informative, so it gains little weight. */
function mergeUses(known: UsedName | undefined, next: UsedName): UsedName {
  if (!known) return next
  const weight = Math.max(known.weight, next.weight) + next.weight / 8
  return {
    ...known,
    from: known.from ?? next.from,
    isMember: known.isMember || next.isMember,
    weight,
  }
}

const anyName = /[A-Za-z_$][\w$]{2,}/g
const qualifierBefore = /([A-Za-z_$][\w$]*|[)\]])(?:\?\.|\.|->|::)$/
const callBehind = /^\s*(?:<[\w\s,.[\]]{0,60}>)?\(/
const comment = /^\s*(?:\*|#(?!include|define|if)).*$|\/\/.*$|\/\*.*?(?:\*\/|$)/g
const string = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g

function readUses(text: string): NameUse[] {
  const code = text.replaceAll(string, '""').replaceAll(comment, '')
  return [...code.matchAll(anyName)].flatMap(({ 0: name, index }) => {
    if (common.has(name) || name.length > 80) return []
    const isCompound = /[a-z0-9][A-Z]|[A-Za-z0-9]_/.test(name)
    // Short plain words are everywhere.
    if (!isCompound && name.length < 5) return []
    const qualifier = qualifierBefore.exec(code.slice(Math.max(0, index - 60), index))?.[1]
    const isCalled = callBehind.test(code.slice(index + name.length, index + name.length + 80))
    const weight = (isCalled ? 2 : 0) + (/^[A-Z]/.test(name) ? 1 : 0) + (isCompound ? 1 : 0)
    return weight >= 1
      ? [{ name, qualifier, weight: qualifier === undefined ? weight : weight - 0.5 }]
      : []
  })
}
