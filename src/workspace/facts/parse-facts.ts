// From the text of a file to its facts: parses it with a grammar that is loaded. Runs in worker threads.
import { Parser } from 'web-tree-sitter'
import type { CodeFacts } from '../code-facts.ts'
import { type GrammarName, loadGrammar } from '../grammars.ts'
import { readFacts } from './read-facts.ts'
import { keepScripts, type SourceKind } from './source-kind.ts'

type Grammar = Awaited<ReturnType<typeof loadGrammar>>

/** Reads files of one kind; throws nothing for what they hold. */
export interface FactParser {
  /**
   * @param until when to give up, by `performance.now()`
   * @returns undefined when it got too late: the parser can't be used any more
   */
  parse(text: string, until: number): CodeFacts | undefined
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
    parse(text, until) {
      const isTooLate = () => performance.now() > until
      const source = kind === 'embedded' ? keepScripts(text) : text
      const tree = parser.parse(source, null, { progressCallback: isTooLate })
      if (!tree) return undefined
      try {
        return readFacts(tree, name, source, isTooLate)
      } finally {
        tree.delete()
      }
    },
  }
}
