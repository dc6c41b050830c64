// Finds the definitions that the references of a file refer to, each with a confidence.
import type { CodeReference, CodeSymbol } from '../../languages/code-index.ts'
import type { CodeFile, CodeView, SymbolLocation } from './code-model.ts'
import { findMember } from './find-member.ts'
import { libraryMethodNames } from './library-method-names.ts'
import { resolveMember } from './resolve-member.ts'
import { symbolAt } from './symbol-at.ts'

export interface ReferenceTarget extends SymbolLocation {
  /** From 0 to 1: 0.8 and above is reliable, below 0.5 is a guess. */
  readonly confidence: number
}

interface ResolvedReference {
  /** Index into the file's references. */
  readonly reference: number
  readonly targets: readonly ReferenceTarget[]
}

/** A reference resolves to at most this number of definitions. */
const maxTargets = 8
/** The confidence of a method found by its name alone, by the number of files that define one. */
const guessConfidences = [0, 0.5, 0.3, 0.3]
/** The maximum number of definitions to consider for a method that is found by its name alone. */
const maxGuessedDefinitions = 50
const minGuessedNameLength = 3
/** The confidence of an imported extension: a member of the same name would come first. */
const extensionConfidence = 0.85
/** Names of constructors, which are called by the names of their types. */
export const constructorNames = ['constructor', '__init__', '__construct', 'initialize']
const noTargets: readonly ReferenceTarget[] = []

/**
 * Returns the references of a file that resolve to definitions of the repository.
 * The list is empty if the file's index entry isn't loaded.
 */
export function resolveReferences(view: CodeView, path: string): readonly ResolvedReference[] {
  const file = view.file(path)
  if (file === undefined) return []
  const resolved: ResolvedReference[] = []
  const targetsByKey = new Map<string, readonly ReferenceTarget[]>()
  for (const [index, reference] of file.fileIndex.references.entries()) {
    const { kind, qualifier, name, within, arguments: argumentCount } = reference
    const key = `${kind} ${qualifier ?? '\0'} ${name} ${within} ${argumentCount}`
    let targets = targetsByKey.get(key)
    if (targets === undefined) {
      targets = resolveReference(view, file, reference)
      targetsByKey.set(key, targets)
    }
    if (targets.length > 0) resolved.push({ reference: index, targets })
  }
  return resolved
}

function resolveReference(
  view: CodeView,
  file: CodeFile,
  reference: CodeReference,
): readonly ReferenceTarget[] {
  const { name, qualifier, within } = reference
  const resolved =
    qualifier === null
      ? view.resolveName(file, name, within)
      : resolveMember(view, file, qualifier, name, within)
  if (resolved?.kind === 'symbols')
    return chooseTargets(view, reference, resolved.locations, resolved.confidence)
  const extensions = qualifier === null ? noTargets : listImportedExtensions(view, file, name)
  if (extensions.length > 0) return chooseTargets(view, reference, extensions, extensionConfidence)
  if (resolved !== undefined) return noTargets
  const mayBeMethodCall = qualifier !== null || file.family.omitsReceivers
  return reference.kind === 'call' && mayBeMethodCall
    ? guessTargets(view, file, reference)
    : noTargets
}

/** Lists what the file imports by that name to extend a type: `import com.acme.shout`. */
function listImportedExtensions(
  view: CodeView,
  file: CodeFile,
  name: string,
): readonly SymbolLocation[] {
  const imported = file.family.importsExtensions ? file.importedName(name) : undefined
  if (imported === undefined) return noTargets
  return file.resolveImport(imported.importIndex).paths.flatMap((path) => {
    const target = view.file(path)
    const ordinals = target?.symbolsNamed(imported.name) ?? []
    return ordinals
      .filter((ordinal) => target!.fileIndex.symbols[ordinal]!.owner !== null)
      .map((ordinal) => ({ path, ordinal }))
  })
}

