// Escapes untrusted text for comments, so that it is shown and has no effect.
import { breakCommands, wordJoiner } from './break-commands.ts'

/** Blanks, quotes and list items may come before the text of a line. */
const linePrefix = String.raw`^((?:[^\S\n]|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*)`

/**
 * Escapes Markdown from a model or a repository: no images, links, HTML, mentions, references, chat
 * commands, headings, tables, formulas or hidden markers, and no unclosed fence. Code stays code,
 * and is rewritten so that GFM can't read it as anything else. Idempotent.
 *
 * @param options.maxLength in characters before escaping; longer text is cut with an ellipsis
 */
export function escapeMarkdown(text: string, options: { maxLength: number }): string {
  const parts = splitFences(cutText(removeInvisible(text).trim(), options.maxLength))
  // Bots read the raw text, so a command may begin in prose and end in code.
  return breakCommands(
    parts
      .map((part) => (part.isCode ? codeFence('', part.text) : escapeProse(part.text)))
      .join('\n'),
  )
}

/** Escapes text as one line of Markdown, without line breaks and blocks. */
export function escapeLine(text: string, options: { maxLength: number }): string {
  const line = removeInvisible(text)
    .replace(/\s+/g, ' ')
    .trim()
    // Markers of blocks and fences mean nothing in a single line.
    .replace(/^(?:(?:[#>*+-]+|\d{1,9}[.)]) )+/, '')
    .replace(/^(?:~{3,}|`{3,}(?=[^`]*$)) ?/, '')
  return breakCommands(escapeInline(cutText(line, options.maxLength)))
}

/**
 * Writes code as an inline code span, with a fence longer than any run of backticks in it.
 *
 * @param options.inCell also escapes pipes, which end a table cell
 */
export function codeSpan(text: string, options: { inCell?: boolean } = {}): string {
  const line = breakCommands(breakOwnMarkers(removeInvisible(text).replace(/[\n\t]+/g, ' ')))
  // A table cell removes one backslash before a pipe and has no escape for `\\|`: split them.
  const clean = options.inCell
    ? line.replace(/(\\?)\|/g, (_, slash) => `${slash && `\\${wordJoiner}`}\\|`)
    : line
  const fence = '`'.repeat(measureLongestRun(clean, '`') + 1)
  const pad = clean === '' || /^`|`$/.test(clean) || isPadded(clean) ? ' ' : ''
  return `${fence}${pad}${clean}${pad}${fence}`
}

/** Whether GFM strips a space from both ends of this code. */
function isPadded(code: string): boolean {
  return code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
}

/** Writes a fenced block whose fence is longer than any run of backticks in the text. */
export function codeFence(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, measureLongestRun(text, '`') + 1))
  return `${fence}${language}\n${breakOwnMarkers(text)}\n${fence}`
}

/** Whether code can be suggested for commit, where it can't be escaped. */
export function isHarmlessCode(text: string): boolean {
  const lines = text.replaceAll('\r\n', '\n')
  return (
    removeInvisible(lines) === lines &&
    breakOwnMarkers(lines) === lines &&
    breakCommands(lines) === lines
  )
}

/** Removes control characters and invisible ones such as bidi marks. Line ends become LF. */
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

/** Breaks hidden markers in untrusted text that would be taken for ours. */
function breakOwnMarkers(text: string): string {
  return text.replace(/<!--(?=\s*umpire:)/gi, `<!--${wordJoiner}`)
}

function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text
    .slice(0, maxLength - 2)
    .toWellFormed()
    .replace(/\ufffd$/, '')} …`
}

function measureLongestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (const c of text) {
    run = c === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

const openingFence = new RegExp(`${linePrefix}(\`{3,}(?=[^\`]*$)|~{3,})`)

/** Splits fenced code from prose. Fences are moved out of lists and quotes, and closed. */
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
    // The info string is dropped: `suggestion` would make a committable change of the block.
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
    // The end of a quote also ends a fence in it.
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
  return line.length >= fence.length && measureLongestRun(line, fence[0] as string) === line.length
}

/** Escapes each paragraph and list item by itself, because code spans end with them. */
function escapeProse(text: string): string {
  return text
    .split(/\n(?=[^\S\n]*(?:\n|[-*+]\s|\d{1,9}[.)]\s))/)
    .map((block) => escapeInline(block))
    .join('\n')
}

/** Private-use characters replace escapes and code spans while the other text is escaped. */
const placeholders = { escape: 0xe000, spanStart: '\ue080', spanEnd: '\ue081' }
/** These characters stay escaped. Escapes of others are removed as they have no effect. */
const keptEscapes = new Set('\\*_[]|~+>$&!#-')

