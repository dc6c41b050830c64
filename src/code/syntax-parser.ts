// What the syntax of a source file says: its definitions, and whether it can be parsed at all.
import { ThreadPool } from '../lib/thread-pool.ts'
import type { FileIndex } from './code-index.ts'
import { dataFormatOf } from './data-format.ts'
import { grammarOfPath } from './grammars.ts'
import { sourceKindOf } from './indexing/source-kind.ts'
import type { Definition } from './outline.ts'
import type { SyntaxAnswer, SyntaxRequest } from './syntax-worker.ts'

/** Larger files are written by programs, not by people. */
const maxFileBytes = 512 * 1024

/** Parses in threads of its own, with a deadline. Nothing here throws for what a file holds. */
export interface SyntaxParser {
  /** The same threads, which are shared out among such parties by turns. */
  forOwner(party: string): SyntaxParser
  /** Starts a thread ahead of the first question, which will be about such a file. */
  warmUp(path: string): void
  /** How many places of the text can't be parsed; undefined where there is no grammar, or it took too long. */
  countErrors(path: string, text: string): Promise<number | undefined>
  /** The definitions of a file, by their beginnings; undefined where there is no grammar, or it took too long. */
  outline(path: string, text: string): Promise<readonly Definition[] | undefined>
  /** What a file says by itself; undefined where there is no grammar, or it took too long. Of many files: see `createFileIndexer`. */
  indexFile(path: string, text: string): Promise<FileIndex | undefined>
}

export interface SyntaxParserOptions {
  /** Default 2. */
  readonly threads?: number
  /** Time for one file, in milliseconds; default 2,000. */
  readonly fileDeadlineMs?: number
}

/** Makes the parser of a process. Threads are started on first use; dispose of it to end them. */
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

function createPoolParser(pool: Pool, party?: string): SyntaxParser {
  const run = async (request: SyntaxRequest): Promise<SyntaxAnswer | undefined> => {
    if (request.text.length > maxFileBytes) return undefined
    const outcome = await pool.run(request, { tenant: party })
    return outcome.outcome === 'done' ? outcome.result : undefined
  }
  const ask = async (
    want: 'errors' | 'outline',
    path: string,
    text: string,
  ): Promise<SyntaxAnswer | undefined> => {
    const grammar = grammarOfPath(path)
    return grammar === undefined ? undefined : run({ want, grammar, text })
  }
  return {
    forOwner: (name) => createPoolParser(pool, name),
    warmUp(path) {
      const grammar = grammarOfPath(path)
      pool.warmUp(grammar && { want: 'errors', grammar, text: '' })
    },
    countErrors: async (path, text) => {
      const format = dataFormatOf(path)
      const answer = format
        ? await run({ want: 'data errors', format, text })
        : await ask('errors', path, text)
      return answer?.errors
    },
    indexFile: async (path, text) => {
      const kind = sourceKindOf(path)
      return kind && (await run({ want: 'facts', kind, text }))?.index
    },
    outline: async (path, text) => (await ask('outline', path, text))?.outline,
  }
}