/** Prefers definitions that accept the number of arguments, and adds constructors of classes. */
function chooseTargets(
  view: CodeView,
  { arguments: argumentCount, kind, name }: CodeReference,
  locations: readonly SymbolLocation[],
  confidence: number,
): readonly ReferenceTarget[] {
  const candidates = locations.length > 1 ? dropDuplicates(locations) : locations
  const fitting =
    candidates.length > 1
      ? candidates.filter((location) => acceptsArguments(view, location, argumentCount))
      : candidates
  const chosen = (fitting.length > 0 ? fitting : candidates).slice(0, maxTargets)
  const constructors =
    kind === 'new' || kind === 'call'
      ? chosen.flatMap((location) => listConstructors(view, location, name, argumentCount))
      : []
  return dropDuplicates([...chosen, ...constructors])
    .slice(0, maxTargets)
    .map(({ path, ordinal }) => ({ path, ordinal, confidence }))
}

/** A type that is defined in parts yields each of its members several times. */
function dropDuplicates(locations: readonly SymbolLocation[]): SymbolLocation[] {
  return locations.filter(
    ({ path, ordinal }, index) =>
      locations.findIndex((other) => other.ordinal === ordinal && other.path === path) === index,
  )
}

function acceptsArguments(
  view: CodeView,
  callee: SymbolLocation,
  argumentCount: number | null,
): boolean {
  const parameters = symbolAt(view, callee)?.parameters
  if (argumentCount === null || !parameters) return true
  const { least, most } = parameters
  return argumentCount >= least && (most === null || argumentCount <= most)
}

function listConstructors(
  view: CodeView,
  type: SymbolLocation,
  className: string,
  argumentCount: number | null,
): readonly SymbolLocation[] {
  if (symbolAt(view, type)?.kind !== 'class') return []
  const constructors = [...constructorNames, className].flatMap((name) =>
    findMember(view, type, name).filter((member) => symbolAt(view, member)?.kind === 'method'),
  )
  const fitting = constructors.filter((member) => acceptsArguments(view, member, argumentCount))
  return fitting.length > 0 ? fitting : constructors
}

/** Unresolved qualifiers with these names are global objects or built-in types. */
const externalQualifier =
  /^(window|document|console|navigator|process|globalThis|string|int|object|decimal)$/
const typeName = /^[A-Z][A-Z0-9]*[a-z]/

/** Finds a method by its name alone, if few files and no common library define that name. */
function guessTargets(
  view: CodeView,
  file: CodeFile,
  { name, qualifier, arguments: argumentCount }: CodeReference,
): readonly ReferenceTarget[] {
  if (libraryMethodNames.has(name) || name.length < minGuessedNameLength) return noTargets
  if (qualifier !== null && isExternalQualifier(file, qualifier)) return noTargets
  const definitions = view.definitionsIn(file.family, name)
  if (definitions.length > maxGuessedDefinitions) return noTargets
  const candidates = definitions.filter(
    (location) =>
      isMember(symbolAt(view, location)!) &&
      // Production code never calls the test doubles of a library.
      (file.isTest || !view.file(location.path)!.isTest) &&
      acceptsArguments(view, location, argumentCount),
  )
  const fileCount = new Set(candidates.map(({ path }) => path)).size
  const confidence = guessConfidences[fileCount] ?? 0
  return confidence === 0
    ? noTargets
    : candidates.slice(0, maxTargets).map(({ path, ordinal }) => ({ path, ordinal, confidence }))
}

/** Checks whether a qualifier that can't be resolved most likely belongs to a library. */
function isExternalQualifier(file: CodeFile, qualifier: string): boolean {
  if (externalQualifier.test(qualifier)) return true
  return file.family.capitalizesTypes === true && typeName.test(qualifier)
}

function isMember({ kind, within, owner }: CodeSymbol): boolean {
  return kind === 'method' || (kind === 'function' && (within !== -1 || owner !== null))
}
