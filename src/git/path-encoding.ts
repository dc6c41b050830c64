// Converts paths between git's bytes and text without loss.
import { isUtf8 } from 'node:buffer'

const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
}
const letters = new Map(Object.entries(escapes).map(([letter, byte]) => [byte, letter]))

/** Names that aren't UTF-8 are quoted, with an octal escape of a byte over 0x7f. */
const quotedPattern = /^".*\\[23][0-7]{2}.*"$/s

/**
 * A path as text. UTF-8 names stay as they are. Others are quoted as git prints them, with octal
 * escapes (`"caf\351.txt"`), so that they pass through JSON, databases and pages, where U+FFFD
 * would lose bytes and lone surrogates are rejected. A UTF-8 name in this form is quoted too, so
 * that different names never have the same text.
 */
export function pathFromBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const isAmbiguous = bytes[0] === 0x22 && quotedPattern.test(text)
  return isUtf8(bytes) && !isAmbiguous ? text : quoteBytes(bytes)
}

/** Converts a path from `pathFromBytes`, a person or a platform to bytes. */
export function pathToBytes(path: string): Buffer {
  const bytes = Buffer.from(path, 'utf8')
  if (!quotedPattern.test(path)) return bytes
  const unquoted = unquoteBytes(bytes, 0)
  return unquoted?.end === bytes.length ? unquoted.bytes : bytes
}

/** Shortens a path or a line of git for a message, without control characters. */
export function printable(text: string): string {
  return text.slice(0, 300).replaceAll(/\p{Cc}/gu, '\uFFFD')
}

const unsafePart = /\0|(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i

/** Whether every part of the path is a plain name: none is empty, `.`, `..` or `.git`. */
export function isSafePath(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return !unsafePart.test(text)
}

/** Quotes a name in C style, as git prints it with `core.quotePath`. */
export function quoteBytes(bytes: Uint8Array): string {
  let text = '"'
  for (const byte of bytes) {
    const letter = letters.get(byte)
    if (letter !== undefined) text += `\\${letter}`
    else if (byte < 0x20 || byte > 0x7e) text += `\\${byte.toString(8).padStart(3, '0')}`
    else text += String.fromCharCode(byte)
  }
  return `${text}"`
}

/**
 * Reads a C-style quoted name that begins at `start`. `end` is the position after the closing
 * quotation mark; undefined if the name is malformed.
 */
export function unquoteBytes(
  text: Uint8Array,
  start: number,
): { bytes: Buffer; end: number } | undefined {
  if (text[start] !== 0x22) return undefined
  const bytes: number[] = []
  let position = start + 1
  while (position < text.length) {
    const byte = text[position]!
    if (byte === 0x22) return { bytes: Buffer.from(bytes), end: position + 1 }
    if (byte !== 0x5c) {
      bytes.push(byte)
      position++
      continue
    }
    const escaped = readEscape(text, position + 1)
    if (escaped === undefined) return undefined
    bytes.push(escaped.byte)
    position += 1 + escaped.length
  }
  return undefined
}

/** Reads the three octal digits or the letter after a backslash. */
function readEscape(text: Uint8Array, start: number): { byte: number; length: number } | undefined {
  const digits = String.fromCharCode(...text.subarray(start, start + 3))
  if (/^[0-3][0-7]{2}$/.test(digits)) return { byte: Number.parseInt(digits, 8), length: 3 }
  const letter = String.fromCharCode(text[start] ?? 0)
  const byte = escapes[letter]
  return byte === undefined ? undefined : { byte, length: 1 }
}
