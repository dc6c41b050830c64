// From the text of a file to its facts: parses it with a grammar that is loaded. Runs in worker threads.
import { Parser } from 'web-tree-sitter'
import type { CodeFacts } from '../code-facts.ts'
import { type GrammarName, loadGrammar } from '../grammars.ts'
import { languageSpecs } from './languages/index.ts'
import { readFacts } from './read-facts.ts'
import { keepScripts, type SourceKind } from './source-kind.ts'

type Grammar = Awaited<ReturnType<typeof loadGrammar>>

/** Reads files of one kind; throws nothing for what they hold. */
export interface FactParser {
  /**
   * @param deadlineMs time to work on it: of this thread alone, a busy machine is no mistake of the file
   * @returns undefined when it got too late: the parser can't be used any more
   */
  parse(text: string, deadlineMs: number): CodeFacts | undefined
}

// Constant once made, and of the thread.
const parsers = new Map<SourceKind, Promise<FactParser>>()

/** The parser of a thread for files of that kind, which reads many, one after the other. */
export function loadFactParser(kind: SourceKind): Promise<FactParser> {
  const known = parsers.get(kind)
  if (known) return known
  const made = createFactParser(kind)
  parsers.set(kind, made)
  return made
}

async function createFactParser(kind: SourceKind): Promise<FactParser> {
  const name: GrammarName = kind === 'embedded' ? 'typescript' : kind
  const grammar: Grammar = await loadGrammar(name)
  const parser = new Parser()
  parser.setLanguage(grammar)
  return {
    parse(text, deadlineMs) {
      const isTooLate = startClock(deadlineMs)
      const source = kind === 'embedded' ? keepScripts(text) : text
      const tree = parser.parse(languageSpecs[name].prepare?.(source) ?? source, null, {
        progressCallback: isTooLate,
      })
      if (!tree) return undefined
      try {
        return readFacts(tree, name, source, isTooLate)
      } finally {
        tree.delete()
      }
    },
  }
}

/** Asking for the time takes some itself: most questions are answered without. */
function startClock(deadlineMs: number): () => boolean {
  const start = process.threadCpuUsage()
  let asked = 0
  return () => {
    if (asked++ % 16 !== 0) return false
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000 > deadlineMs
  }
}
