// Creates parsers that turn the text of a file into its index. Runs in worker threads.
import { Parser } from 'web-tree-sitter'
import type { FileIndex } from '../../languages/code-index.ts'
import { languageOfGrammarNamed } from '../../languages/index.ts'
import { loadGrammar } from '../grammars.ts'
import { indexTree } from './index-tree.ts'
import { blankMarkup, type SourceKind } from './source-kind.ts'

type Grammar = Awaited<ReturnType<typeof loadGrammar>>

/** Indexes files of one kind. Doesn't throw, whatever a file contains. */
export interface IndexParser {
  /**
   * @param deadlineMs CPU time of this thread, because a busy machine isn't the file's fault
   * @returns undefined after the deadline; the parser can't be used again then
   */
  parse(text: string, deadlineMs: number): FileIndex | undefined
}

// Parsers are reused, so each thread creates one per kind.
const parsers = new Map<SourceKind, Promise<IndexParser>>()

/** Returns this thread's parser for files of that kind. */
export function loadIndexParser(kind: SourceKind): Promise<IndexParser> {
  const existing = parsers.get(kind)
  if (existing) return existing
  const parser = createIndexParser(kind)
  parsers.set(kind, parser)
  return parser
}

async function createIndexParser(kind: SourceKind): Promise<IndexParser> {
  const name = kind === 'embedded' ? 'typescript' : kind
  const spec = await languageOfGrammarNamed(name).language.loadIndexSpec()
  const grammar: Grammar = await loadGrammar(name)
  const parser = new Parser()
  parser.setLanguage(grammar)
  return {
    parse(text, deadlineMs) {
      const isTooLate = createDeadlineCheck(deadlineMs)
      const source = kind === 'embedded' ? blankMarkup(text) : text
      const parsed = spec.preprocess?.(source) ?? source
      const tree = parser.parse(parsed, null, { progressCallback: isTooLate })
      if (!tree) return undefined
      try {
        return indexTree(tree, spec, source, isTooLate)
      } finally {
        tree.delete()
      }
    },
  }
}

/** Reads the CPU time only on every 16th call because reading it is slow. */
function createDeadlineCheck(deadlineMs: number): () => boolean {
  const start = process.threadCpuUsage()
  let calls = 0
  return () => {
    calls++
    if (calls % 16 !== 1) return false
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000 > deadlineMs
  }
}
