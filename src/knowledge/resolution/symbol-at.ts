// Finds the symbol of a place.
import type { CodeSymbol } from '../../code/code-index.ts'
import type { CodeView, SymbolLocation } from './code-model.ts'

/** The symbol of a place; undefined where its file's facts aren't there. */
export function symbolAt(
  view: CodeView,
  { path, ordinal }: SymbolLocation,
): CodeSymbol | undefined {
  return view.fileIndex(path)?.symbols[ordinal]
}
