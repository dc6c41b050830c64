// Makes text that others wrote harmless in a comment on the platform: it can say anything and do nothing.
import { breakCommands, wordJoiner } from './break-commands.ts'

/** What a line may begin with before its own text: blanks, quotes, list items. */
const linePrefix = String.raw`^((?:[^\S\n]|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*)`

/**
 * Neutralises Markdown prose from a model or a repository: no images, links, HTML, mentions, references, chat
 * commands, headings, tables, formulas or hidden markers; nothing stays open. Code stays code: it is written anew so
 * that GFM can't take it for anything else. What comes out can go in again.
 *
 * @param options.maxLength of the text in characters, before escapes; what is longer is cut with an ellipsis
 */
export function escapeMarkdown(text: string, options: { maxLength: number }): string {
  const parts = splitFences(cutText(removeInvisible(text).trim(), options.maxLength))
  // Bots read the raw text: what they look for may begin in prose and end in code.
  return breakCommands(
    parts
      .map((part) => (part.isCode ? codeFence('', part.text) : neutralizeProse(part.text)))
      .join('\n'),
  )
}

/**
 * One line of Markdown: no line breaks, no blocks.
 *
 * @param options.inCell for a table's cell, where a pipe would end it, in code too
 */
export function escapeLine(text: string, options: { maxLength: number; inCell?: boolean }): string {
  const line = removeInvisible(text)
    .replace(/\s+/g, ' ')
    .trim()
    // A fence or the beginning of a block would be nothing but noise.
    .replace(/^(?:(?:[#>*+-]+|\d{1,9}[.)]) )+/, '')
    .replace(/^(?:~{3,}|`{3,}(?=[^`]*$)) ?/, '')
  return breakCommands(neutralizeInline(cutText(line, options.maxLength), options.inCell ?? false))
}

/**
 * Code as an inline code span, whatever backticks it holds.
 *
 * @param options.inCell for a table's cell: only there a pipe has to be escaped
 */
export function codeSpan(text: string, options: { inCell?: boolean } = {}): string {
  const line = breakCommands(breakMarkers(removeInvisible(text).replace(/[\n\t]+/g, ' ')))
  // A table takes one backslash before a pipe away, and can't say "backslash, pipe" in code: they are kept apart.
  const clean = options.inCell
    ? line.replace(/(\\?)\|/g, (_, slash) => `${slash && `\\${wordJoiner}`}\\|`)
    : line
  const fence = '`'.repeat(longestRun(clean, '`') + 1)
  const pad = clean === '' || /^`|`$/.test(clean) || isPadded(clean) ? ' ' : ''
  return `${fence}${pad}${clean}${pad}${fence}`
}

/** Whether GFM takes a space off both ends of this code. */
function isPadded(code: string): boolean {
  return code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
}

/** A fenced block that its content can't end. */
export function codeFence(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  return `${fence}${language}\n${breakMarkers(text)}\n${fence}`
}

/** Whether code may be offered as a change to commit: it can't be altered, so it must be harmless as it is. */
export function isHarmlessCode(text: string): boolean {
  const lines = text.replaceAll('\r\n', '\n')
  return (
    removeInvisible(lines) === lines &&
    breakMarkers(lines) === lines &&
    breakCommands(lines) === lines
  )
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
        /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f/g,
        '',
      )
      .replace(/[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu, '')
  )
}

/** Our own hidden markers, said by somebody else, no longer read as ours. */
function breakMarkers(text: string): string {
  return text.replace(/<!--(?=\s*umpire:)/gi, `<!--${wordJoiner}`)
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

const openingFence = new RegExp(`${linePrefix}(\`{3,}(?=[^\`]*$)|~{3,})`)

/** Tells fenced code from prose. Fences are taken out of lists and quotes; one that isn't closed is closed. */
function splitFences(text: string): { text: string; isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = []
  const lines = text.split('\n')
  let prose: string[] = []
  const endProse = () => {
    if (prose.length > 0) parts.push({ text: prose.join('\n'), isCode: false })
    prose = []
  }
  for (let at = 0; at < lines.length; ) {
    const [, prefix = '', fence] = openingFence.exec(lines[at] as string) ?? []
    if (fence === undefined) {
      prose.push(lines[at] as string)
      at += 1
      continue
    }
    endProse()
    const { code, next } = readFence(lines, at + 1, prefix, fence)
    // The information string isn't kept: `suggestion` there would make a committable change of it.
    parts.push({ text: code.join('\n'), isCode: true })
    at = next
  }
  endProse()
  return parts
}

function readFence(lines: readonly string[], from: number, prefix: string, fence: string) {
  const isQuoted = prefix.includes('>')
  const code: string[] = []
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string
    // A quote that ends takes its fence along.
    if (isQuoted && !line.trimStart().startsWith('>')) return { code, next: at }
    const inner = isQuoted ? line.replace(/^(?:[^\S\n]*>)+ ?/, '') : outdent(line, prefix.length)
    if (isClosing(inner.trim(), fence)) return { code, next: at + 1 }
    code.push(inner)
  }
  return { code, next: lines.length }
}

function outdent(line: string, width: number): string {
  return line.slice(0, width).trimStart() + line.slice(width)
}

function isClosing(line: string, fence: string): boolean {
  return line.length >= fence.length && longestRun(line, fence[0] as string) === line.length
}

/** Paragraph by paragraph, item by item: code spans don't reach farther. */
function neutralizeProse(text: string): string {
  return text
    .split(/\n(?=[^\S\n]*(?:\n|[-*+]\s|\d{1,9}[.)]\s))/)
    .map((block) => neutralizeInline(block, false))
    .join('\n')
}

