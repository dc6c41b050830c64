// How memories name what they are about: names come from repositories and platforms, everything else is our own words.

/** Longer ones are cut in a text. */
const maxNameLength = 200
/** Of a path: the subject of a memory can't be much longer. */
export const maxSubjectLength = 200
/** Memories name so many pull requests. */
const maxNumbers = 5

/** Whether memories may be about an author: a username of a shape that platforms give, and not a program's. */
export function isPerson(login: string): boolean {
  return /^[\p{L}\p{N}._-]{1,100}$/u.test(login)
}

/** A path or username as it may stand in a text: on one line, without what can't be seen. */
export function formatName(name: string): string {
  const visible = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}`]/gu, '\ufffd')
  return visible.length > maxNameLength
    ? `${visible.slice(0, maxNameLength).toWellFormed()}…`
    : visible
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** `#5, #3 and #1`, the newest first, and no more than some. */
export function formatPullRequestNumbers(numbers: readonly number[]): string {
  const shown = numbers.toSorted((one, other) => other - one).map((number) => `#${number}`)
  const isCut = shown.length > maxNumbers
  return joinWithAnd(isCut ? [...shown.slice(0, maxNumbers), 'earlier ones'] : shown)
}

/** `1 pull request`, `2 pull requests`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** How often each occurs, the most frequent first, then by name. */
export function countOccurrences(names: Iterable<string>): [name: string, count: number][] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
}

/** The directory that a path is in; `.` for the root. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '.' : path.slice(0, slash)
}
