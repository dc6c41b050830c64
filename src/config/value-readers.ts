// Reads the values of a settings file: returns the valid ones and reports the others.
//
// A schema would accept or reject a file as a whole, but one mistake must not disable other
// settings.
import { findClosestMatch } from '../lib/text.ts'

/** The location of a value, and where to report a problem with it. */
export interface ValueLocation {
  /** The keys, as in `policy.max_comments`; empty for the file itself. */
  readonly path: string
  /** Takes a sentence without its full stop. */
  readonly report: (problem: string) => void
}

/** Reads a value. Returns undefined if it is invalid, after reporting why. */
export type ValueReader<T> = (value: unknown, at: ValueLocation) => T | undefined

/** Formats a value for use in a sentence. */
export function quoteValue(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? 'this' : String(value)
  const plain = text.replaceAll(/[`\p{C}\s]+/gu, ' ').trim()
  return `\`${plain.slice(0, 60)}\``
}

function reportExpected(at: ValueLocation, what: string): undefined {
  at.report(`${quoteValue(at.path)} must be ${what}`)
}

/** Reads one of several words, and returns what it stands for. */
export function readEnum<T>(words: Readonly<Record<string, T>>): ValueReader<T> {
  return (value, at) => {
    const word = typeof value === 'string' ? value.toLowerCase() : ''
    if (Object.hasOwn(words, word)) return words[word]
    return reportExpected(at, `one of ${Object.keys(words).map(quoteValue).join(', ')}`)
  }
}

export function readInteger(minimum: number, maximum: number): ValueReader<number> {
  return (value, at) => {
    const number = Number.isInteger(value) ? Number(value) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    return reportExpected(at, `a whole number from ${minimum} to ${maximum}`)
  }
}

/**
 * Reads text that passes a test.
 *
 * @param findProblem returns a phrase that follows the text, or null if the text is valid
 */
export function readText(
  what: string,
  findProblem: (text: string) => string | null,
): ValueReader<string> {
  return (value, at) => {
    if (typeof value !== 'string') return reportExpected(at, what)
    const text = value.trim()
    const problem = findProblem(text)
    if (problem === null) return text
    at.report(`${quoteValue(at.path)}: ${quoteValue(text)} ${problem}`)
  }
}

/** Reads a list or a single item. Leaves out invalid items and those beyond `maxItems`. */
export function readList<T>(readItem: ValueReader<T>, maxItems: number): ValueReader<T[]> {
  return (value, at) => {
    const items = Array.isArray(value) ? value : [value]
    if (items.length > maxItems)
      at.report(`${quoteValue(at.path)} has more than ${maxItems} items; the others are not read`)
    return items.slice(0, maxItems).flatMap((item) => readItem(item, at) ?? [])
  }
}

/** Reads a mapping, each known key with its own reader. A key without a value counts as missing. */
export function readMapping<T extends object>(
  readers: { readonly [Key in keyof T]: ValueReader<T[Key]> },
): ValueReader<Partial<T>> {
  const known = Object.keys(readers)
  return (value, at) => {
    if (!(value instanceof Map))
      return reportExpected(at, `a mapping with the keys ${known.map(quoteValue).join(', ')}`)
    const result: Partial<T> = {}
    for (const [key, item] of value as ReadonlyMap<string, unknown>) {
      const path = at.path === '' ? key : `${at.path}.${key}`
      if (!Object.hasOwn(readers, key)) {
        at.report(describeUnknownKey(path, key, known))
        continue
      }
      if (item === null) continue
      const name = key as keyof T
      const read = readers[name](item, { ...at, path })
      if (read !== undefined) result[name] = read
    }
    return result
  }
}

function describeUnknownKey(path: string, key: string, known: readonly string[]): string {
  const match = findClosestMatch(key, known)
  const suggestion = match === undefined ? '' : ` (did you mean ${quoteValue(match)}?)`
  return `unknown key ${quoteValue(path)}${suggestion}`
}
