// Finds one string in JSON text without parsing it, at a bounded cost for any text.

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The strings that are searched for are shorter than this. */
const maxStringBytes = 1000

/**
 * A step is a byte outside of strings, or a stretch of a string up to the next quote. Payloads of
 * platforms take about ten thousand steps; the maximum takes some milliseconds.
 */
const maxSteps = 500_000

interface Cursor {
  readonly json: Buffer
  /** Offset of the next byte to read. It moves to the end of the text when no steps are left. */
  position: number
  stepsLeft: number
}

/**
 * Finds the string at a path of keys from the top of a JSON object. The text may be hostile:
 * nothing is copied, and deep nesting costs nothing.
 *
 * The skipped text isn't validated, so a result doesn't prove that the text is JSON. For a repeated
 * key the first value is used, while `JSON.parse` uses the last, and keys with escapes aren't
 * found: callers that parse the text afterwards must compare the two values.
 *
 * @returns null where there is no string of at most 1,000 bytes at the path, or it wasn't found
 *   within the maximum number of steps
 */
export function findJsonString(json: Buffer, path: readonly string[]): string | null {
  const cursor: Cursor = { json, position: 0, stepsLeft: maxSteps }
  skipSpace(cursor)
  return path.every((key) => enterMember(cursor, Buffer.from(JSON.stringify(key))))
    ? readString(cursor)
    : null
}

/** Moves to the value of a key in the object at the cursor. Returns false when it isn't there. */
function enterMember(cursor: Cursor, key: Buffer): boolean {
  const { json } = cursor
  if (json[cursor.position] !== openBrace) return false
  advance(cursor)
  skipSpace(cursor)
  while (json[cursor.position] === quote) {
    const start = cursor.position
    skipString(cursor)
    const isKey =
      cursor.position - start === key.length && key.equals(json.subarray(start, cursor.position))
    skipSpace(cursor)
    if (json[cursor.position] !== colon) return false
    advance(cursor)
    skipSpace(cursor)
    if (isKey) return true
    skipValue(cursor)
    if (json[cursor.position] !== comma) return false
    advance(cursor)
    skipSpace(cursor)
  }
  return false
}

function readString(cursor: Cursor): string | null {
  const start = cursor.position
  if (cursor.json[start] !== quote) return null
  skipString(cursor)
  if (cursor.position - start > maxStringBytes) return null
  try {
    return JSON.parse(cursor.json.toString('utf8', start, cursor.position))
  } catch {
    return null
  }
}

function advance(cursor: Cursor): void {
  cursor.position = cursor.stepsLeft-- > 0 ? cursor.position + 1 : cursor.json.length
}

function skipSpace(cursor: Cursor): void {
  const { json } = cursor
  for (let byte = json[cursor.position]; isSpace(byte); byte = json[cursor.position])
    advance(cursor)
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Moves past the string that begins at the cursor. */
function skipString(cursor: Cursor): void {
  const { json } = cursor
  for (let from = cursor.position + 1; ; from = cursor.position) {
    const end = json.indexOf(quote, from)
    cursor.position = end === -1 ? json.length : end
    let backslashes = 0
    while (cursor.stepsLeft > 0 && json[end - 1 - backslashes] === backslash) {
      backslashes++
      cursor.stepsLeft--
    }
    advance(cursor)
    if (backslashes % 2 === 0 || cursor.position >= json.length) return
  }
}

/** Moves past the value at the cursor. Counts brackets without checking that their kinds match. */
function skipValue(cursor: Cursor): void {
  const { json } = cursor
  for (let depth = 0; cursor.position < json.length; ) {
    const byte = json[cursor.position]
    if (byte === quote) {
      skipString(cursor)
      continue
    }
    const isEnd = byte === closeBrace || byte === closeBracket
    if (depth === 0 && (byte === comma || isEnd)) return
    if (isEnd) depth--
    else if (byte === openBrace || byte === openBracket) depth++
    advance(cursor)
  }
}
