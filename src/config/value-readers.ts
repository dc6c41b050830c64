// Reads values that people wrote into a settings file: what is right counts, what isn't is said and left out.
//
// Not by a schema, which takes all of a value or nothing: one mistyped word must not cost a repository its other settings.
import { findClosestMatch } from '../lib/text.ts'

/** Where a value stands, and where to say what is wrong with it. */
export interface ValueLocation {
  /** `policy.max_comments`; empty for the file itself. */
  readonly path: string
  /** Takes a sentence without its full stop. */
  readonly report: (problem: string) => void
}

/** Reads a value that was given. Undefined when it isn't right, which was reported then. */
export type ValueReader<T> = (value: unknown, at: ValueLocation) => T | undefined

/** A value as it may be shown in a sentence. */
export function quoteValue(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? 'this' : String(value)
  return `\`${text
    .replaceAll(/[`\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 60)}\``
}

function reportExpected(at: ValueLocation, what: string): undefined {
  at.report(`${quoteValue(at.path)} is to be ${what}`)
}

/** One of some words, and what it stands for. */
export function readEnum<T>(words: Readonly<Record<string, T>>): ValueReader<T> {
  return (value, at) => {
    const word = typeof value === 'string' ? value.toLowerCase() : ''
    if (Object.hasOwn(words, word)) return words[word]
    return reportExpected(at, `one of ${Object.keys(words).map(quoteValue).join(', ')}`)
  }
}

export function readInteger(least: number, most: number): ValueReader<number> {
  return (value, at) => {
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most)
      return Number(value)
    return reportExpected(at, `a whole number from ${least} to ${most}`)
  }
}

/**
 * Text that a test accepts.
 *
 * @param findFault what is wrong with it, in words that follow its name; null where nothing is
 */
export function readText(
  what: string,
  findFault: (text: string) => string | null,
): ValueReader<string> {
  return (value, at) => {
    if (typeof value !== 'string') return reportExpected(at, what)
    const text = value.trim()
    const fault = findFault(text)
    if (fault === null) return text
    at.report(`${quoteValue(at.path)}: ${quoteValue(text)} ${fault}`)
  }
}

/** A list, or one item alone. Items that aren't right are left out, and so are those over `most`. */
export function readList<T>(readItem: ValueReader<T>, most: number): ValueReader<T[]> {
  return (value, at) => {
    const items = Array.isArray(value) ? value : [value]
    if (items.length > most)
      at.report(`${quoteValue(at.path)} has more than ${most} items; the others are not read`)
    return items.slice(0, most).flatMap((item) => readItem(item, at) ?? [])
  }
}

/** A mapping of known keys, each with its own reader. A key without a value is as good as none. */
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
      if (!Object.hasOwn(readers, key)) at.report(describeUnknownKey(path, key, known))
      else if (item !== null) {
        const name = key as keyof T
        const read = readers[name](item, { ...at, path })
        if (read !== undefined) result[name] = read
      }
    }
    return result
  }
}

function describeUnknownKey(path: string, key: string, known: readonly string[]): string {
  const meant = findClosestMatch(key, known)
  return `unknown key ${quoteValue(path)}${meant === undefined ? '' : ` (did you mean ${quoteValue(meant)}?)`}`
}
