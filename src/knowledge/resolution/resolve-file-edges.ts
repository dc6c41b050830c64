// What a file depends on, as edges to other files: by its imports and by what its references mean.
import type { CodeReference } from '../../code/code-index.ts'
import type { CodeView } from './code-model.ts'
import { resolveReferences } from './resolve-references.ts'

export type EdgeKind = 'import' | 'call' | 'reference' | 'extends'

export interface FileEdge {
  readonly target: string
  readonly kind: EdgeKind
  /** Of the surest place. */
  readonly confidence: number
  /** How many places there are. */
  readonly sites: number
}

const edgeKindOf: Readonly<Record<CodeReference['kind'], EdgeKind>> = {
  call: 'call',
  new: 'call',
  type: 'reference',
  value: 'reference',
  extends: 'extends',
}
/** A package of more files than this, of which nothing is named, is imported as a whole by nobody. */
const maxUnnamedFiles = 8

/** The edges of a file to others, in no particular order; one for each target and kind. */
export function resolveFileEdges(view: CodeView, path: string): readonly FileEdge[] {
  const edges = new Map<
    string,
    { target: string; kind: EdgeKind; confidence: number; sites: number }
  >()
  const add = (target: string, kind: EdgeKind, confidence: number) => {
    if (target === path) return
    const key = `${kind} ${target}`
    const known = edges.get(key)
    if (known === undefined) edges.set(key, { target, kind, confidence, sites: 1 })
    else {
      known.confidence = Math.max(known.confidence, confidence)
      known.sites++
    }
  }
  const references = view.fileIndex(path)?.references ?? []
  const named = new Set<string>()
  for (const { reference, targets } of resolveReferences(view, path)) {
    const kind = edgeKindOf[references[reference]!.kind]
    // Overloads and a class with its constructor are one place in one file.
    let last = ''
    for (const target of targets) {
      if (target.path === last) continue
      last = target.path
      named.add(target.path)
      add(target.path, kind, target.confidence)
    }
  }
  addImports(view, path, named, (target, confidence) => add(target, 'import', confidence))
  return [...edges.values()]
}

/** Of a package that is many files, those that the file names something of. */
function addImports(
  view: CodeView,
  path: string,
  named: ReadonlySet<string>,
  add: (target: string, confidence: number) => void,
): void {
  const file = view.file(path)
  if (file === undefined) return
  for (let index = 0; index < file.fileIndex.imports.length; index++) {
    const { paths, confidence } = file.resolveImport(index)
    const used = paths.length > 1 ? paths.filter((target) => named.has(target)) : paths
    for (const target of used.length > 0 ? used : paths.slice(0, maxUnnamedFiles))
      add(target, confidence)
  }
}
