// Reads from a go.mod what its module is called, and which others it replaces by folders.

import type { GoModule } from '../import-config.ts'
import { joinPath } from '../paths.ts'
import type { ManifestFile } from './manifest-file.ts'

const maxReplacements = 200

export function readGoModule({ folder, text }: ManifestFile): GoModule[] {
  const path = /^\s*module\s+"?([^\s"]+)"?/m.exec(text)?.[1]
  if (path === undefined) return []
  const replaced: (readonly [string, string])[] = []
  for (const line of text.split('\n', 5_000)) {
    const found = /^\s*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s+=>\s+(\.\.?\/\S*|\.)/.exec(
      line.slice(0, 500),
    )
    const target = found && joinPath(folder, found[2]!)
    if (typeof target === 'string' && replaced.length < maxReplacements)
      replaced.push([found![1]!, target])
  }
  return [{ folder, path, replaced }]
}
