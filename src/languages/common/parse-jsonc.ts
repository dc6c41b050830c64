// Parses JSON with comments and trailing commas, and reads values of unknown type.

/** Deeper values of manifests are ignored. */
export const maxManifestDepth = 12

/** Returns undefined for invalid JSON. Takes linear time, because manifests are untrusted input. */
export function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(dropTrailingCommas(stripComments(text.replace(/^\uFEFF/, ''))))
  } catch {
    return undefined
  }
}

/** Finds the own entries of an object, and none of other values. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : []
}

/** Returns an own field of an object. Keys such as `__proto__` have no special meaning. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}

/** Returns a string or the strings of an array; other values are left out. */
export function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function stripComments(text: string): string {
  let result = ''
  let copiedUntil = 0
  let index = 0
  while (index < text.length) {
    if (text[index] === '"') {
      index = endOfString(text, index)
    } else if (text.startsWith('//', index) || text.startsWith('/*', index)) {
      result += text.slice(copiedUntil, index)
      index = endOfComment(text, index)
      copiedUntil = index
    } else {
      index++
    }
  }
  return result + text.slice(copiedUntil)
}

function dropTrailingCommas(text: string): string {
  let result = ''
  let copiedUntil = 0
  let lastComma = -1
  let index = 0
  while (index < text.length) {
    const character = text[index]!
    if (character === '"') {
      index = endOfString(text, index)
      lastComma = -1
      continue
    }
    if (lastComma !== -1 && (character === '}' || character === ']')) {
      result += text.slice(copiedUntil, lastComma)
      copiedUntil = lastComma + 1
    }
    if (character === ',') lastComma = index
    else if (character.trim() !== '') lastComma = -1
    index++
  }
  return result + text.slice(copiedUntil)
}

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const character = text[index]
    if (character === '"' || character === '\n') return index + 1
    index += character === '\\' ? 2 : 1
  }
  return text.length
}

function endOfComment(text: string, start: number): number {
  const isLine = text[start + 1] === '/'
  const end = text.indexOf(isLine ? '\n' : '*/', start + 2)
  if (end === -1) return text.length
  return isLine ? end : end + 2
}
