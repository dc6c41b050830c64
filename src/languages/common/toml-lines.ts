// Reads strings and lists of strings from TOML line by line, which suffices for manifests.

export interface TomlEntry {
  /** Contains the full name of the table, or `''` before the first one. */
  readonly table: string
  readonly key: string
  /** Contains the source text; lists over several lines are joined into one. */
  readonly value: string
}

const maxLines = 5_000
const maxValueLength = 4_000

/** Skips lines that aren't table headers or entries. */
export function readTomlEntries(text: string): TomlEntry[] {
  const entries: TomlEntry[] = []
  const lines = text.split('\n', maxLines)
  let table = ''
  let index = 0
  while (index < lines.length) {
    const line = lines[index]!.trim()
    index++
    const header = /^\[\[?([^\]]+)\]\]?/.exec(line)
    if (header !== null) {
      table = header[1]!.replaceAll(/["'\s]/g, '')
      continue
    }
    const equals = line.indexOf('=')
    if (equals <= 0 || line.startsWith('#')) continue
    const key = line.slice(0, equals).trim().replaceAll(/["']/g, '')
    let value = removeComment(line.slice(equals + 1))
    while (isUnclosedList(value) && value.length < maxValueLength && index < lines.length) {
      value += ` ${removeComment(lines[index]!)}`
      index++
    }
    entries.push({ table, key, value: value.trim() })
  }
  return entries
}

/** Finds the quoted strings in a value. */
export function stringsIn(value: string): string[] {
  const quoted = value.slice(0, maxValueLength).matchAll(/"([^"]*)"|'([^']*)'/g)
  return [...quoted].map(([, inDoubleQuotes, inSingleQuotes]) => {
    return inDoubleQuotes ?? inSingleQuotes ?? ''
  })
}

/** Finds the string value of a key in an inline table. */
export function inlineString(value: string, key: string): string | undefined {
  const assignment = new RegExp(`(?:^|[{,\\s])["']?${key}["']?\\s{0,9}=\\s{0,9}`)
  const match = assignment.exec(value.slice(0, maxValueLength))
  return match === null ? undefined : stringsIn(value.slice(match.index + match[0].length))[0]
}

function isUnclosedList(value: string): boolean {
  return value.trimStart().startsWith('[') && value.split('[').length > value.split(']').length
}

function removeComment(text: string): string {
  const hash = text.indexOf('#')
  if (hash === -1) return text
  const quotes = text.slice(0, hash).match(/["']/g)?.length ?? 0
  const isInString = quotes % 2 === 1
  return isInString ? text : text.slice(0, hash)
}
