// From the text of a file to its facts: parses it with a grammar that is loaded. Runs in worker threads.
import { Parser } from 'web-tree-sitter'
import type { FileIndex } from '../code-index.ts'
import { type GrammarName, loadGrammar } from '../grammars.ts'
import { indexTree } from './index-tree.ts'
import { languageSpecs } from './languages/index.ts'
import { blankMarkup, type SourceKind } from './source-kind.ts'

type Grammar = Awaited<ReturnType<typeof loadGrammar>>

/** Reads files of one kind; throws nothing for what they hold. */
export interface IndexParser {
  /**
   * @param deadlineMs time to work on it: of this thread alone, a busy machine is no mistake of the file
   * @returns undefined when it got too late: the parser can't be used any more
   */
  parse(text: string, deadlineMs: number): FileIndex | undefined
}

// Constant once made, and of the thread.
const parsers = new Map<SourceKind, Promise<IndexParser>>()

/** The parser of a thread for files of that kind, which reads many, one after the other. */
export function loadIndexParser(kind: SourceKind): Promise<IndexParser> {
  const known = parsers.get(kind)
  if (known) return known
  const made = createIndexParser(kind)
  parsers.set(kind, made)
  return made
}

async function createIndexParser(kind: SourceKind): Promise<IndexParser> {
  const name: GrammarName = kind === 'embedded' ? 'typescript' : kind
  const grammar: Grammar = await loadGrammar(name)
  const parser = new Parser()
  parser.setLanguage(grammar)
  return {
    parse(text, deadlineMs) {
      const isTooLate = createDeadlineCheck(deadlineMs)
      const source = kind === 'embedded' ? blankMarkup(text) : text
      const tree = parser.parse(languageSpecs[name].preprocess?.(source) ?? source, null, {
        progressCallback: isTooLate,
      })
      if (!tree) return undefined
      try {
        return indexTree(tree, name, source, isTooLate)
      } finally {
        tree.delete()
      }
    },
  }
}

/** Asking for the time takes some itself: most questions are answered without. */
function createDeadlineCheck(deadlineMs: number): () => boolean {
  const start = process.threadCpuUsage()
  let asked = 0
  return () => {
    if (asked++ % 16 !== 0) return false
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000 > deadlineMs
  }
}
