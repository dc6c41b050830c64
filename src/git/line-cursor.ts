// A cursor that reads bytes line by line.

/** `end` is the position after the last line feed; `position` is always the start of a line. */
export interface LineCursor {
  readonly bytes: Buffer
  readonly end: number
  position: number
}

/** Whether the line at the cursor begins with this ASCII text. */
export function startsWith(cursor: LineCursor, prefix: string): boolean {
  const { bytes, position, end } = cursor
  if (position + prefix.length > end) return false
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[position + index] !== prefix.charCodeAt(index)) return false
  }
  return true
}

/** The result is the line at the cursor without its line feed. */
export function peekLine(cursor: LineCursor): Buffer {
  return cursor.bytes.subarray(cursor.position, cursor.bytes.indexOf(0x0a, cursor.position))
}

export function skipLine(cursor: LineCursor): void {
  cursor.position = cursor.bytes.indexOf(0x0a, cursor.position) + 1
}

/** Returns the line from `from` as UTF-8 without its line feed, and moves to the next line. */
export function takeText(cursor: LineCursor, from: number): string {
  const end = cursor.bytes.indexOf(0x0a, from)
  cursor.position = end + 1
  return cursor.bytes.toString('utf8', from, end)
}
