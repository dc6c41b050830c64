// Splits what stands in round brackets at its commas, in any language with brackets and quotation marks. Pure.

/** Longest list that is looked through, in characters. */
const longestList = 3_000

const closingOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/**
 * The items of a list, trimmed; undefined where its end isn't seen, or comments may hold anything.
 *
 * @param from where the list's bracket opens
 * @param hasTypes where `<` opens a bracket too
 */
export function splitList(text: string, from: number, hasTypes = false): string[] | undefined {
  const open: string[] = []
  const items: string[] = []
  let start = from + 1
  for (let at = from; at < Math.min(text.length, from + longestList); at++) {
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

/** Where a text ends that opens at a quotation mark; -1 where it doesn't. */
function findQuoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < Math.min(text.length, from + longestList); at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[from]) return at
  }
  return -1
}

function isComment(text: string, at: number): boolean {
  if (text[at] === '/') return text[at + 1] === '/' || text[at + 1] === '*'
  // A private member of JavaScript is none.
  return text[at] === '#' && text[at - 1] !== '.'
}

/** A comma may stand behind the last one. */
function cleanItems(items: readonly string[]): string[] | undefined {
  const trimmed = items.map((item) => item.trim())
  if (trimmed.at(-1) === '') trimmed.pop()
  return trimmed.includes('') ? undefined : trimmed
}

/** Code without what stands in quotation marks and in brackets, which stay, empty. */
export function hollowOut(code: string): string {
  let hollow = code.replaceAll(/(["'`])(?:\\.|(?!\1).)*\1/gs, '$1$1')
  for (let depth = 0; depth < 5; depth++)
    hollow = hollow
      .replaceAll(/\([^()[\]{}]+\)/g, '()')
      .replaceAll(/\[[^()[\]{}]+\]/g, '[]')
      .replaceAll(/\{[^()[\]{}]+\}/g, '{}')
  return hollow
}
