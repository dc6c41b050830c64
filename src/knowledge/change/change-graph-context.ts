// The dependencies that reading a change graph needs (types only).

import type { Db } from '../../db/database.ts'
import type { Log } from '../../lib/logger.ts'
import type { MemoryQuery } from '../memory/memory-query.ts'
import type { FoundMemory } from '../memory/search-memories.ts'
import type { CodeContext } from './code-context.ts'
import type { Fallbacks } from './fallbacks.ts'

export interface KnowledgeContext extends Omit<CodeContext, keyof Fallbacks> {
  readonly db: Db
  readonly log: Log
  /** Applies to each statement. */
  readonly queryTimeoutMs: number
  /** Searches memories; without it, they are searched by words alone. */
  readonly recall?: (
    repo: string,
    query: MemoryQuery,
    signal: AbortSignal,
  ) => Promise<FoundMemory[]>
  /** The enabled layers. */
  readonly layers: { readonly graph: boolean; readonly memory: boolean }
}

/** Adds the fallbacks that are collected for one change. */
export type ChangeGraphContext = KnowledgeContext & Fallbacks
