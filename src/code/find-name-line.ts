// Finds the line with the name of a definition.
import type { CodeSymbol } from '../languages/code-index.ts'

/**
 * Returns the 1-based line of a definition's name. Annotations and a return type can stand on lines
 * of their own before it.
 *
 * @param lines of the file
 */
export function findNameLine(
  lines: readonly string[],
  { name, startLine, endLine }: Pick<CodeSymbol, 'name' | 'startLine' | 'endLine'>,
): number {
  const before = lines.slice(startLine - 1, endLine).findIndex((text) => text.includes(name))
  return startLine + Math.max(0, before)
}
