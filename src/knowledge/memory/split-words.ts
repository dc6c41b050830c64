// Splits text, paths and identifiers into search words.

/** Longer identifiers are data, not words. */
const maxWordLength = 64

const stopWords = new Set(
  `a an and are as at be been but by can for from had has have how i if in into is it its may more
  must no nor not of on or our should so such than that the their them then there these they this
  those to was we were what when where which who will with would you your`.split(/\s+/),
)

/** It splits `order` and `Store`, `HTTP` and `Server`, `oauth` and `2`, `2` and `fa`. */
const wordBoundary = new RegExp(
  [
    String.raw`(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})`,
    String.raw`(?<=\p{N})(?=\p{L})`,
  ].join('|'),
  'u',
)

/**
 * Returns the words of a text with repetitions, in lower case, without plural endings and stop
 * words. An identifier of several words gives its parts and itself (`orderStore`: `order`, `store`,
 * `orderstore`).
 *
 * @param limit the maximum number of words
 */
export function splitWords(text: string, limit: number): string[] {
  const words: string[] = []
  for (const [identifier] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (words.length >= limit) break
    if (identifier.length > maxWordLength) continue
    const parts = identifier.split('_').flatMap((part) => part.split(wordBoundary))
    const nonEmptyParts = parts.filter((part) => part !== '')
    if (nonEmptyParts.length > 1) nonEmptyParts.push(nonEmptyParts.join(''))
    for (const part of nonEmptyParts) {
      const word = part.toLowerCase()
      if (word.length > 1 && !stopWords.has(word)) words.push(dropPlural(word))
    }
  }
  return words.slice(0, limit)
}

/** Turns `stories` into `story`, `boxes` into `box`, but keeps `class`, `status` and `analysis`. */
function dropPlural(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /[sui]s$/.test(word)) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(ss|x|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
