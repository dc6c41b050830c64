// A repository of some files, read with all real parts, and what its imports and references come to.

import { createFileIndexer } from '../src/code/file-indexer.ts'
import { createGitSnapshot } from '../src/git/git-snapshot.ts'
import { defaultGitRuntime } from '../src/git/run-git.ts'
import { createCodeView } from '../src/knowledge/resolution/code-view.ts'
import type { ImportConfig } from '../src/knowledge/resolution/import-config.ts'
import { createImportResolver } from '../src/knowledge/resolution/imports/import-resolver.ts'
import { readImportConfig } from '../src/knowledge/resolution/read-import-config.ts'
import { resolveFileEdges } from '../src/knowledge/resolution/resolve-file-edges.ts'
import {
  type CodeView,
  resolveImport,
  resolveReferences,
} from '../src/knowledge/resolution/resolve-references.ts'
import { type CommitFile, createBareRepository } from './fakes/bare-repository.ts'

export interface ResolvedCode {
  readonly view: CodeView
  readonly resolution: ImportConfig
  /** Where an import leads: paths, joined by a space, or `outside`, or `missing`. The file must have such an import. */
  importTarget(path: string, from: string): string
  /**
   * What a reference means, `shop.buy` or `buy`, on whatever line it is first: `path name` or `path Type.name`, of several
   * joined by a comma, and how sure that is. The file must have such a reference.
   */
  referenceTarget(path: string, reference: string): string
  /** The edges of a file as `kind target`, sorted. */
  edges(path: string): string[]
}

/** Commits the files, reads manifests and facts, and resolves. */
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
  await using reader = createFileIndexer({ threads: 1, fileDeadlineMs: 30_000 })
  const sources = Object.entries(files).map(([path, file]) => ({
    path,
    bytes: Buffer.from(typeof file === 'string' ? file : file.content),
  }))
  const results = await reader.index(sources)
  const facts = results.flatMap((result, index) =>
    'index' in result ? [[sources[index]!.path, result.index] as const] : [],
  )
  // As it comes back from the database.
  const stored = JSON.parse(JSON.stringify(resolution)) as ImportConfig
  return inspectCode(createCodeView(facts, createImportResolver(paths, stored)), stored)
}

/** The same of a view that is there. */
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
