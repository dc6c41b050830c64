// Finds the command in a comment: a line that starts with a mention of us.
import { type CommandName, commands } from './commands.ts'

export type ParsedComment =
  | { readonly kind: 'command'; readonly name: CommandName; readonly argument: string }
  /** It starts with a mention of us, and names no command. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' }

/**
 * Parses a comment. The first line that is a command counts; an argument continues to the end of
 * the comment. Lines in code, lists, quotes and HTML comments are no commands. Anybody can write
 * comments, so it takes linear time.
 *
 * @param names the names by which we are mentioned, without `@`; case is ignored
 */
export function parseComment(body: string, names: readonly string[]): ParsedComment {
  const lines = body.split(/\r\n?|\n/)
  const mention = createMention(names)
  const isShown = listShownLines(lines)
  let isFirst = true
  let isUnknown = false
  for (const [index, line] of lines.entries()) {
    if (!isShown[index]) continue
    const text = mention.exec(line)?.groups?.text
    const command = text === undefined ? undefined : readCommand(text, lines.slice(index + 1))
    if (command !== undefined) return command
    isUnknown ||= isFirst && text !== undefined
    isFirst = false
  }
  return { kind: isUnknown ? 'unknown' : 'none' }
}

/** Hosts show the account of an App as `name[bot]`. Up to three blanks don't make a line code. */
function createMention(names: readonly string[]): RegExp {
  const any = names.map((name) => RegExp.escape(name)).join('|')
  return new RegExp(String.raw`^ {0,3}@(?:${any})(?:\[bot\])?(?=[\s,:]|$)[,:]?(?<text>.*)$`, 'iu')
}

function readCommand(text: string, following: readonly string[]): ParsedComment | undefined {
  const [, first = '', rest = ''] = /^\s*([a-z]+)(?![\w-])(.*)$/i.exec(text) ?? []
  const name = first.toLowerCase()
  if (name === 'review' && isEnd(rest.replace(/^\s+full(?![\w-])/i, ''))) {
    return { kind: 'command', name: isEnd(rest) ? 'review' : 'review full', argument: '' }
  }
  if (!isCommandName(name)) return undefined
  if (commands[name].argument === 'none') {
    return isEnd(rest) ? { kind: 'command', name, argument: '' } : undefined
  }
  return { kind: 'command', name, argument: [rest, ...following].join('\n').trim() }
}

/** Other words make it a sentence about us. */
const isEnd = (rest: string) => /^(?:please\s*)?[.!]?$/i.test(rest.trim())

const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name)

/** What begins a block that isn't shown as text, and what ends it. */
const blocks = [
  ['<!--', '-->'],
  ['<pre', '</pre'],
  ['<code', '</code'],
  ['<script', '</script'],
  ['<style', '</style'],
  ['<textarea', '</textarea'],
] as const

const fence = /^ {0,3}(?<mark>`{3,}|~{3,})/

const listMarker = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) {1,4}(?=\S)/

/** Returns for each line whether it is text of a paragraph, and doesn't begin in code. */
function listShownLines(lines: readonly string[]): boolean[] {
  const isShown = lines.map(createBlockReader())
  let start = 0
  for (let end = 0; end <= lines.length; end++) {
    if (isShown[end]) continue
    for (const index of listCodeLines(lines.slice(start, end))) isShown[start + index] = false
    start = end + 1
  }
  return isShown
}

/** Returns whether a line is text of a paragraph, for one line after the other. */
function createBlockReader(): (line: string) => boolean {
  let end: RegExp | null = null
  let isQuote = false
  const isListed = createItemReader()
  return (line) => {
    if (end !== null) {
      if (end.test(line)) end = null
      return false
    }
    if (line.trim() === '') {
      isQuote = false
      return false
    }
    const isInItem = isListed(line)
    // Fenced code in an item ends with it at the latest.
    end = (isInItem ? null : findFenceEnd(line)) ?? findHtmlEnd(line)
    // A line right below a quote continues it.
    isQuote ||= /^ {0,3}>/.test(line)
    return end === null && !isQuote && !isInItem
  }
}

/** Returns whether a line that isn't blank is in a list item, for one line after the other. */
function createItemReader(): (line: string) => boolean {
  /** How far the content of the item is indented; 0 outside of lists. */
  let indent = 0
  return (line) => {
    const isContent = indent > 0 && line.search(/\S/) >= indent
    if (!isContent) indent = listMarker.exec(line)?.[0].length ?? 0
    return indent > 0
  }
}

interface Backticks {
  readonly line: number
  /** The end of a code span has as many backticks as its start. */
  readonly length: number
  readonly isEscaped: boolean
}

/** Lists the lines of a paragraph that begin within a code span. */
function listCodeLines(paragraph: readonly string[]): number[] {
  const found = paragraph.flatMap(listBackticks)
  const lastOfLength = new Map<number, number>()
  const ends = found.map(() => -1)
  for (const [index, { length, isEscaped }] of [...found.entries()].reverse()) {
    ends[index] = lastOfLength.get(isEscaped ? length - 1 : length) ?? -1
    lastOfLength.set(length, index)
  }
  const lines: number[] = []
  for (let start = 0; start < found.length; start++) {
    const end = ends[start]!
    if (end === -1) continue
    for (let line = found[start]!.line + 1; line <= found[end]!.line; line++) lines.push(line)
    start = end
  }
  return lines
}

function listBackticks(text: string, line: number): Backticks[] {
  // A backslash before anything else, and that too, is skipped.
  return [...text.matchAll(/\\[^`]|(?<backslash>\\?)(?<run>`+)/g)].flatMap(({ groups }) => {
    const { backslash, run } = groups ?? {}
    return run === undefined ? [] : [{ line, length: run.length, isEscaped: backslash !== '' }]
  })
}

/** Returns what ends the fenced code that begins in a line; null if none does. */
function findFenceEnd(line: string): RegExp | null {
  const mark = fence.exec(line)?.groups?.mark
  if (mark === undefined) return null
  return new RegExp(String.raw`^ {0,3}${RegExp.escape(mark[0]!)}{${mark.length},}\s*$`)
}

/** Returns what ends the HTML that begins in a line; null if none does. */
function findHtmlEnd(line: string): RegExp | null {
  const text = line.replace(/`[^`]*`/g, '').toLowerCase()
  const [, end] =
    blocks.find(([start, end]) => text.lastIndexOf(start) > text.lastIndexOf(end)) ?? []
  return end === undefined ? null : new RegExp(RegExp.escape(end), 'i')
}
