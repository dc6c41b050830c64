// Opens a view over the code index of a repository, or of a part of it, to resolve references.
import type { FileIndex } from '../../languages/code-index.ts'
import { familyOfPath } from '../../languages/index.ts'
import { folderOf } from '../../lib/tree-paths.ts'
import { createCodeFile } from './code-file.ts'
import type { CodeFile, CodeSource, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import type { ImportResolver } from './import-resolver.ts'
import { resolveQualified } from './resolve-member.ts'
import { resolveName } from './resolve-name.ts'

export type { CodeSource, CodeView, SymbolLocation } from './code-model.ts'

/** Symbol locations are packed into numbers. The limits of `indexFile` keep files below it. */
const maxSymbolsPerFile = 1 << 16
const noLocations: readonly SymbolLocation[] = []

/** Opens a view over files that are all in memory. */
export function createCodeView(
  files: Iterable<readonly [path: string, fileIndex: FileIndex]>,
  imports: ImportResolver,
): CodeView {
  const byPath = new Map(files)
  const outlines = [...byPath].map(([path, { symbols, namespace }]) => ({
    path,
    namespace,
    names: symbols.map(({ name }) => name),
  }))
  return openCodeView(
    indexOutlines(outlines, (path) => byPath.get(path)),
    imports,
  )
}

/** The data that a source needs of every file to find definitions. */
export interface FileOutline {
  readonly path: string
  /** Contains the names of its symbols by ordinal. */
  readonly names: readonly string[]
  readonly namespace: string | null
}

/**
 * Makes a source that has only the outlines of all files in memory.
 *
 * @param fileIndex loads a file's index entry
 */
export function indexOutlines(
  files: readonly FileOutline[],
  fileIndex: CodeSource['fileIndex'],
): CodeSource {
  let packedLocations: Map<string, number[]> | undefined
  let namespaces: Map<string, string[]> | undefined
  const definitions = new Map<string, readonly SymbolLocation[]>()
  return {
    fileIndex,
    definitionsOf(name) {
      packedLocations ??= packLocations(files)
      const known = definitions.get(name)
      if (known !== undefined) return known
      const locations =
        packedLocations.get(name)?.map((packed) => ({
          path: files[Math.floor(packed / maxSymbolsPerFile)]!.path,
          ordinal: packed % maxSymbolsPerFile,
        })) ?? noLocations
      definitions.set(name, locations)
      return locations
    },
    filesInNamespace(namespace, near) {
      namespaces ??= indexNamespaces(files)
      const paths = namespaces.get(namespace) ?? []
      return familyOfPath(near)?.folderPackages
        ? paths.filter((path) => folderOf(path) === folderOf(near))
        : paths
    },
  }
}

export function openCodeView(source: CodeSource, imports: ImportResolver): CodeView {
  const files = new Map<string, CodeFile | undefined>()
  const definitionsByFamily = new Map<string, readonly SymbolLocation[]>()
  const view: CodeView = {
    fileIndex: (path) => source.fileIndex(path),
    definitionsOf: (name) => source.definitionsOf(name),
    filesInNamespace: (namespace, near) => source.filesInNamespace(namespace, near),
    imports,
    file(path) {
      const known = files.get(path)
      if (known !== undefined || files.has(path)) return known
      const fileIndex = source.fileIndex(path)
      const family = familyOfPath(path)
      const file = fileIndex && family && createCodeFile(view, path, family, fileIndex)
      files.set(path, file)
      return file
    },
    resolveName(file, name, within) {
      const enclosingType = file.enclosingType(within)
      return resolveOnce(file.resolvedNames, `${enclosingType} ${name}`, () =>
        resolveName(view, file, name, enclosingType),
      )
    },
    resolveTypeName(file, name, within) {
      const qualifier = file.typeQualifier(name, within)
      return qualifier === null
        ? view.resolveName(file, name, within)
        : resolveOnce(file.resolvedTypes, `${within} ${name}`, () =>
            resolveQualified(view, file, qualifier, name, within),
          )
    },
    definitionsIn(family, name) {
      const key = `${family.id} ${name}`
      const known = definitionsByFamily.get(key)
      if (known !== undefined) return known
      const definitions = source
        .definitionsOf(name)
        .filter(({ path }) => familyOfPath(path) === family && source.fileIndex(path) !== undefined)
      definitionsByFamily.set(key, definitions)
      return definitions
    },
  }
  return view
}

type ResolvedNames = Map<string, ResolvedName | undefined>

function resolveOnce(
  known: ResolvedNames,
  key: string,
  resolve: () => ResolvedName | undefined,
): ResolvedName | undefined {
  const cached = known.get(key)
  if (cached !== undefined || known.has(key)) return cached
  // A circular lookup of the same name finds this entry and ends.
  known.set(key, undefined)
  const resolved = resolve()
  known.set(key, resolved)
  return resolved
}

/** Packs each location into a number: `file index * maxSymbolsPerFile + ordinal`. */
function packLocations(files: readonly FileOutline[]): Map<string, number[]> {
  const locations = new Map<string, number[]>()
  let base = 0
  for (const { names } of files) {
    const count = Math.min(names.length, maxSymbolsPerFile)
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const name = names[ordinal]!
      const list = locations.get(name)
      if (list === undefined) locations.set(name, [base + ordinal])
      else list.push(base + ordinal)
    }
    base += maxSymbolsPerFile
  }
  return locations
}

function indexNamespaces(files: readonly FileOutline[]): Map<string, string[]> {
  const namespaces = new Map<string, string[]>()
  for (const { path, namespace } of files) {
    if (namespace === null) continue
    const list = namespaces.get(namespace)
    if (list === undefined) namespaces.set(namespace, [path])
    else list.push(path)
  }
  return namespaces
}
