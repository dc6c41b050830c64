// Finds the intended word for a mistyped one.

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
