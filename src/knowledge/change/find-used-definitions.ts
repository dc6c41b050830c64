// Finds what changed lines use of files that the change leaves alone.
import type { UsedDefinition } from '../../domain/change-graph.ts'
import { type CodeView, resolveReferences } from '../resolution/resolve-references.ts'
import type { ChangedFile } from './changed-file.ts'
import { qualifiedNameOf } from './compare-symbols.ts'

/** Below it, it would more likely be something else. */
const minConfidence = 0.4

/** Definitions outside of the change that its lines use, the most used first. */
export function findUsedDefinitions(
  view: CodeView,
  files: readonly ChangedFile[],
): UsedDefinition[] {
  const changed = new Set(files.map(({ diff }) => diff.path))
  const found = new Map<string, { definition: UsedDefinition; uses: number }>()
  for (const { diff, after, lines } of files) {
    if (after === null) continue
    for (const { reference: at, targets } of resolveReferences(view, diff.path)) {
      const reference = after.fileIndex.references[at]
      const target = targets.reduce<(typeof targets)[number] | undefined>(
        (best, one) => (best === undefined || one.confidence > best.confidence ? one : best),
        undefined,
      )
      if (reference === undefined || !lines.added.has(reference.line)) continue
      if (target === undefined || changed.has(target.path) || target.confidence < minConfidence)
        continue
      const key = `${target.ordinal} ${target.path}`
      const known = found.get(key)
      if (known !== undefined) known.uses++
      else {
        const definition = describeDefinition(view, target, {
          path: diff.path,
          line: reference.line,
        })
        if (definition !== undefined) found.set(key, { definition, uses: 1 })
      }
    }
  }
  return [...found.values()]
    .sort((a, b) => b.uses - a.uses || b.definition.confidence - a.definition.confidence)
    .map(({ definition }) => definition)
}

function describeDefinition(
  view: CodeView,
  { path, ordinal, confidence }: { path: string; ordinal: number; confidence: number },
  usedAt: UsedDefinition['usedAt'],
): UsedDefinition | undefined {
  const facts = view.fileIndex(path)
  const symbol = facts?.symbols[ordinal]
  if (facts === undefined || symbol === undefined) return undefined
  const { startLine, endLine, signature } = symbol
  return {
    path,
    line: startLine,
    endLine,
    name: qualifiedNameOf(facts, ordinal),
    signature,
    usedAt,
    confidence,
  }
}
