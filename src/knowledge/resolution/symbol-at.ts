// Looks up the symbol at a location.
import type { CodeSymbol } from '../../languages/code-index.ts'
import type { CodeView, SymbolLocation } from './code-model.ts'

/** Returns undefined if the file's index entry isn't loaded. */
export function symbolAt(
  view: CodeView,
  { path, ordinal }: SymbolLocation,
): CodeSymbol | undefined {
  return view.fileIndex(path)?.symbols[ordinal]
}
