// Resolves what a file names to the definitions that it means, each with how sure that is.
import type { CodeReference } from '../../workspace/code-facts.ts'
import type { CodeFile, CodeView, SymbolPlace } from './code-model.ts'
import type { Family } from './families.ts'
import { findMember } from './find-member.ts'
import { libraryNames } from './library-names.ts'
import { resolveMember } from './resolve-member.ts'
import { symbolAt } from './symbol-at.ts'

export type { CodeView } from './code-model.ts'
export { resolveExport } from './follow-exports.ts'
export { resolveImport } from './resolve-import.ts'

export interface ReferenceTarget extends SymbolPlace {
  /** From 0 to 1. From 0.8 on it is safe to say so; below 0.5 it is a guess. */
  readonly confidence: number
}

export interface ResolvedReference {
  /** Index into the file's references. */
  readonly reference: number
  readonly targets: readonly ReferenceTarget[]
}

/** What several definitions of a name come to at most. */
const mostTargets = 8
/** A method by its name alone, by how many define one. */
const guesses = [0, 0.5, 0.3, 0.3]
const none: readonly ReferenceTarget[] = []

/** The references of a file that lead to definitions of the repository; none where the file's facts aren't there. */
export function resolveReferences(view: CodeView, path: string): readonly ResolvedReference[] {
  const file = view.file(path)
  if (file === undefined) return []
  const resolved: ResolvedReference[] = []
  const known = new Map<string, readonly ReferenceTarget[]>()
  const { references } = file.facts
  for (let reference = 0; reference < references.length; reference++) {
    const { kind, qualifier, name, within, arguments: passed } = references[reference]!
    const key = `${kind} ${qualifier ?? '\0'} ${name} ${within} ${passed}`
    let targets = known.get(key)
    if (targets === undefined) {
      targets = resolveReference(view, file, references[reference]!)
      known.set(key, targets)
    }
    if (targets.length > 0) resolved.push({ reference, targets })
  }
  return resolved
}

function resolveReference(
  view: CodeView,
  file: CodeFile,
  reference: CodeReference,
): readonly ReferenceTarget[] {
  const { name, qualifier, within } = reference
  const meaning =
    qualifier === null
      ? view.meaningOf(file, name, within)
      : resolveMember(view, file, qualifier, name, within)
  if (meaning?.kind === 'symbols')
    return choose(view, reference, meaning.places, meaning.confidence)
  if (meaning !== undefined) return none
  return reference.kind === 'call' && (qualifier !== null || file.family === 'ruby')
    ? guess(view, file, reference)
    : none
}

/** Of several definitions of a name those that take as many arguments; of a class that is made its constructor too. */
function choose(
  view: CodeView,
  { arguments: passed, kind, name }: CodeReference,
  places: readonly SymbolPlace[],
  confidence: number,
): readonly ReferenceTarget[] {
  const distinct = places.length > 1 ? dropDoubles(places) : places
  const fitting =
    distinct.length > 1 ? distinct.filter((place) => takes(view, place, passed)) : distinct
  const chosen = (fitting.length > 0 ? fitting : distinct).slice(0, mostTargets)
  const made =
    kind === 'new' || kind === 'call'
      ? chosen.flatMap((place) => listConstructors(view, place, name, passed))
      : []
  return dropDoubles([...chosen, ...made])
    .slice(0, mostTargets)
    .map(({ path, ordinal }) => ({ path, ordinal, confidence }))
}

/** The parts of one type lead to the same members. */
function dropDoubles(places: readonly SymbolPlace[]): SymbolPlace[] {
  return places.filter(
    ({ path, ordinal }, index) =>
      places.findIndex((other) => other.ordinal === ordinal && other.path === path) === index,
  )
}

function takes(view: CodeView, place: SymbolPlace, passed: number | null): boolean {
  const parameters = symbolAt(view, place)?.parameters
  if (passed === null || !parameters) return true
  return passed >= parameters.least && (parameters.most === null || passed <= parameters.most)
}

function listConstructors(
  view: CodeView,
  place: SymbolPlace,
  name: string,
  passed: number | null,
): readonly SymbolPlace[] {
  if (symbolAt(view, place)?.kind !== 'class') return []
  const found = ['constructor', '__init__', '__construct', 'initialize', name].flatMap((one) =>
    findMember(view, place, one).filter((member) => symbolAt(view, member)?.kind === 'method'),
  )
  const fitting = found.filter((member) => takes(view, member, passed))
  return fitting.length > 0 ? fitting : found
}

/** What is called so and not known is a type, or an object, of a library. */
const foreign = /^(window|document|console|navigator|process|globalThis|string|int|object|decimal)$/
const namedType = /^[A-Z][A-Z0-9]*[a-z]/
const typesAreCapital: ReadonlySet<Family> = new Set(['script', 'jvm', 'php', 'rust', 'ruby'])

/** By a method's name alone, if few have one of that name and no library has. */
function guess(
  view: CodeView,
  file: CodeFile,
  { name, qualifier, arguments: passed }: CodeReference,
): readonly ReferenceTarget[] {
  if (libraryNames.has(name) || name.length < 3) return none
  if (qualifier !== null && foreign.test(qualifier)) return none
  if (qualifier !== null && typesAreCapital.has(file.family) && namedType.test(qualifier))
    return none
  const all = view.definersIn(file.family, name)
  if (all.length > 50) return none
  const places = all.filter((place) => {
    const symbol = symbolAt(view, place)!
    const isMember =
      symbol.kind === 'method' ||
      ((symbol.within !== -1 || symbol.owner !== null) && symbol.kind === 'function')
    // What stands in for a library in tests is never what other code means.
    return isMember && (file.isTest || !view.file(place.path)!.isTest) && takes(view, place, passed)
  })
  const confidence = guesses[new Set(places.map(({ path }) => path)).size] ?? 0
  return confidence === 0
    ? none
    : places.slice(0, mostTargets).map(({ path, ordinal }) => ({ path, ordinal, confidence }))
}