function escapeInline(text: string): string {
  const spans: string[] = []
  const clean = text.replace(/[\ue000-\ue0ff]/g, '')
  const marked = replaceCode(clean, (code) => {
    spans.push(codeSpan(isPadded(code) ? code.slice(1, -1) : code))
    return `${placeholders.spanStart}${spans.length - 1}${placeholders.spanEnd}`
  })
  return (
    breakText(breakLines(dropLinks(marked)))
      .replace(/[\ue000-\ue07f]/g, restoreEscape)
      // Adjacent spans would be read as one.
      .replaceAll(
        `${placeholders.spanEnd}${placeholders.spanStart}`,
        `${placeholders.spanEnd} ${placeholders.spanStart}`,
      )
      .replace(/\ue080(\d+)\ue081/g, (_, index) => spans[Number(index)] as string)
  )
}

/** Replaces escapes and code spans as GFM finds them. Unpaired backticks become quotes. */
function replaceCode(text: string, replaceSpan: (code: string) => string): string {
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
      result += replaceEscape(match[1] ?? '\\')
      continue
    }
    const candidates = runs.get(ticks.length) ?? []
    while ((candidates.at(-1) ?? at) < at) candidates.pop()
    const end = candidates.at(-1)
    if (end === undefined) result += "'".repeat(ticks.length)
    else {
      result += replaceSpan(text.slice(at, end).replaceAll('\n', ' '))
      at = end + ticks.length
      token.lastIndex = at
    }
  }
  return result + text.slice(at)
}

function replaceEscape(character: string): string {
  if (character === '`') return "'"
  return keptEscapes.has(character)
    ? String.fromCharCode(placeholders.escape + character.charCodeAt(0))
    : character
}

function restoreEscape(placeholder: string): string {
  const character = String.fromCharCode(placeholder.charCodeAt(0) - placeholders.escape)
  // Platforms look for references in the rendered text, where the backslash is gone.
  return `\\${character}${'#-!['.includes(character) ? wordJoiner : ''}`
}

/** Matches a link or image, in linear time because no part is ambiguous. */
const link = /!?\[([^[\]\n]*)\]\(<?((?:[^()\s<>]|\([^()\s<>]*\))*)>?(?:\s[^()\n]*)?\)/g

/** Keeps only the text of links and images. The second pass is for images in links. */
function dropLinks(text: string): string {
  return text.replace(link, '$1').replace(link, '$1')
}

const heading = new RegExp(String.raw`${linePrefix}(?:#{1,6}[^\S\n]+)+`, 'gm')
const ruler = /^([^\S\n]*(?:>[^\S\n]*)*)(?=[-=:]+[^\S\n]*$)/gm
const command = new RegExp(String.raw`${linePrefix}\/(?=\w)`, 'gm')

/** Breaks what only works at the beginning of a line, such as headings and underlines. */
function breakLines(text: string): string {
  return text
    .replace(heading, '$1')
    .replace(ruler, `$1${wordJoiner}`)
    .replace(command, `$1${String.fromCharCode(placeholders.escape + 0x2f)}${wordJoiner}`)
}

/** Breaks syntax that works anywhere in a line. */
function breakText(text: string): string {
  return (
    text
      .replace(/&(?!(?:lt|gt|amp|quot);)(?=#?\w{1,40};)/g, '\\&')
      // Links, images, footnotes, task lists, alerts, cells, formulas and fences in lists. An
      // amount such as `$5` can't begin a formula, since nothing is left that could end it.
      .replace(/\[(?=[ x]\]|[!^])/gi, `[${wordJoiner}`)
      .replace(/[[\]|]|\$(?!\d)/g, '\\$&')
      .replace(/\](?=\()/g, `]${wordJoiner}`)
      .replace(/~{3,}/g, (run) => '\\~'.repeat(run.length))
      // URLs are linked even without a word boundary before them.
      .replace(/:\/\/[^\s<>()]*/g, (rest) => rest.replaceAll('.', `${wordJoiner}.`))
      .replace(/:(?=\/\/)/g, `:${wordJoiner}`)
      .replace(/(mailto|xmpp|javascript|vbscript|data|file):(?=\S)/gi, `$1${wordJoiner}:`)
      .replace(/(www)\./gi, `$1${wordJoiner}.`)
      .replaceAll('<', '&lt;')
      // These are mentions and references to issues and changes.
      .replace(/@(?=\S)/g, `@${wordJoiner}`)
      .replace(/[#!](?=\d)|GH-(?=\d)/gi, `$&${wordJoiner}`)
  )
}
