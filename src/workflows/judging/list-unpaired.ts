// Lists brackets and quotes without a partner, to check code without a grammar.

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Returns the unpaired brackets, then the unpaired quotes. Text between two quotes of a line is
 * skipped; comments aren't recognized.
 */
export function listUnpaired(text: string): string {
  const brackets: string[] = []
  let quotes = ''
  let quote = ''
  for (let at = 0; at <= text.length; at++) {
    const character = text[at] ?? '\n'
    if (character === '\n') {
      quotes += quote
      quote = ''
    } else if (character === '\\') at += text[at + 1] === '\n' ? 0 : 1
    else if (quote !== '') quote = character === quote ? '' : quote
    else if ('"\'`'.includes(character)) quote = character
    else if ('([{'.includes(character)) brackets.push(character)
    else if (partners[character] !== undefined) {
      if (brackets.at(-1) === partners[character]) brackets.pop()
      else brackets.push(character)
    }
  }
  return brackets.join('') + quotes
}
