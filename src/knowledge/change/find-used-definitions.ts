// Finds definitions in unchanged files that changed lines use.
import type { UsedDefinition } from '../../domain/change-graph.ts'
import type { CodeView } from '../resolution/code-model.ts'
import { type ReferenceTarget, resolveReferences } from '../resolution/resolve-references.ts'
import type { ChangedFile } from './changed-file.ts'
import { qualifiedNameOf } from './compare-symbols.ts'

/** With a lower confidence, a reference more likely means another definition. */
const minConfidence = 0.4

/** Sorts the definitions by the number of their uses. */
export function findUsedDefinitions(
  view: CodeView,
  files: readonly ChangedFile[],
): UsedDefinition[] {
  const changedPaths = new Set(files.map(({ diff }) => diff.path))
  const found = new Map<string, { definition: UsedDefinition; useCount: number }>()
  for (const file of files) {
    for (const { line, target } of listChangedReferences(view, file)) {
      if (changedPaths.has(target.path) || target.confidence < minConfidence) continue
      const key = `${target.ordinal} ${target.path}`
      const known = found.get(key)
      if (known !== undefined) {
        known.useCount++
        continue
      }
      const definition = describeDefinition(view, target, { path: file.diff.path, line })
      if (definition !== undefined) found.set(key, { definition, useCount: 1 })
    }
  }
  return [...found.values()]
    .sort((a, b) => b.useCount - a.useCount || b.definition.confidence - a.definition.confidence)
    .map(({ definition }) => definition)
}

/** Yields the references in changed lines with their most likely targets. */
function* listChangedReferences(
  view: CodeView,
  { diff, after, lines }: ChangedFile,
): Generator<{ line: number; target: ReferenceTarget }> {
  if (after === null) return
  for (const { reference, targets } of resolveReferences(view, diff.path)) {
    const line = after.fileIndex.references[reference]?.line
    if (line === undefined || !lines.added.has(line)) continue
    const [target] = targets.toSorted((a, b) => b.confidence - a.confidence)
    if (target !== undefined) yield { line, target }
  }
}

function describeDefinition(
  view: CodeView,
  { path, ordinal, confidence }: ReferenceTarget,
  usedAt: UsedDefinition['usedAt'],
): UsedDefinition | undefined {
  const fileIndex = view.fileIndex(path)
  const symbol = fileIndex?.symbols[ordinal]
  if (fileIndex === undefined || symbol === undefined) return undefined
  const { startLine, endLine, signature } = symbol
  return {
    path,
    line: startLine,
    endLine,
    name: qualifiedNameOf(fileIndex, ordinal),
    signature,
    usedAt,
    confidence,
  }
}
