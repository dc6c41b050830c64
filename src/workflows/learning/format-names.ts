// Formats names and numbers in memories. Names are untrusted, because they come from repositories
// and platforms.

/** Longer names are cut. */
const maxNameLength = 200
/** Longer paths get no memory, because they don't fit a subject. */
export const maxSubjectLength = 200
/** A text lists at most this many pull requests. */
const maxNumbers = 5

/** Whether the author is a person, by the shape of the username: those of bots end in `[bot]`. */
export function isPerson(login: string): boolean {
  return /^[\p{L}\p{N}._-]{1,100}$/u.test(login)
}

/** Makes a path or username safe for a text: on one line, without invisible characters. */
export function formatName(name: string): string {
  const visible = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}`]/gu, '\ufffd')
  return visible.length > maxNameLength
    ? `${visible.slice(0, maxNameLength).toWellFormed()}…`
    : visible
}

/** Joins as in `a, b and c`. */
export function joinWithAnd(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Formats as in `#5, #3 and #1`: the newest first, and a bounded number. */
export function formatPullRequestNumbers(numbers: readonly number[]): string {
  const formatted = numbers.toSorted((one, other) => other - one).map((number) => `#${number}`)
  const isCut = formatted.length > maxNumbers
  return joinWithAnd(isCut ? [...formatted.slice(0, maxNumbers), 'earlier ones'] : formatted)
}

/** The result is like `1 pull request` or `2 pull requests`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Counts each name; sorted by count, then by name. */
export function countOccurrences(names: Iterable<string>): [name: string, count: number][] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
}

/** Returns the directory of a path; `.` for the root. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '.' : path.slice(0, slash)
}
