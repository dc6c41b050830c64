// Splits a list in brackets at its commas, in any language with brackets and quotation marks.

/** Characters of a list that are read. */
const maxListChars = 3_000

const closingOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/**
 * Returns the trimmed items of a list; undefined if its end isn't found, or it holds a comment.
 *
 * @param from the index of the opening bracket
 * @param hasTypes whether `<` opens a bracket too
 */
// oxlint-disable-next-line complexity -- to be replaced by the parser
export function splitList(text: string, from: number, hasTypes = false): string[] | undefined {
  const open: string[] = []
  const items: string[] = []
  let start = from + 1
  for (let at = from; at < Math.min(text.length, from + maxListChars); at++) {
    const sign = text[at]!
    if (isComment(text, at)) return undefined
    if (/["'`]/.test(sign)) {
      at = findQuoteEnd(text, at)
      if (at === -1) return undefined
    } else if (closingOf[sign] !== undefined) open.push(closingOf[sign])
    else if (hasTypes && sign === '<') open.push('>')
    else if (hasTypes && sign === '>' && open.at(-1) === '>' && !/[=-]/.test(text[at - 1]!))
      open.pop()
    else if (/[)\]}]/.test(sign)) {
      if (open.pop() !== sign) return undefined
      if (open.length === 0) return cleanItems([...items, text.slice(start, at)])
    } else if (sign === ',' && open.length === 1) {
      items.push(text.slice(start, at))
      start = at + 1
    }
  }
  return undefined
}

/** The index of the closing quotation mark; -1 if there is none. */
function findQuoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < Math.min(text.length, from + maxListChars); at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[from]) return at
  }
  return -1
}

function isComment(text: string, at: number): boolean {
  if (text[at] === '/') return text[at + 1] === '/' || text[at + 1] === '*'
  // In JavaScript, `.#name` is a private member.
  return text[at] === '#' && text[at - 1] !== '.'
}

/** Drops the empty item after a trailing comma. Returns undefined if another item is empty. */
function cleanItems(items: readonly string[]): string[] | undefined {
  const trimmed = items.map((item) => item.trim())
  if (trimmed.at(-1) === '') trimmed.pop()
  return trimmed.includes('') ? undefined : trimmed
}

/** Removes the content of quotation marks and brackets, but not the marks and brackets. */
export function hollowOut(code: string): string {
  let hollow = code.replaceAll(/(["'`])(?:\\.|(?!\1).)*\1/gs, '$1$1')
  for (let depth = 0; depth < 5; depth++)
    hollow = hollow
      .replaceAll(/\([^()[\]{}]+\)/g, '()')
      .replaceAll(/\[[^()[\]{}]+\]/g, '[]')
      .replaceAll(/\{[^()[\]{}]+\}/g, '{}')
  return hollow
}
