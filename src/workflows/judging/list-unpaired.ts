// Brackets and quotes without their partners: what can be said of code that no parser reads.

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * The brackets, then the quotes, that have no partner. What stands between two quotes of a line doesn't count. That is
 * no parser: it takes no account of comments.
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
