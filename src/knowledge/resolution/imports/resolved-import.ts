// What an import comes to.
import type { CodeImport } from '../../../code/code-index.ts'

export interface ResolvedImport {
  /** `missing`: it must lead to a file of the tree, and there is none. `outside`: into a library, or nobody knows. */
  readonly kind: 'inside' | 'outside' | 'missing'
  /** Several where a package is many files, the most likely first. */
  readonly paths: readonly string[]
  /** From 0 to 1. */
  readonly confidence: number
}

/** Resolves the imports of one family's files. */
export type ResolveImport = (path: string, item: CodeImport) => ResolvedImport

export const externalImport: ResolvedImport = { kind: 'outside', paths: [], confidence: 0.9 }
export const missingImport: ResolvedImport = { kind: 'missing', paths: [], confidence: 0.9 }

export function resolvedTo(paths: string | readonly string[], confidence: number): ResolvedImport {
  return { kind: 'inside', paths: typeof paths === 'string' ? [paths] : paths, confidence }
}
