// Whether a suggested replacement may be offered to be committed as it is.
import type { Finding } from '../domain/finding.ts'

/**
 * Applies a finding's suggestion to the lines of its file at the head and returns it, or null when it isn't to be
 * offered: on the old side, without any change, or where a model's replacement starts at another indentation or
 * leaves brackets or quotes without their partners that had them before. That is no parser: it takes no account of
 * comments, and what it is unsure of it refuses.
 */
export function checkSuggestion(
  lines: readonly string[] | undefined | null,
  finding: Pick<Finding, 'rule' | 'side' | 'startLine' | 'endLine' | 'suggestion'>,
): string | null {
  const { suggestion, startLine, endLine } = finding
  if (suggestion === null || finding.side !== 'RIGHT' || !lines || endLine > lines.length) return null
  const replaced = lines.slice(startLine - 1, endLine).join('\n')
  if (replaced === suggestion) return null
  if (finding.rule !== null) return suggestion
  if (indentationOf(suggestion) !== indentationOf(replaced)) return null
  if (listUnpaired(suggestion) === listUnpaired(replaced)) return suggestion
  const after = [...lines.slice(0, startLine - 1), suggestion, ...lines.slice(endLine)].join('\n')
  return listUnpaired(after).length < listUnpaired(lines.join('\n')).length ? suggestion : null
}

function indentationOf(text: string): string {
  return /^[ \t]*/.exec(text)![0]
}

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** The brackets, then the quotes, that have no partner. What stands between two quotes of a line doesn't count. */
function listUnpaired(text: string): string {
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
