// Lists the files that a file depends on, from its imports and resolved references.
import type { CodeReference } from '../../languages/code-index.ts'
import type { CodeView } from './code-model.ts'
import { resolveReferences } from './resolve-references.ts'

type EdgeKind = 'import' | 'call' | 'reference' | 'extends'

export interface FileEdge {
  readonly target: string
  readonly kind: EdgeKind
  /** Takes the highest confidence of all sites, from 0 to 1. */
  readonly confidence: number
  /** The number of references or imports. */
  readonly sites: number
}

const edgeKindOf: Readonly<Record<CodeReference['kind'], EdgeKind>> = {
  call: 'call',
  new: 'call',
  type: 'reference',
  value: 'reference',
  extends: 'extends',
}
/** The maximum number of edges to a package of many files of which no file is referenced. */
const maxUnreferencedFiles = 8

/** Finds the edges of a file to others, one for each target and kind, in no particular order. */
export function resolveFileEdges(view: CodeView, path: string): readonly FileEdge[] {
  const edges = new Map<
    string,
    { target: string; kind: EdgeKind; confidence: number; sites: number }
  >()
  const addSite = (target: string, kind: EdgeKind, confidence: number) => {
    if (target === path) return
    const key = `${kind} ${target}`
    const edge = edges.get(key)
    if (edge === undefined) {
      edges.set(key, { target, kind, confidence, sites: 1 })
      return
    }
    edge.confidence = Math.max(edge.confidence, confidence)
    edge.sites++
  }
  const references = view.fileIndex(path)?.references ?? []
  const referencedFiles = new Set<string>()
  for (const { reference, targets } of resolveReferences(view, path)) {
    const kind = edgeKindOf[references[reference]!.kind]
    // Several targets in one file, such as overloads or a constructor, are one site.
    let previousPath = ''
    for (const target of targets) {
      if (target.path === previousPath) continue
      previousPath = target.path
      referencedFiles.add(target.path)
      addSite(target.path, kind, target.confidence)
    }
  }
  for (const { target, confidence } of listImportTargets(view, path, referencedFiles))
    addSite(target, 'import', confidence)
  return [...edges.values()]
}

/** Yields the imported files. Of a package of many files, it yields those that are referenced. */
function* listImportTargets(
  view: CodeView,
  path: string,
  referencedFiles: ReadonlySet<string>,
): Generator<{ target: string; confidence: number }> {
  const file = view.file(path)
  if (file === undefined) return
  for (let index = 0; index < file.fileIndex.imports.length; index++) {
    const { paths, confidence } = file.resolveImport(index)
    const used = paths.length > 1 ? paths.filter((target) => referencedFiles.has(target)) : paths
    const targets = used.length > 0 ? used : paths.slice(0, maxUnreferencedFiles)
    for (const target of targets) yield { target, confidence }
  }
}
