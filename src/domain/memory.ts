// Memories: what is remembered about a repository, with provenance and trust.

import type { MemoryType } from '../contract/enums.ts'

export { type MemoryType, memoryTypes } from '../contract/enums.ts'

/**
 * Who wrote the text. `person`: a user who may see the repository. `repository`: it is in the
 * default branch, so that someone merged it. `derived`: computed from code and reviews. `model`: a
 * model.
 */
export type MemoryTrust = 'person' | 'repository' | 'derived' | 'model'

export interface Provenance {
  /** The part of Umpire that wrote it. */
  readonly source: 'scan' | 'graph' | 'review' | 'person'
  readonly commit?: string
  /** The file with the text, if it isn't the file that the memory is about. */
  readonly file?: string
  /** 1-based, in `file`. */
  readonly line?: number
  readonly pullRequest?: number
  readonly user?: string
  /** Name of the model that wrote the text. */
  readonly model?: string
  /** Digest of the sources. The text of a model is reused until it changes. */
  readonly basis?: string
}

export interface NewMemory {
  readonly type: MemoryType
  /**
   * What the memory is about: a path, a login or the slug of a title. A newer memory with the same
   * repository, type and subject replaces the older one.
   */
  readonly subject: string
  readonly text: string
  /** File or directory, `.` for the root; null if it isn't about one path. */
  readonly path: string | null
  /**
   * Only in the project map: `directory`, `module`, `service`, `api`, `model`, `config`, `test`,
   * `script`, `document` and others.
   */
  readonly componentType: string | null
  readonly trust: MemoryTrust
  readonly provenance: Provenance
}

export interface Memory extends NewMemory {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A memory that applies to a change. Untrusted unless a person wrote it. */
export interface AppliedMemory {
  readonly id: string
  readonly type: string
  readonly text: string
  readonly path: string | null
  readonly trust: MemoryTrust
  /** A file at a commit of the default branch, or the user who wrote the memory. */
  readonly source:
    | { readonly commit: string; readonly path: string; readonly line: number | null }
    | { readonly user: string }
    | null
}
