// Parses JSON with comments and trailing commas, and reads values of unknown type.
import { type ParseError, parse } from 'jsonc-parser'

/** Deeper values of manifests are ignored. */
export const maxManifestDepth = 12

/** Returns undefined for invalid JSON. Takes linear time, because manifests are untrusted input. */
export function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseTolerantly(text.replace(/^\uFEFF/, ''))
  }
}

function parseTolerantly(text: string): unknown {
  const errors: ParseError[] = []
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true })
    return errors.length === 0 ? value : undefined
  } catch {
    // Deep nesting overflows the parser's stack.
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
export function fieldOf(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce(
    (part, key) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, key)
        ? (part as Readonly<Record<string, unknown>>)[key]
        : undefined,
    value,
  )
}

/** Returns a string or the strings of an array; other values are left out. */
export function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
