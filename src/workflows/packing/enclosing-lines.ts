// Finds what encloses a line by indentation, which is cheap and works for all languages.
import { readDefinedName } from './definition-lines.ts'

/**
 * Something that encloses lines: a function, a class, a call with a block. Lines are 1-based, both
 * ends included.
 */
export interface Enclosing {
  readonly startLine: number
  readonly endLine: number
  /** Its first line, and the next ones as far as a parenthesis is open, on one line. */
  readonly signature: string
}

/** Lines are looked through so far in each direction. */
const mostLines = 3_000
const longestSignature = 120
const mostSignatureLines = 6

/** Control flow keywords don't name what a line is a part of. */
const steers =
  /^(?:[)}\]]+\s*)?(?:if|for|foreach|while|switch|match|case|default|do|else|elif|elsif|try|catch|except|rescue|finally|ensure|with|using|select|when|unless|begin|return|throw|go|defer|lock|synchronized|unsafe)\b/
/**
 * What stands further out than the code around it, and encloses nothing: directives, comments,
 * labels.
 */
const stray = /^(?:#|\/\/|\/\*|\*|@|<<<|--|"""|'''|[\w ]+:$)/
/** A block's beginning on a line of its own, or the end of what began above. */
const goesOn = /^[)}\]{]/

/**
 * What encloses a line, outermost first: definitions, or where there are none the nearest block
 * that isn't one. Empty at the top level, and where the indentation says nothing.
 */
export function findEnclosing(lines: readonly string[], line: number): Enclosing[] {
  const found: Enclosing[] = []
  let inner = indentOf(lines[line - 1] ?? '')
  for (let at = line - 1; at >= 1 && at > line - mostLines && inner > 0; at--) {
    const text = lines[at - 1]!
    const indent = indentOf(text)
    const code = text.slice(0, 200).trim()
    if (code === '' || indent >= inner || stray.test(code)) continue
    // What began above stands as far out as this line.
    inner = goesOn.test(code) ? indent + 1 : indent
    if (goesOn.test(code) || steers.test(code)) continue
    found.unshift({
      startLine: at,
      endLine: findEnd(lines, line, indent),
      signature: readSignature(lines, at),
    })
  }
  const definitions = found.filter(({ startLine, signature }) => {
    const blank = isIndented(lines[startLine - 1]!) ? ' ' : ''
    return readDefinedName(`${blank}${signature} {`) !== undefined
  })
  return definitions.length > 0 ? definitions : found.slice(-1)
}

/** Whether a line is indented, so that something should enclose it. */
export function isIndented(text: string): boolean {
  return /^\s+\S/.test(text.slice(0, 200))
}

/** A tab is as wide as four blanks; of an empty line nothing is known. */
function indentOf(text: string): number {
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
    if (indentOf(text) > indent) {
      if (text.trim() !== '') last = at
      continue
    }
    const code = text.trim()
    if (stray.test(code)) continue
    return /^(?:[)}\]]|end\b)/.test(code) ? at : last
  }
  return last
}

function readSignature(lines: readonly string[], start: number): string {
  let signature = ''
  for (let at = start; at < start + mostSignatureLines && at <= lines.length; at++) {
    signature += ` ${lines[at - 1]!.slice(0, longestSignature).trim()}`
    const open = signature.split('(').length - signature.split(')').length
    if (open <= 0 || signature.length > longestSignature) break
  }
  return signature
    .trim()
    .slice(0, longestSignature)
    .replace(/\s*[{:]$/, '')
}
