// Measures how similar two texts are by the words that they have in common.

const stopWords = new Set(
  `the and are for not but with when then that this from into its has have can may will does was
  were which where`.split(/\s+/),
)

/**
 * Returns the Dice coefficient of their words, 0 to 1. A name like `userId` counts as two words.
 */
export function measureSimilarity(a: string, b: string): number {
  const [left, right] = [splitWords(a), splitWords(b)]
  if (left.size === 0 || right.size === 0) return 0
  const common = [...left].filter((word) => right.has(word)).length
  return (2 * common) / (left.size + right.size)
}

function splitWords(text: string): Set<string> {
  const parts = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  const words = parts.match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(words.filter((word) => !stopWords.has(word)))
}
