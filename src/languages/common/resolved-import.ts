// The result of resolving an import.
import type { CodeImport } from '../code-index.ts'

export interface ResolvedImport {
  /**
   * - `inside`: a file of the tree
   * - `outside`: a library or unknown
   * - `missing`: a file that the tree must contain and does not
   */
  readonly kind: 'inside' | 'outside' | 'missing'
  /** Contains the files of the imported package or module, the most likely first. */
  readonly paths: readonly string[]
  /** Is between 0 and 1. */
  readonly confidence: number
}

/** Finds the target of an import in the file at `path`. */
export type ResolveImport = (path: string, item: CodeImport) => ResolvedImport

export const externalImport: ResolvedImport = { kind: 'outside', paths: [], confidence: 0.9 }
export const missingImport: ResolvedImport = { kind: 'missing', paths: [], confidence: 0.9 }

export function resolvedTo(paths: string | readonly string[], confidence: number): ResolvedImport {
  return { kind: 'inside', paths: typeof paths === 'string' ? [paths] : paths, confidence }
}
