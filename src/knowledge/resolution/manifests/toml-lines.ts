// Reads from TOML the few keys that say where code lies: names, paths and lists of them.

export interface TomlEntry {
  /** The table's name, dots and all; `''` before the first. */
  readonly table: string
  readonly key: string
  /** As written, lists over several lines on one. */
  readonly value: string
}

const maxLines = 5_000
const maxValueLength = 4_000

/** The entries of a text, in their order. Whatever it doesn't understand it leaves out. */
export function readTomlEntries(text: string): TomlEntry[] {
  const entries: TomlEntry[] = []
  const lines = text.split('\n', maxLines)
  let table = ''
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!.trim()
    const header = /^\[\[?([^\]]+)\]\]?/.exec(line)
    const equals = line.indexOf('=')
    if (header) table = header[1]!.replaceAll(/["'\s]/g, '')
    else if (equals > 0 && !line.startsWith('#')) {
      let value = withoutComment(line.slice(equals + 1))
      while (isOpen(value) && value.length < maxValueLength && at + 1 < lines.length)
        value += ` ${withoutComment(lines[++at]!)}`
      entries.push({
        table,
        key: line.slice(0, equals).trim().replaceAll(/["']/g, ''),
        value: value.trim(),
      })
    }
  }
  return entries
}

/** The strings in a value, in their order. */
export function stringsIn(value: string): string[] {
  return [...value.slice(0, maxValueLength).matchAll(/"([^"]*)"|'([^']*)'/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
}

/** The string behind a key of an inline table. */
export function inlineString(value: string, key: string): string | undefined {
  const start = new RegExp(`(?:^|[{,\\s])["']?${key}["']?\\s{0,9}=\\s{0,9}`).exec(
    value.slice(0, maxValueLength),
  )
  return start === null ? undefined : stringsIn(value.slice(start.index + start[0].length))[0]
}

function isOpen(value: string): boolean {
  return value.trimStart().startsWith('[') && value.split('[').length > value.split(']').length
}

function withoutComment(text: string): string {
  const hash = text.indexOf('#')
  if (hash === -1) return text
  // Within quotes it is no comment.
  const quotes = text.slice(0, hash).match(/["']/g)?.length ?? 0
  return quotes % 2 === 0 ? text.slice(0, hash) : text
}
