// Reads JSON as tools write it for people: with comments and trailing commas.

/** Nested further than this, no manifest says anything that we read. */
export const maxManifestDepth = 12

/** What a text says, without its comments; undefined where it isn't JSON. Takes time in proportion to its length. */
export function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(stripComments(text.replace(/^\uFEFF/, '')))
  } catch {
    return undefined
  }
}

/** The entries of an object, own ones only; none of anything else. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : []
}

/** What an object says under a key; undefined where it is none. Keys such as `__proto__` are nothing but keys. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}

/** A text, or the texts of a list; other things are left out. */
export function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function stripComments(text: string): string {
  let out = ''
  let kept = 0
  for (let at = 0; at < text.length; ) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      out += text.slice(kept, at)
      at = endOfComment(text, at)
      kept = at
    } else at++
  }
  return dropTrailingCommas(out + text.slice(kept))
}

function dropTrailingCommas(text: string): string {
  let out = ''
  let kept = 0
  let comma = -1
  for (let at = 0; at < text.length; ) {
    const character = text[at]!
    if (character === '"') {
      at = endOfString(text, at)
      comma = -1
      continue
    }
    if (comma !== -1 && (character === '}' || character === ']')) {
      out += text.slice(kept, comma)
      kept = comma + 1
    }
    if (character === ',') comma = at
    else if (character.trim() !== '') comma = -1
    at++
  }
  return out + text.slice(kept)
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"' || text[at] === '\n') return at + 1
  }
  return text.length
}

function endOfComment(text: string, start: number): number {
  const isLine = text[start + 1] === '/'
  const end = text.indexOf(isLine ? '\n' : '*/', start + 2)
  if (end === -1) return text.length
  return isLine ? end : end + 2
}
