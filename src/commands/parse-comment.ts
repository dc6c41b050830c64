// Finds the command in a comment: a line that starts with a mention of us.
import { type CommandName, commands } from './commands.ts'

export type ParsedComment =
  | { readonly kind: 'command'; readonly name: CommandName; readonly argument: string }
  /** It starts with a mention of us, and names no command. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' }

/**
 * Parses a comment. The first line that is a command counts; an argument continues to the end of
 * the comment. Lines in code, quotes and HTML comments are no commands.
 *
 * @param names the names by which we are mentioned, without `@`; case is ignored
 */
export function parseComment(body: string, names: readonly string[]): ParsedComment {
  const lines = body.split(/\r\n?|\n/)
  const mention = createMention(names)
  const isShown = createBlockReader()
  let isFirst = true
  let isUnknown = false
  for (const [index, line] of lines.entries()) {
    if (!isShown(line) || line.trim() === '') continue
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

/** Returns whether a line is text, for one line after the other. */
function createBlockReader(): (line: string) => boolean {
  let end: RegExp | null = null
  let isQuote = false
  return (line) => {
    if (end !== null) {
      if (end.test(line)) end = null
      return false
    }
    end = findBlockEnd(line)
    // A line right below a quote continues it.
    isQuote = /^ {0,3}>/.test(line) || (isQuote && line.trim() !== '')
    return end === null && !isQuote
  }
}

/** Returns what ends the block that begins in a line; null if none does. */
function findBlockEnd(line: string): RegExp | null {
  const mark = fence.exec(line)?.groups?.mark
  if (mark !== undefined) {
    return new RegExp(String.raw`^ {0,3}${RegExp.escape(mark[0]!)}{${mark.length},}\s*$`)
  }
  const text = line.replace(/`[^`]*`/g, '').toLowerCase()
  const [, end] =
    blocks.find(([start, end]) => text.lastIndexOf(start) > text.lastIndexOf(end)) ?? []
  return end === undefined ? null : new RegExp(RegExp.escape(end), 'i')
}
