// The code of a repository as references are resolved against it: all of its facts, or those that matter, in memory.
import type { FileIndex } from '../../code/code-index.ts'
import { createCodeFile } from './code-file.ts'
import type { CodeFile, CodeSource, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import type { ImportResolver } from './imports/import-resolver.ts'
import { familyOfPath } from './language-families.ts'
import { folderOf } from './paths.ts'
import { resolveQualified } from './resolve-member.ts'
import { resolveName } from './resolve-name.ts'

export type { CodeSource, CodeView, SymbolLocation } from './code-model.ts'

/** Symbols are packed into numbers: no file has as many (see the fact reader's limits). */
const maxSymbolsPerFile = 1 << 16
const noLocations: readonly SymbolLocation[] = []

/** A view over files that are all at hand. */
export function createCodeView(
  files: Iterable<readonly [path: string, facts: FileIndex]>,
  imports: ImportResolver,
): CodeView {
  const byPath = new Map(files)
  const outlines = [...byPath].map(([path, { symbols, namespace }]) => ({
    ...{ path, namespace },
    names: symbols.map(({ name }) => name),
  }))
  return openCodeView(
    indexOutlines(outlines, (path) => byPath.get(path)),
    imports,
  )
}

/** What has to be known of every file to tell who defines what. */
export interface FileOutline {
  readonly path: string
  /** Of its symbols, in their order. */
  readonly names: readonly string[]
  readonly namespace: string | null
}

/**
 * A source over all files of which only the outlines are at hand.
 *
 * @param facts gives those of a file when they are asked for
 */
export function indexOutlines(
  files: readonly FileOutline[],
  facts: CodeSource['fileIndex'],
): CodeSource {
  let names: Map<string, number[]> | undefined
  let namespaces: Map<string, string[]> | undefined
  const definers = new Map<string, readonly SymbolLocation[]>()
  return {
    fileIndex: facts,
    definitionsOf(name) {
      names ??= indexNames(files)
      const known = definers.get(name)
      if (known !== undefined) return known
      const packed = names.get(name)
      const list = packed?.map((one) => ({
        path: files[Math.floor(one / maxSymbolsPerFile)]!.path,
        ordinal: one % maxSymbolsPerFile,
      }))
      definers.set(name, list ?? noLocations)
      return list ?? noLocations
    },
    filesInNamespace(namespace, near) {
      namespaces ??= indexNamespaces(files)
      const list = namespaces.get(namespace) ?? []
      // Packages of Go go by folders: many are called `main`.
      return near.endsWith('.go') ? list.filter((path) => folderOf(path) === folderOf(near)) : list
    },
  }
}

/** A view over what was loaded for it. */
export function openCodeView(source: CodeSource, imports: ImportResolver): CodeView {
  const files = new Map<string, CodeFile | undefined>()
  const byFamily = new Map<string, readonly SymbolLocation[]>()
  const view: CodeView = {
    fileIndex: (path) => source.fileIndex(path),
    definitionsOf: (name) => source.definitionsOf(name),
    filesInNamespace: (namespace, near) => source.filesInNamespace(namespace, near),
    imports,
    file(path) {
      const known = files.get(path)
      if (known !== undefined || files.has(path)) return known
      const facts = source.fileIndex(path)
      const family = familyOfPath(path)
      const file = facts && family && createCodeFile(view, path, family, facts)
      files.set(path, file)
      return file
    },
    resolveName(file, name, within) {
      const around = file.enclosingType(within)
      return resolveOnce(file.resolvedNames, `${around} ${name}`, () =>
        resolveName(view, file, name, around),
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
      const key = `${family} ${name}`
      const known = byFamily.get(key)
      if (known !== undefined) return known
      const list = source
        .definitionsOf(name)
        .filter(({ path }) => familyOfPath(path) === family && source.fileIndex(path) !== undefined)
      byFamily.set(key, list)
      return list
    },
  }
  return view
}

type ResolvedNames = Map<string, ResolvedName | undefined>

function resolveOnce(
  known: ResolvedNames,
  key: string,
  ask: () => ResolvedName | undefined,
): ResolvedName | undefined {
  const before = known.get(key)
  if (before !== undefined || known.has(key)) return before
  // Whoever asks for it again meanwhile goes in a circle.
  known.set(key, undefined)
  const meaning = ask()
  known.set(key, meaning)
  return meaning
}

function indexNames(files: readonly FileOutline[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  let base = 0
  for (const { names } of files) {
    const count = Math.min(names.length, maxSymbolsPerFile)
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const name = names[ordinal]!
      const list = places.get(name)
      if (list === undefined) places.set(name, [base + ordinal])
      else list.push(base + ordinal)
    }
    base += maxSymbolsPerFile
  }
  return places
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
