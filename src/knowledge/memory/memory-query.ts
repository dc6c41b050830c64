// Defines the types of memory searches and their results.
import type { MemoryType } from '../../domain/memory.ts'
import type { Embedding } from './vectors.ts'

/** `written`: by people, here or in the repository. `computed`: all others. */
export type MemoryOrigin = 'written' | 'computed'

export interface MemoryQuery {
  readonly text: string
  /** The embedding of `text`; without it the search uses words alone. */
  readonly embedding?: Embedding | null | undefined
  /** Memories about these files and their directories match too, the nearer the better. */
  readonly paths?: readonly string[] | undefined
  /** All types are searched by default. */
  readonly types?: readonly MemoryType[] | undefined
  /** Only memories that are about this file, or this directory and its contents, match. */
  readonly path?: string | undefined
  readonly origin?: MemoryOrigin | undefined
  readonly limit: number
}

export interface RankedMemory {
  readonly id: string
  readonly score: number
}
