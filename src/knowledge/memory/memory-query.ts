// What memories are searched for, and how well one fits.
import type { MemoryType } from '../../domain/memory.ts'
import type { Embedding } from './vectors.ts'

export interface MemoryQuery {
  /** Any text. */
  readonly text: string
  /** What an embedder makes of it; null or left out: it is searched by words alone. */
  readonly embedding?: Embedding | null | undefined
  /** What is about these files, or a directory that they are in, is found too, and counts more the nearer it is. */
  readonly paths?: readonly string[] | undefined
  /** All where it isn't given. */
  readonly types?: readonly MemoryType[] | undefined
  /** A file or directory: nothing but what is about it, or about what lies below it. */
  readonly path?: string | undefined
  readonly limit: number
}

/** A memory and how well it fits. */
export interface RankedMemory {
  readonly id: string
  readonly score: number
}
