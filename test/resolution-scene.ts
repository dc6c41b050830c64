// A repository of some files, read with all real parts, and what its imports and references come to.
import { createCodeView } from '../src/knowledge/resolution/code-view.ts'
import { createImportResolver } from '../src/knowledge/resolution/imports/import-resolver.ts'
import { readResolution } from '../src/knowledge/resolution/read-resolution.ts'
import type { Resolution } from '../src/knowledge/resolution/resolution.ts'
import { resolveFileEdges } from '../src/knowledge/resolution/resolve-file-edges.ts'
import {
  type CodeView,
  resolveImport,
  resolveReferences,
} from '../src/knowledge/resolution/resolve-references.ts'
import { createFactReader } from '../src/workspace/fact-reader.ts'
import { createGitSnapshot } from '../src/workspace/git-snapshot.ts'
import { defaultGitHost } from '../src/workspace/run-git.ts'
import { type MadeFile, makeRepository } from './fakes/made-repository.ts'

export interface ResolutionScene {
  readonly view: CodeView
  readonly resolution: Resolution
  /** Where an import leads: paths, joined by a space, or `outside`, or `missing`. The file must have such an import. */
  imported(path: string, from: string): string
  /**
   * What a reference means, `shop.buy` or `buy`, on whatever line it is first: `path name` or `path Type.name`, of several
   * joined by a comma, and how sure that is. The file must have such a reference.
   */
  meant(path: string, reference: string): string
  /** The edges of a file as `kind target`, sorted. */
  edges(path: string): string[]
}

/** Commits the files, reads manifests and facts, and resolves. */
export async function readCode(
  files: Readonly<Record<string, string | MadeFile>>,
): Promise<ResolutionScene> {
  await using made = await makeRepository()
  await using snapshot = createGitSnapshot(defaultGitHost, made.directory, await made.commit(files))
  const paths = (await snapshot.listFiles())
    .filter(({ kind }) => kind === 'file')
    .map(({ path }) => path)
  const resolution = await readResolution(snapshot, paths)
  await using reader = createFactReader({ threads: 1, fileDeadlineMs: 30_000 })
  const sources = Object.entries(files).map(([path, file]) => ({
    path,
    bytes: Buffer.from(typeof file === 'string' ? file : file.content),
  }))
  const results = await reader.read(sources)
  const facts = results.flatMap((result, index) =>
    'facts' in result ? [[sources[index]!.path, result.facts] as const] : [],
  )
  // As it comes back from the database.
  const stored = JSON.parse(JSON.stringify(resolution)) as Resolution
  return lookAt(createCodeView(facts, createImportResolver(paths, stored)), stored)
}

/** The same of a view that is there. */
export function lookAt(view: CodeView, resolution: Resolution): ResolutionScene {
  return {
    view,
    resolution,
    imported(path, from) {
      const item = view.facts(path)?.imports.find((one) => one.from === from)
      if (item === undefined) throw new Error(`${path} has no import of ${from}`)
      const { kind, paths } = resolveImport(view, path, item)
      return kind === 'inside' ? paths.join(' ') : kind
    },
    meant(path, reference) {
      const dot = reference.lastIndexOf('.')
      const [qualifier, name] = [
        dot === -1 ? null : reference.slice(0, dot),
        reference.slice(dot + 1),
      ]
      const references = view.facts(path)?.references ?? []
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
  const symbols = view.facts(path)?.symbols ?? []
  const { name, within, owner } = symbols[ordinal]!
  const outer = owner ?? symbols[within]?.name
  return outer === undefined ? name : `${outer}.${name}`
}
