// Parses source files in threads: syntax errors, definitions and the file index.

import type { FileIndex } from '../languages/code-index.ts'
import { parsedLanguageOfPath } from '../languages/index.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import { dataFormatOf } from './data-format.ts'
import { sourceKindOf } from './indexing/source-kind.ts'
import type { Definition } from './outline.ts'
import type { SyntaxAnswer, SyntaxRequest } from './syntax-worker.ts'

/** Larger files are usually generated. */
const maxFileBytes = 512 * 1024

/** Parses in its own threads, with a deadline. No content of a file makes it throw. */
export interface SyntaxParser {
  /** Returns a parser with the same threads, which are shared fairly among owners. */
  forOwner(owner: string): SyntaxParser
  /** Starts a thread before the first request, and loads the grammar for the path. */
  warmUp(path: string): void
  /** Counts syntax errors; undefined if there is no grammar, or parsing took too long. */
  countErrors(path: string, text: string): Promise<number | undefined>
  /** Lists definitions in the order of the text; undefined as for `countErrors`. */
  outline(path: string, text: string): Promise<readonly Definition[] | undefined>
  /** Indexes one file; undefined as for `countErrors`. See `createFileIndexer` for many files. */
  indexFile(path: string, text: string): Promise<FileIndex | undefined>
}

interface SyntaxParserOptions {
  /** The number of threads is 2 by default. */
  readonly threads?: number
  /** The time for one file in milliseconds; default 2,000. */
  readonly fileDeadlineMs?: number
}

/** Creates a parser. Threads are started on first use and end when it is disposed of. */
export function createSyntaxParser(
  options: SyntaxParserOptions = {},
): SyntaxParser & AsyncDisposable {
  const pool: Pool = new ThreadPool({
    module: new URL('./syntax-worker.ts', import.meta.url),
    threads: options.threads ?? 2,
    deadlineMs: options.fileDeadlineMs ?? 2_000,
    graceMs: 1_000,
  })
  return { ...createPoolParser(pool), [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
}

type Pool = ThreadPool<SyntaxRequest, SyntaxAnswer>

function createPoolParser(pool: Pool, owner?: string): SyntaxParser {
  const run = async (request: SyntaxRequest): Promise<SyntaxAnswer | undefined> => {
    if (request.text.length > maxFileBytes) return undefined
    const outcome = await pool.run(request, { tenant: owner })
    return outcome.outcome === 'done' ? outcome.result : undefined
  }
  const parseSource = async (
    want: 'errors' | 'outline',
    path: string,
    text: string,
  ): Promise<SyntaxAnswer | undefined> => {
    const grammar = parsedLanguageOfPath(path)?.grammar.name
    return grammar === undefined ? undefined : run({ want, grammar, text })
  }
  return {
    forOwner: (name) => createPoolParser(pool, name),
    warmUp(path) {
      const grammar = parsedLanguageOfPath(path)?.grammar.name
      pool.warmUp(grammar === undefined ? undefined : { want: 'errors', grammar, text: '' })
    },
    countErrors: async (path, text) => {
      const format = dataFormatOf(path)
      const answer = format
        ? await run({ want: 'data errors', format, text })
        : await parseSource('errors', path, text)
      return answer?.errors
    },
    indexFile: async (path, text) => {
      const kind = sourceKindOf(path)
      if (kind === undefined) return undefined
      const answer = await run({ want: 'index', kind, text })
      return answer?.index
    },
    outline: async (path, text) => {
      const answer = await parseSource('outline', path, text)
      return answer?.outline
    },
  }
}