/** Escaped characters and code spans wait in characters of private use while the text around them is changed. */
const held = { escape: 0xe000, spanStart: '\ue080', spanEnd: '\ue081' }
/** Those whose escape is kept. All others mean the same without it, and are broken up like any other text. */
const keptEscapes = new Set('\\*_[]|~+>$&!#-')

function neutralizeInline(text: string, inCell: boolean): string {
  const spans: string[] = []
  const clean = text.replace(/[\ue000-\ue0ff]/g, '')
  const marked = holdCode(clean, (code) => {
    spans.push(codeSpan(isPadded(code) ? code.slice(1, -1) : code, { inCell }))
    return `${held.spanStart}${spans.length - 1}${held.spanEnd}`
  })
  return (
    breakText(breakLines(dropLinks(marked)))
      .replace(/[\ue000-\ue07f]/g, releaseEscape)
      // Two spans that touch would be read as another one.
      .replaceAll(`${held.spanEnd}${held.spanStart}`, `${held.spanEnd} ${held.spanStart}`)
      .replace(/\ue080(\d+)\ue081/g, (_, index) => spans[Number(index)] as string)
  )
}

/** Reads escapes and code spans as GFM does, from left to right. A backtick without a partner becomes a quote. */
function holdCode(text: string, holdSpan: (code: string) => string): string {
  const runs = new Map<number, number[]>()
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const ends = runs.get(run.length)
    if (ends) ends.push(index)
    else runs.set(run.length, [index])
  }
  const token = /\\([!-/:-@[-`{-~]|\n)?|`+/g
  let result = ''
  let at = 0
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const ticks = match[0]
    result += text.slice(at, match.index)
    at = token.lastIndex
    if (ticks.startsWith('\\')) {
      result += holdEscape(match[1] ?? '\\')
      continue
    }
    const candidates = runs.get(ticks.length) ?? []
    while ((candidates.at(-1) ?? at) < at) candidates.pop()
    const end = candidates.at(-1)
    if (end === undefined) result += "'".repeat(ticks.length)
    else {
      result += holdSpan(text.slice(at, end).replaceAll('\n', ' '))
      at = end + ticks.length
      token.lastIndex = at
    }
  }
  return result + text.slice(at)
}

function holdEscape(character: string): string {
  if (character === '`') return "'"
  return keptEscapes.has(character)
    ? String.fromCharCode(held.escape + character.charCodeAt(0))
    : character
}

function releaseEscape(place: string): string {
  const character = String.fromCharCode(place.charCodeAt(0) - held.escape)
  // Platforms look for references in what is shown.
  return `\\${character}${'#-!['.includes(character) ? wordJoiner : ''}`
}

/** A whole link or image. Each part is unambiguous: linear. */
const link = /!?\[([^[\]\n]*)\]\(<?((?:[^()\s<>]|\([^()\s<>]*\))*)>?(?:\s[^()\n]*)?\)/g

/** Of links and images the words stay. A second time for images in links; the brackets of others are escaped later. */
function dropLinks(text: string): string {
  return text.replace(link, '$1').replace(link, '$1')
}

const heading = new RegExp(String.raw`${linePrefix}(?:#{1,6}[^\S\n]+)+`, 'gm')
const ruler = /^([^\S\n]*(?:>[^\S\n]*)*)(?=[-=:]+[^\S\n]*$)/gm
const command = new RegExp(String.raw`${linePrefix}\/(?=\w)`, 'gm')

/** What only means something at the beginning of a line: headings, underlines, rows under a table's head, commands. */
function breakLines(text: string): string {
  return text
    .replace(heading, '$1')
    .replace(ruler, `$1${wordJoiner}`)
    .replace(command, `$1${String.fromCharCode(held.escape + 0x2f)}${wordJoiner}`)
}

/** What means something anywhere. */
function breakText(text: string): string {
  return (
    text
      .replace(/&(?!(?:lt|gt|amp|quot);)(?=#?\w{1,40};)/g, '\\&')
      // Links, images, their definitions, footnotes, task lists, alerts; cells; formulas (an amount begins none, for
      // nothing that is left could end it); fences in lists and quotes.
      .replace(/\[(?=[ x]\]|[!^])/gi, `[${wordJoiner}`)
      .replace(/[[\]|]|\$(?!\d)/g, '\\$&')
      .replace(/\](?=\()/g, `]${wordJoiner}`)
      .replace(/~{3,}/g, (run) => '\\~'.repeat(run.length))
      // Addresses, also without a border before them.
      .replace(/:\/\/[^\s<>()]*/g, (rest) => rest.replaceAll('.', `${wordJoiner}.`))
      .replace(/:(?=\/\/)/g, `:${wordJoiner}`)
      .replace(/(mailto|xmpp|javascript|vbscript|data|file):(?=\S)/gi, `$1${wordJoiner}:`)
      .replace(/(www)\./gi, `$1${wordJoiner}.`)
      .replaceAll('<', '&lt;')
      // Mentions, references to issues and changes.
      .replace(/@(?=\S)/g, `@${wordJoiner}`)
      .replace(/[#!](?=\d)|GH-(?=\d)/gi, `$&${wordJoiner}`)
  )
}
