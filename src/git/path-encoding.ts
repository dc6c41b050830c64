// Paths as text: any bytes that git allows in a name, as a string that comes back to the same bytes.
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

/** Has the shape that `pathFromBytes` gives to names that aren't UTF-8: quoted, with an octal escape over 0x7f. */
const quotedPattern = /^".*\\[23][0-7]{2}.*"$/s

/**
 * A path as text. UTF-8 names are given as they are. Others are given as git prints them: in quotation marks, with
 * octal escapes (`"caf\351.txt"`), so that they pass through JSON, databases and pages, where U+FFFD would lose
 * them and lone surrogates are refused. A UTF-8 name that looks like that is quoted too: no two names meet.
 */
export function pathFromBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return isUtf8(bytes) && (bytes[0] !== 0x22 || !quotedPattern.test(text))
    ? text
    : quoteBytes(bytes)
}

/** The bytes of a path that `pathFromBytes` gave, or that a person or a platform named in UTF-8. */
export function pathToBytes(path: string): Buffer {
  const bytes = Buffer.from(path, 'utf8')
  if (!quotedPattern.test(path)) return bytes
  const unquoted = unquoteBytes(bytes, 0)
  return unquoted?.end === bytes.length ? unquoted.bytes : bytes
}

const unsafePart = /\0|(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i

/** Whether every part of the path is a plain name: none is empty, `.`, `..` or `.git`. */
export function isSafePath(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return !unsafePart.test(text)
}

/** A name in quotation marks, C-style, as git prints it under `core.quotePath`. */
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

/** Whether git quotes this name in its output. */
export function needsQuotes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c)
}

/**
 * Reads a C-style quoted name that begins at `start`. `end` is just past the closing quotation mark; undefined
 * where it isn't well formed.
 */
export function unquoteBytes(
  text: Uint8Array,
  start: number,
): { bytes: Buffer; end: number } | undefined {
  if (text[start] !== 0x22) return undefined
  const bytes: number[] = []
  for (let at = start + 1; at < text.length; at++) {
    const byte = text[at]!
    if (byte === 0x22) return { bytes: Buffer.from(bytes), end: at + 1 }
    if (byte !== 0x5c) {
      bytes.push(byte)
      continue
    }
    const letter = String.fromCharCode(text[at + 1] ?? 0)
    const octal = /^[0-3][0-7]{2}$/.exec(String.fromCharCode(...text.subarray(at + 1, at + 4)))
    if (octal !== null) bytes.push(Number.parseInt(octal[0], 8))
    else if (escapes[letter] !== undefined) bytes.push(escapes[letter])
    else return undefined
    at += octal === null ? 1 : 3
  }
  return undefined
}
