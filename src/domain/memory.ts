// What is remembered of a repository, and where each memory comes from.

import type { MemoryType } from '../contract/enums.ts'

export { type MemoryType, memoryTypes } from '../contract/enums.ts'

/**
 * How far it may be believed. `person`: somebody who may see the repository wrote it here.
 * `repository`: it stands in the default branch, so that somebody merged it. `derived`: computed
 * from code and reviews. `model`: a model's words about those.
 */
export type MemoryTrust = 'person' | 'repository' | 'derived' | 'model'

/** Where a memory comes from; what doesn't apply is left out. */
export interface Provenance {
  /** Which part of the program wrote it. */
  readonly source: 'scan' | 'graph' | 'review' | 'person'
  readonly commit?: string
  /** The file that says it, where that isn't the one it is about. */
  readonly file?: string
  /** Of that file, from 1. */
  readonly line?: number
  readonly pullRequest?: number
  /** Username. */
  readonly user?: string
  /** Name of the model whose words they are. */
  readonly model?: string
  /** Digest of what it rests on: while that stays the same, a model's words for it stand. */
  readonly basis?: string
}

/** A memory that is to be kept. */
export interface NewMemory {
  readonly type: MemoryType
  /**
   * What it is about, once in a repository and type: a newer one of the same subject supersedes it.
   * A path, a login, a title's slug.
   */
  readonly subject: string
  readonly text: string
  /** File or directory, `.` for the root; null where it is about no one place. */
  readonly path: string | null
  /**
   * Of the project map: `directory`, `module`, `service`, `api`, `model`, `config`, `test`,
   * `script`, `document`, …; else null.
   */
  readonly componentType: string | null
  readonly trust: MemoryTrust
  readonly provenance: Provenance
}

/** One that is kept. */
export interface Memory extends NewMemory {
  readonly id: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string
}
