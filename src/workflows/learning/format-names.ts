// Formats names and numbers in memories. Names are untrusted, because they come from repositories
// and platforms.

import { deletedLogin } from '../../domain/deleted-person.ts'
import { joinWithAnd } from '../../lib/text.ts'

/** Longer names are cut. */
const maxNameLength = 200
/** Longer paths get no memory, because they don't fit a subject. */
export const maxSubjectLength = 200
/** A text lists at most this many pull requests. */
const maxNumbers = 5

/**
 * Whether the author is a person, by the shape of the username: those of bots end in `[bot]`. A
 * person whose data was deleted isn't one any more.
 */
export function isPerson(login: string): boolean {
  return login !== deletedLogin && /^[\p{L}\p{N}._-]{1,100}$/u.test(login)
}

/** Makes a path or username safe for a text: on one line, without invisible characters. */
export function formatName(name: string): string {
  const visible = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}`]/gu, '\ufffd')
  return visible.length > maxNameLength
    ? `${visible.slice(0, maxNameLength).toWellFormed()}…`
    : visible
}

/** Formats as in `#5, #3 and #1`: the newest first, and a bounded number. */
export function formatPullRequestNumbers(numbers: readonly number[]): string {
  const formatted = numbers.toSorted((one, other) => other - one).map((number) => `#${number}`)
  const isCut = formatted.length > maxNumbers
  return joinWithAnd(isCut ? [...formatted.slice(0, maxNumbers), 'earlier ones'] : formatted)
}
