// Words counts and lists for people, and finds the intended word for a mistyped one.

/** For example, 1830 becomes `1,830`. */
export function formatNumber(count: number): string {
  return count.toLocaleString('en-US')
}

/** The result is, for example, `1 file` or `1,200 files`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** Shortens an untrusted name to 60 characters of one line, which code of Markdown can hold. */
export function toPlainName(text: string): string {
  return text
    .replaceAll(/[`\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 60)
}

/** Adds commas. `toLocaleString` is not used, because it loads slow locale tables. */
export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
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

/** Finds the word that is most similar to a mistyped one; undefined when none is similar. */
export function findClosestMatch(typed: string, words: readonly string[]): string | undefined {
  if (typed.length > 40) return undefined
  const normalize = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '')
  const distances = words.map((word) => ({
    word,
    distance: levenshteinDistance(normalize(typed), normalize(word)),
  }))
  const closest = distances.sort((one, other) => one.distance - other.distance)[0]
  const maxDistance = Math.max(1, typed.length / 3)
  return closest !== undefined && closest.distance <= maxDistance ? closest.word : undefined
}

/** Counts the letters to insert, delete or replace (Levenshtein distance). */
function levenshteinDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (let column = 0; column < other.length; column++) {
      const inserted = next[column]! + 1
      const deleted = row[column + 1]! + 1
      const replaced = row[column]! + (letter === other[column] ? 0 : 1)
      next.push(Math.min(inserted, deleted, replaced))
    }
    row = next
  }
  return row[other.length]!
}
