// Resolves what a file names to the definitions that it means, each with how sure that is.
import type { CodeReference } from '../../code/code-index.ts'
import type { CodeFile, CodeView, SymbolLocation } from './code-model.ts'
import { findMember } from './find-member.ts'
import type { LanguageFamily } from './language-families.ts'
import { libraryMethodNames } from './library-method-names.ts'
import { resolveMember } from './resolve-member.ts'
import { symbolAt } from './symbol-at.ts'

export type { CodeView } from './code-model.ts'
export { resolveExport } from './follow-exports.ts'
export { resolveImport } from './resolve-import.ts'

export interface ReferenceTarget extends SymbolLocation {
  /** From 0 to 1. From 0.8 on it is safe to say so; below 0.5 it is a guess. */
  readonly confidence: number
}

export interface ResolvedReference {
  /** Index into the file's references. */
  readonly reference: number
  readonly targets: readonly ReferenceTarget[]
}

/** What several definitions of a name come to at most. */
const maxTargets = 8
/** A method by its name alone, by how many define one. */
const guessConfidences = [0, 0.5, 0.3, 0.3]
const noTargets: readonly ReferenceTarget[] = []

/** The references of a file that lead to definitions of the repository; none where the file's facts aren't there. */
export function resolveReferences(view: CodeView, path: string): readonly ResolvedReference[] {
  const file = view.file(path)
  if (file === undefined) return []
  const resolved: ResolvedReference[] = []
  const known = new Map<string, readonly ReferenceTarget[]>()
  const { references } = file.fileIndex
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
      ? view.resolveName(file, name, within)
      : resolveMember(view, file, qualifier, name, within)
  if (meaning?.kind === 'symbols')
    return chooseTargets(view, reference, meaning.places, meaning.confidence)
  if (meaning !== undefined) return noTargets
  return reference.kind === 'call' && (qualifier !== null || file.family === 'ruby')
    ? guessTargets(view, file, reference)
    : noTargets
}

/** Of several definitions of a name those that take as many arguments; of a class that is made its constructor too. */
function chooseTargets(
  view: CodeView,
  { arguments: passed, kind, name }: CodeReference,
  places: readonly SymbolLocation[],
  confidence: number,
): readonly ReferenceTarget[] {
  const distinct = places.length > 1 ? dropDuplicates(places) : places
  const fitting =
    distinct.length > 1
      ? distinct.filter((place) => acceptsArguments(view, place, passed))
      : distinct
  const chosen = (fitting.length > 0 ? fitting : distinct).slice(0, maxTargets)
  const made =
    kind === 'new' || kind === 'call'
      ? chosen.flatMap((place) => listConstructors(view, place, name, passed))
      : []
  return dropDuplicates([...chosen, ...made])
    .slice(0, maxTargets)
    .map(({ path, ordinal }) => ({ path, ordinal, confidence }))
}

/** The parts of one type lead to the same members. */
function dropDuplicates(places: readonly SymbolLocation[]): SymbolLocation[] {
  return places.filter(
    ({ path, ordinal }, index) =>
      places.findIndex((other) => other.ordinal === ordinal && other.path === path) === index,
  )
}

function acceptsArguments(view: CodeView, place: SymbolLocation, passed: number | null): boolean {
  const parameters = symbolAt(view, place)?.parameters
  if (passed === null || !parameters) return true
  return passed >= parameters.least && (parameters.most === null || passed <= parameters.most)
}

function listConstructors(
  view: CodeView,
  place: SymbolLocation,
  name: string,
  passed: number | null,
): readonly SymbolLocation[] {
  if (symbolAt(view, place)?.kind !== 'class') return []
  const found = ['constructor', '__init__', '__construct', 'initialize', name].flatMap((one) =>
    findMember(view, place, one).filter((member) => symbolAt(view, member)?.kind === 'method'),
  )
  const fitting = found.filter((member) => acceptsArguments(view, member, passed))
  return fitting.length > 0 ? fitting : found
}

/** What is called so and not known is a type, or an object, of a library. */
const externalQualifier =
  /^(window|document|console|navigator|process|globalThis|string|int|object|decimal)$/
const namedType = /^[A-Z][A-Z0-9]*[a-z]/
const capitalizedTypeFamilies: ReadonlySet<LanguageFamily> = new Set([
  'script',
  'jvm',
  'php',
  'rust',
  'ruby',
])

/** By a method's name alone, if few have one of that name and no library has. */
function guessTargets(
  view: CodeView,
  file: CodeFile,
  { name, qualifier, arguments: passed }: CodeReference,
): readonly ReferenceTarget[] {
  if (libraryMethodNames.has(name) || name.length < 3) return noTargets
  if (qualifier !== null && externalQualifier.test(qualifier)) return noTargets
  if (qualifier !== null && capitalizedTypeFamilies.has(file.family) && namedType.test(qualifier))
    return noTargets
  const all = view.definitionsIn(file.family, name)
  if (all.length > 50) return noTargets
  const places = all.filter((place) => {
    const symbol = symbolAt(view, place)!
    const isMember =
      symbol.kind === 'method' ||
      ((symbol.within !== -1 || symbol.owner !== null) && symbol.kind === 'function')
    // What stands in for a library in tests is never what other code means.
    return (
      isMember &&
      (file.isTest || !view.file(place.path)!.isTest) &&
      acceptsArguments(view, place, passed)
    )
  })
  const confidence = guessConfidences[new Set(places.map(({ path }) => path)).size] ?? 0
  return confidence === 0
    ? noTargets
    : places.slice(0, maxTargets).map(({ path, ordinal }) => ({ path, ordinal, confidence }))
}
