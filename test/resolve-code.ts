// Builds a repository from files and resolves its imports and references.

import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { createGitSnapshot } from '../src/git/git-snapshot.ts'
import { defaultGitRuntime } from '../src/git/run-git.ts'
import type { CodeView } from '../src/knowledge/resolution/code-model.ts'
import { createCodeView } from '../src/knowledge/resolution/code-view.ts'
import { createImportResolver } from '../src/knowledge/resolution/import-resolver.ts'
import { readImportConfig } from '../src/knowledge/resolution/read-import-config.ts'
import { resolveFileEdges } from '../src/knowledge/resolution/resolve-file-edges.ts'
import { resolveImport } from '../src/knowledge/resolution/resolve-import.ts'
import { resolveReferences } from '../src/knowledge/resolution/resolve-references.ts'
import type { ImportConfig } from '../src/languages/common/import-config.ts'
import { type CommitFile, createBareRepository } from './fakes/bare-repository.ts'

export interface ResolvedCode {
  readonly view: CodeView
  readonly resolution: ImportConfig
  /**
   * The target of an import: paths joined by a space, or `outside`, or `missing`. The file must
   * have such an import.
   */
  importTarget(path: string, from: string): string
  /**
   * The definition of the first reference, such as `shop.buy` or `buy`: `path name` or `path
   * Type.name`, several joined by a comma, with the confidence. The file must have such a
   * reference.
   */
  referenceTarget(path: string, reference: string): string
  /** The edges of a file as `kind target`, sorted. */
  edges(path: string): string[]
}

/** Commits the files, indexes them with their manifests, and resolves them. */
export async function resolveCode(
  files: Readonly<Record<string, string | CommitFile>>,
): Promise<ResolvedCode> {
  await using made = await createBareRepository()
  await using snapshot = createGitSnapshot(
    defaultGitRuntime,
    made.directory,
    await made.commit(files),
  )
  const paths = (await snapshot.listFiles())
    .filter(({ kind }) => kind === 'file')
    .map(({ path }) => path)
  const resolution = await readImportConfig(snapshot, paths)
  await using reader = createSyntaxParser({ threads: 1, fileDeadlineMs: 30_000 })
  const sources = Object.entries(files).map(([path, file]) => ({
    path,
    bytes: Buffer.from(typeof file === 'string' ? file : file.content),
  }))
  const results = await reader.index(sources)
  const facts = results.flatMap((result, index) =>
    'index' in result ? [[sources[index]!.path, result.index] as const] : [],
  )
  // The index goes through JSON as it does in the database.
  const stored = JSON.parse(JSON.stringify(resolution)) as ImportConfig
  return inspectCode(createCodeView(facts, createImportResolver(paths, stored)), stored)
}

/** Resolves an existing view. */
export function inspectCode(view: CodeView, resolution: ImportConfig): ResolvedCode {
  return {
    view,
    resolution,
    importTarget(path, from) {
      const item = view.fileIndex(path)?.imports.find((one) => one.from === from)
      if (item === undefined) throw new Error(`${path} has no import of ${from}`)
      const { kind, paths } = resolveImport(view, path, item)
      return kind === 'inside' ? paths.join(' ') : kind
    },
    referenceTarget(path, reference) {
      const dot = reference.lastIndexOf('.')
      const [qualifier, name] = [
        dot === -1 ? null : reference.slice(0, dot),
        reference.slice(dot + 1),
      ]
      const references = view.fileIndex(path)?.references ?? []
      const index = references.findIndex((one) => one.name === name && one.qualifier === qualifier)
      if (index === -1) throw new Error(`${path} has no reference ${reference}`)
      const targets =
        resolveReferences(view, path).find((one) => one.reference === index)?.targets ?? []
      if (targets.length === 0) return 'nothing'
      const places = targets.map(
        (target) => `${target.path} ${nameOf(view, target.path, target.ordinal)}`,
      )
      return `${places.join(', ')} ${Math.max(...targets.map(({ confidence }) => confidence))}`
    },
    edges: (path) =>
      resolveFileEdges(view, path)
        .map(({ kind, target }) => `${kind} ${target}`)
        .sort(),
  }
}

function nameOf(view: CodeView, path: string, ordinal: number): string {
  const symbols = view.fileIndex(path)?.symbols ?? []
  const { name, within, owner } = symbols[ordinal]!
  const outer = owner ?? symbols[within]?.name
  return outer === undefined ? name : `${outer}.${name}`
}
