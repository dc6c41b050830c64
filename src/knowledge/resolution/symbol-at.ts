// Finds the symbol of a place.
import type { CodeSymbol } from '../../workspace/code-facts.ts'
import type { CodeView, SymbolPlace } from './code-model.ts'

/** The symbol of a place; undefined where its file's facts aren't there. */
export function symbolAt(view: CodeView, { path, ordinal }: SymbolPlace): CodeSymbol | undefined {
  return view.facts(path)?.symbols[ordinal]
}
