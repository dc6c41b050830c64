// The code of a repository as references are resolved against it: all of its facts, or those that matter, in memory.
import type { CodeFacts } from '../../workspace/code-facts.ts'
import { createCodeFile } from './code-file.ts'
import type { CodeFile, CodeSource, CodeView, Meaning, SymbolPlace } from './code-model.ts'
import { familyOf } from './families.ts'
import type { ImportResolver } from './imports/import-resolver.ts'
import { folderOf } from './paths.ts'
import { resolveQualified } from './resolve-member.ts'
import { resolveName } from './resolve-name.ts'

export type { CodeSource, CodeView, SymbolPlace } from './code-model.ts'

/** Symbols are packed into numbers: no file has as many (see the fact reader's limits). */
const mostSymbols = 1 << 16
const nobody: readonly SymbolPlace[] = []

/** A view over files that are all at hand. */
export function createCodeView(
  files: Iterable<readonly [path: string, facts: CodeFacts]>,
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
  facts: CodeSource['facts'],
): CodeSource {
  let names: Map<string, number[]> | undefined
  let namespaces: Map<string, string[]> | undefined
  const definers = new Map<string, readonly SymbolPlace[]>()
  return {
    facts,
    definers(name) {
      names ??= indexNames(files)
      const known = definers.get(name)
      if (known !== undefined) return known
      const packed = names.get(name)
      const list = packed?.map((one) => ({
        path: files[Math.floor(one / mostSymbols)]!.path,
        ordinal: one % mostSymbols,
      }))
      definers.set(name, list ?? nobody)
      return list ?? nobody
    },
    filesOf(namespace, near) {
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
  const byFamily = new Map<string, readonly SymbolPlace[]>()
  const view: CodeView = {
    facts: (path) => source.facts(path),
    definers: (name) => source.definers(name),
    filesOf: (namespace, near) => source.filesOf(namespace, near),
    imports,
    file(path) {
      const known = files.get(path)
      if (known !== undefined || files.has(path)) return known
      const facts = source.facts(path)
      const family = familyOf(path)
      const file = facts && family && createCodeFile(view, path, family, facts)
      files.set(path, file)
      return file
    },
    meaningOf(file, name, within) {
      const around = file.typeAround(within)
      return askOnce(file.meanings, `${around} ${name}`, () =>
        resolveName(view, file, name, around),
      )
    },
    typeNamed(file, name, within) {
      const qualifier = file.typeQualifier(name, within)
      return qualifier === null
        ? view.meaningOf(file, name, within)
        : askOnce(file.types, `${within} ${name}`, () =>
            resolveQualified(view, file, qualifier, name, within),
          )
    },
    definersIn(family, name) {
      const key = `${family} ${name}`
      const known = byFamily.get(key)
      if (known !== undefined) return known
      const list = source
        .definers(name)
        .filter(({ path }) => familyOf(path) === family && source.facts(path) !== undefined)
      byFamily.set(key, list)
      return list
    },
  }
  return view
}

type Meanings = Map<string, Meaning | undefined>

function askOnce(
  known: Meanings,
  key: string,
  ask: () => Meaning | undefined,
): Meaning | undefined {
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
    const count = Math.min(names.length, mostSymbols)
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const name = names[ordinal]!
      const list = places.get(name)
      if (list === undefined) places.set(name, [base + ordinal])
      else list.push(base + ordinal)
    }
    base += mostSymbols
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
