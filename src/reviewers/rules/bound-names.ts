// Finds out from the text of a file whether it binds a name that the code index misses.
import { extname } from 'node:path'
import type { FileLines } from '../../git/line-reader.ts'

const maxLineLength = 1_000

/** Builds the pattern of statements that bind a name, given the escaped name. */
type Binders = (word: string) => RegExp

const scripts: Binders = (word) => new RegExp(`\\bexport\\s+import\\s+(?:type\\s+)?${word}\\s*=`)

/** `type T =`, `for i in`, `with … as f` and `j :=` at the top, and `global g` in a function. */
const python: Binders = (word) =>
  new RegExp(
    [
      `^type\\s+${word}`,
      `^for\\b(?:(?!\\bin\\b)[^:])*${word}`,
      `^with\\b.*\\bas\\s{1,9}(?:\\([^)]{0,99})?${word}`,
      `^\\S.*${word}\\s{0,9}:=`,
      `^\\s*global\\b.*${word}`,
    ].join('|'),
  )

/**
 * Whether a file that others import names from still binds one.
 *
 * @param path of the file
 * @param lines of the file
 */
export function bindsName(path: string, lines: FileLines, name: string): boolean {
  if (!lines) return false
  const word = `(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`
  const extension = extname(path).toLowerCase()
  if (/^\.pyi?$/.test(extension)) return lines.some(testLine(python(word)))
  if (!/^\.[cm]?[jt]sx?$/.test(extension)) return false
  return lines.some(testLine(scripts(word))) || listsExport(lines, word)
}

function testLine(pattern: RegExp): (line: string) => boolean {
  return (line) => pattern.test(line.slice(0, maxLineLength))
}

/** Whether an `export { … }` lists the name as the one that importers use. */
function listsExport(lines: readonly string[], word: string): boolean {
  const named = new RegExp(`${word}(?!\\s+as\\b)`)
  let isOpen = false
  for (const whole of lines) {
    let rest = whole.slice(0, maxLineLength)
    if (!isOpen) {
      const opening = /\bexport\s+(?:type\s+)?\{/.exec(rest)
      if (!opening) continue
      rest = rest.slice(opening.index + opening[0].length)
    }
    const end = rest.indexOf('}')
    if (named.test(end === -1 ? rest : rest.slice(0, end + 1))) return true
    isOpen = end === -1
  }
  return false
}
