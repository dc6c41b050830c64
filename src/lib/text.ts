// Finds the word that was meant by a mistyped one.

/** The word of some that a mistyped one is nearest to; undefined where none is near. */
export function findClosestMatch(typed: string, words: readonly string[]): string | undefined {
  if (typed.length > 40) return undefined
  const simple = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '')
  const rated = words.map((word) => ({
    word,
    distance: levenshteinDistance(simple(typed), simple(word)),
  }))
  const nearest = rated.sort((one, other) => one.distance - other.distance)[0]
  return nearest !== undefined && nearest.distance <= Math.max(1, typed.length / 3)
    ? nearest.word
    : undefined
}

/** How many letters have to be put in, taken out or changed (Levenshtein's distance). */
function levenshteinDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (let at = 0; at < other.length; at++) {
      next.push(
        Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (letter === other[at] ? 0 : 1)),
      )
    }
    row = next
  }
  return row[other.length]!
}
