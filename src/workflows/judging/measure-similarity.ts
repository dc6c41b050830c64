// How much two texts speak of the same: by the words and names in them.

/** Words that say nothing about which fault is meant. */
const fillers = new Set(
  'the and are for not but with when then that this from into its has have can may will does was were which where'.split(
    ' ',
  ),
)

/** Share of the words that two texts have in common, 0 to 1. A name like `userId` counts as its words. */
export function measureSimilarity(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)]
  if (left.size === 0 || right.size === 0) return 0
  const common = [...left].filter((word) => right.has(word)).length
  return (2 * common) / (left.size + right.size)
}

function wordsOf(text: string): Set<string> {
  const parts = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  const words = parts.match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(words.filter((word) => !fillers.has(word)))
}
