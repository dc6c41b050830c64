// Reads the module path and the local replacements of a go.mod.

import { joinPath } from '../../lib/tree-paths.ts'
import type { GoModule } from '../common/import-config.ts'
import type { ManifestFile } from '../common/manifest-file.ts'

const maxReplacements = 200
const maxLines = 5_000
const maxLineLength = 500
const modulePath = /^\s*module\s+"?([^\s"]+)"?/m
/** Matches `replace example.com/cart v1.0.0 => ../cart`, also inside of a `replace` block. */
const localReplacement = /^\s*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s+=>\s+(\.\.?\/\S*|\.)/

export function readGoModule({ folder, text }: ManifestFile): GoModule[] {
  const path = modulePath.exec(text)?.[1]
  if (path === undefined) return []
  const replaced = text.split('\n', maxLines).flatMap((line) => {
    const [, replacedPath, target] = localReplacement.exec(line.slice(0, maxLineLength)) ?? []
    if (replacedPath === undefined || target === undefined) return []
    const targetFolder = joinPath(folder, target)
    return targetFolder === undefined ? [] : [[replacedPath, targetFolder] as const]
  })
  return [{ folder, path, replaced: replaced.slice(0, maxReplacements) }]
}
