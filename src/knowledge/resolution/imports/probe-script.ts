// Finds the file that a module's path without its extension means, as bundlers and the TypeScript compiler do.

import type { ScriptPackage } from '../import-config.ts'
import { joinFolder, joinPath } from '../paths.ts'
import type { FileTree } from './file-tree.ts'

/** In the order in which they are looked for. */
const extensions =
  '.ts .tsx .d.ts .mts .cts .js .jsx .mjs .cjs .svelte .vue .astro .json .d.mts .d.cts .web.ts .web.tsx .native.ts .native.tsx .ios.tsx .android.tsx .svelte.ts .svelte.js'.split(
    ' ',
  )
const indexes = [
  'index.ts',
  'index.tsx',
  'index.d.ts',
  'index.mts',
  'index.js',
  'index.jsx',
  'index.mjs',
  'index.cjs',
  'index.svelte',
  'index.vue',
  'index.json',
]

/** What stands for what: code names the file as it will be once compiled. */
const compiled: readonly (readonly [ending: string, sources: readonly string[]])[] = [
  ['.js', ['.ts', '.tsx', '.d.ts', '.jsx']],
  ['.jsx', ['.tsx', '.d.ts']],
  ['.mjs', ['.mts', '.d.mts']],
  ['.cjs', ['.cts', '.d.cts']],
]

export type ProbeScript = (base: string) => string | undefined

/** @param packageIn the package.json in a folder, whose entries come before its index file */
export function createScriptProbe(
  tree: FileTree,
  packageIn: (folder: string) => ScriptPackage | undefined,
): ProbeScript {
  const asFile = (base: string): string | undefined => {
    for (const [ending, sources] of compiled) {
      if (!base.endsWith(ending)) continue
      const stem = base.slice(0, -ending.length)
      for (const source of sources) if (tree.has(stem + source)) return stem + source
    }
    if (tree.has(base)) return base
    for (const extension of extensions) if (tree.has(base + extension)) return base + extension
    return undefined
  }
  const asFolder = (folder: string, withEntries: boolean): string | undefined => {
    if (!tree.hasFolder(folder)) return undefined
    const entries = withEntries ? (packageIn(folder)?.entries ?? []) : []
    for (const entry of entries) {
      const target = joinPath(folder, entry)
      const found = target === undefined ? undefined : (asFile(target) ?? asFolder(target, false))
      if (found !== undefined) return found
    }
    for (const index of indexes) {
      const path = joinFolder(folder, index)
      if (tree.has(path)) return path
    }
    return undefined
  }
  return (base) => {
    if (base === '') return asFolder(base, true)
    const stem = base.replace(/\.[mc]?jsx?$/, '')
    return tree.hasStem(stem) || tree.has(base) ? (asFile(base) ?? asFolder(base, true)) : undefined
  }
}
