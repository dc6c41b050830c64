// Makes text that others wrote harmless in a comment on the platform: it can say anything and do nothing.

/** A hidden character that breaks up mentions, references and commands without changing how they read. */
const joiner = '\u2060'

/**
 * Neutralises Markdown prose from a model or a repository: no images, no links but to `allowedLinks`, no HTML, no
 * mentions, no closing references, no chat commands, no hidden markers, no open code fence.
 *
 * @param maxLength in characters; what is longer is cut with an ellipsis
 */
export function neutralizeMarkdown(
  text: string,
  options: { maxLength: number; allowedLinks?: readonly string[] },
): string {
  const cut = cutText(removeInvisible(text), options.maxLength)
  const parts = splitCode(cut)
  return parts
    .map((part) => (part.isCode ? breakMarkers(part.text) : neutralizeProse(part.text, options.allowedLinks ?? [])))
    .join('')
}

/** Our own hidden markers, said by somebody else, no longer read as ours. */
function breakMarkers(text: string): string {
  return text.replace(/<!--(?=\s*umpire:)/gi, `<!--${joiner}`)
}

/** One line of plain text for a heading or a table cell: also no line breaks and no pipes. */
export function neutralizeLine(text: string, maxLength: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return neutralizeMarkdown(line, { maxLength }).replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()
}

/** Code as an inline code span, whatever backticks it holds. */
export function codeSpan(text: string): string {
  const clean = removeInvisible(text)
    .replace(/[\r\n\t]+/g, ' ')
    .replaceAll('|', '\\|')
  const fence = '`'.repeat(longestRun(clean, '`') + 1)
  const pad = clean.startsWith('`') || clean.endsWith('`') || clean.trim() === '' ? ' ' : ''
  return `${fence}${pad}${clean}${pad}${fence}`
}

/** A fenced block that its content can't end. */
export function codeFence(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  return `${fence}${language}\n${breakMarkers(text)}\n${fence}`
}

/** Control characters, and the invisible ones with which text hides or turns around. Line ends become LF. */
export function removeInvisible(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
      .replace(
        /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/g,
        '',
      )
      .replace(/[\u{e0000}-\u{e007f}]/gu, '')
  )
}

function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text
    .slice(0, maxLength - 2)
    .toWellFormed()
    .replace(/\ufffd$/, '')} …`
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const c of text) {
    run = c === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

/** Tells code (fenced blocks and spans) from prose. A fence that isn't closed is closed. */
function splitCode(text: string): { text: string; isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = []
  const lines = text.split('\n')
  let prose: string[] = []
  let at = 0
  const flush = () => {
    if (prose.length > 0) parts.push(...splitSpans(prose.join('\n')))
    prose = []
  }
  while (at < lines.length) {
    const opening = /^ {0,3}(`{3,}|~{3,})/.exec(lines[at] as string)
    if (!opening) {
      prose.push(`${lines[at]}${at < lines.length - 1 ? '\n' : ''}`)
      at += 1
      continue
    }
    const fence = opening[1] as string
    const end = lines.findIndex((line, index) => index > at && isClosing(line, fence))
    flush()
    const inner = lines.slice(at + 1, end === -1 ? undefined : end).join('\n')
    // The information string isn't kept: `suggestion` there would make a committable change of it.
    parts.push({ text: `${codeFence('', inner)}\n`, isCode: true })
    at = end === -1 ? lines.length : end + 1
  }
  if (prose.length > 0) parts.push(...splitSpans(prose.join('')))
  return parts
}

function isClosing(line: string, fence: string): boolean {
  const trimmed = line.trim()
  return trimmed.length >= fence.length && trimmed === (fence[0] as string).repeat(trimmed.length)
}

function splitSpans(text: string): { text: string; isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = []
  let rest = text
  for (;;) {
    const opening = /`+/.exec(rest)
    if (!opening) break
    const ticks = opening[0]
    const from = opening.index + ticks.length
    const closing = findRun(rest, ticks.length, from)
    if (closing === -1) {
      parts.push(
        { text: rest.slice(0, opening.index), isCode: false },
        { text: ticks.replaceAll('`', "'"), isCode: false },
      )
      rest = rest.slice(from)
      continue
    }
    parts.push({ text: rest.slice(0, opening.index), isCode: false })
    parts.push({ text: rest.slice(opening.index, closing + ticks.length).replaceAll('\n', ' '), isCode: true })
    rest = rest.slice(closing + ticks.length)
  }
  parts.push({ text: rest, isCode: false })
  return parts.filter((part) => part.text !== '')
}

function findRun(text: string, length: number, from: number): number {
  const runs = /`+/g
  runs.lastIndex = from
  for (let match = runs.exec(text); match; match = runs.exec(text)) if (match[0].length === length) return match.index
  return -1
}

/** A whole link or image, or what could be part of one that is nested. Each part is unambiguous: linear. */
const linkParts = /!?\[([^[\]\n]*)\]\(<?([^()\s<>]*)>?(?:\s[^()\n]*)?\)|\](?=[([:])|!(?=\[)/g

function neutralizeProse(text: string, allowedLinks: readonly string[]): string {
  const isAllowed = (url: string) => allowedLinks.some((prefix) => url.startsWith(prefix))
  return (
    text
      // Images and links: the words stay, the address goes unless it is known.
      .replace(linkParts, (match: string, words?: string, url = '') => {
        if (words === undefined) return match === '!' ? '' : `]${joiner}`
        return isAllowed(url) ? `[${words}](${url})` : words
      })
      .replace(/\b(?:https?|ftp|file|data|javascript|vbscript):[^\s<>()\]]{1,2000}/gi, (url) =>
        isAllowed(url) ? url : url.replace(':', `${joiner}:`).replaceAll('.', `${joiner}.`),
      )
      .replace(/\bwww\./gi, `www${joiner}.`)
      // HTML, hidden comments and our own markers among it.
      .replaceAll('<', '&lt;')
      // Mentions, references to issues, commands of chat bots.
      .replace(/@(?=[\w-])/g, `@${joiner}`)
      .replace(/(^|[^&])#(?=\d)/gm, `$1#${joiner}`)
      .replace(/\bGH-(?=\d)/gi, (match) => `${match}${joiner}`)
      .replace(/^([^\S\n]*)\/(?=\w)/gm, `$1\\/${joiner}`)
  )
}
