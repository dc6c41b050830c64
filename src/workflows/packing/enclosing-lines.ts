// Finds what encloses a line by indentation, for files without a grammar and blocks without a name.

/**
 * Something that encloses lines: a function, a class, a call with a block. Lines are 1-based, both
 * ends included.
 */
export interface Enclosing {
  readonly startLine: number
  readonly endLine: number
  /** Its beginning on one line. */
  readonly signature: string
}

/** Lines are looked through so far in each direction. */
const mostLines = 3_000
const longestSignature = 120
/** The end of a block that began above, or the beginning of one on a line of its own. */
const bracket = /^[)}\]{]/

/** Returns the nearest block around a line; empty at the top level. */
export function findEnclosing(lines: readonly string[], line: number): Enclosing[] {
  const inner = indentOf(lines[line - 1] ?? '')
  let startsAbove = Infinity
  for (let at = line - 1; at >= 1 && at > line - mostLines; at--) {
    const text = lines[at - 1]!
    const indent = indentOf(text)
    if (indent >= Math.min(inner, startsAbove)) continue
    if (bracket.test(text.trimStart())) {
      startsAbove = indent + 1
      continue
    }
    const signature = text.slice(0, longestSignature).trim()
    return [{ startLine: at, endLine: findEnd(lines, line, indent), signature }]
  }
  return []
}

/** Returns the width of the white space before a line's text; `Infinity` for an empty line. */
export function indentOf(text: string): number {
  let width = 0
  for (let at = 0; at < text.length && at < 200; at++) {
    const code = text.charCodeAt(at)
    if (code === 32) width++
    else if (code === 9) width += 4
    else return width
  }
  return Infinity
}

function findEnd(lines: readonly string[], line: number, indent: number): number {
  let last = line
  for (let at = line + 1; at <= lines.length && at < line + mostLines; at++) {
    const text = lines[at - 1]!
    const width = indentOf(text)
    if (width <= indent) return bracket.test(text.trimStart()) ? at : last
    if (width < Infinity) last = at
  }
  return last
}
