// Words counts and lists for people.

/** The result is, for example, `1 file` or `12 files`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** The result is `a, b and c`. */
export function joinWithAnd(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** The result is `a, b`, or `a, b and 3 more` if these are only the first of `total`. */
export function joinFirst(shown: readonly string[], total: number): string {
  const list = shown.join(', ')
  return total > shown.length ? `${list} and ${total - shown.length} more` : list
}
