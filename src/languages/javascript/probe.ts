// Finds the file of a module path without extension, as bundlers and the TypeScript compiler do.

import { joinFolder, joinPath } from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import type { ScriptPackage } from '../common/import-config.ts'

/** Extensions to try, in the order of precedence. */
const extensions = `.ts .tsx .d.ts .mts .cts .js .jsx .mjs .cjs .svelte .vue .astro .json
  .d.mts .d.cts .web.ts .web.tsx .native.ts .native.tsx .ios.tsx .android.tsx
  .svelte.ts .svelte.js`.split(/\s+/)
const indexFiles = `index.ts index.tsx index.d.ts index.mts index.js index.jsx index.mjs index.cjs
  index.svelte index.vue index.json`.split(/\s+/)

/** Imports in TypeScript can name the compiled file instead of the source. */
const sourcesByCompiled: readonly (readonly [ending: string, sources: readonly string[]])[] = [
  ['.js', ['.ts', '.tsx', '.d.ts', '.jsx']],
  ['.jsx', ['.tsx', '.d.ts']],
  ['.mjs', ['.mts', '.d.mts']],
  ['.cjs', ['.cts', '.d.cts']],
]

export type ProbeScript = (base: string) => string | undefined

/** @param packageIn finds the package.json in a folder, whose entries precede its index file */
export function createScriptProbe(
  tree: FileTree,
  packageIn: (folder: string) => ScriptPackage | undefined,
): ProbeScript {
  const probeFile = (base: string): string | undefined => {
    for (const [ending, sources] of sourcesByCompiled) {
      if (!base.endsWith(ending)) continue
      const stem = base.slice(0, -ending.length)
      const source = sources.find((extension) => tree.has(stem + extension))
      if (source !== undefined) return stem + source
    }
    if (tree.has(base)) return base
    const extension = extensions.find((candidate) => tree.has(base + candidate))
    return extension === undefined ? undefined : base + extension
  }
  const probeIndexFile = (folder: string): string | undefined => {
    if (!tree.hasFolder(folder)) return undefined
    const filename = indexFiles.find((candidate) => tree.has(joinFolder(folder, candidate)))
    return filename === undefined ? undefined : joinFolder(folder, filename)
  }
  const probeEntries = (folder: string): string | undefined => {
    for (const entry of packageIn(folder)?.entries ?? []) {
      const target = joinPath(folder, entry)
      if (target === undefined) continue
      const found = probeFile(target) ?? probeIndexFile(target)
      if (found !== undefined) return found
    }
    return undefined
  }
  const probeFolder = (folder: string): string | undefined =>
    tree.hasFolder(folder) ? (probeEntries(folder) ?? probeIndexFile(folder)) : undefined
  return (base) => {
    if (base === '') return probeFolder(base)
    const stem = base.replace(/\.[mc]?jsx?$/, '')
    // The stems of a folder are cached: this rules out most names without trying all extensions.
    if (!tree.hasStem(stem) && !tree.has(base)) return undefined
    return probeFile(base) ?? probeFolder(base)
  }
}
