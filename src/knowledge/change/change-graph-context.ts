// What is needed to read what is known around a change: types only.

import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { Db } from '../../db/database.ts'
import type { Log } from '../../lib/logger.ts'
import type { MemoryQuery } from '../memory/memory-query.ts'
import type { FoundMemory } from '../memory/search-memories.ts'
import type { CodeCache } from './code-cache.ts'
import type { Fallbacks } from './fallbacks.ts'

export interface KnowledgeContext {
  readonly db: Db
  readonly syntax: Pick<SyntaxParser, 'indexFile'>
  readonly log: Log
  readonly codeCache: CodeCache
  /** For one statement. */
  readonly queryTimeoutMs: number
  /** Searches memories by more than their words; left out: by words alone. */
  readonly recall?: (
    repo: string,
    query: MemoryQuery,
    signal: AbortSignal,
  ) => Promise<FoundMemory[]>
  /** Which layers are on. */
  readonly layers: { readonly graph: boolean; readonly memory: boolean }
}

/** The same for one change. */
export type ChangeGraphContext = KnowledgeContext & Fallbacks
