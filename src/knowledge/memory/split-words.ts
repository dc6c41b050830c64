// Splits text, paths and identifiers into the words that a search compares.

/** Longer ones are data, not words. */
const maxWordLength = 64

const stopWords = new Set(
  `a an and are as at be been but by can for from had has have how i if in into is it its may more must no nor not of on
  or our should so such than that the their them then there these they this those to was we were what when where which
  who will with would you your`.split(/\s+/),
)

/** Between `order` and `Store`, `HTTP` and `Server`, `oauth` and `2`, `2` and `fa`. Looks at single letters only. */
const wordBoundary = new RegExp(
  [
    String.raw`(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})`,
    String.raw`(?<=\p{N})(?=\p{L})`,
  ].join('|'),
  'u',
)

/**
 * The words of a text, in their order, as often as they occur: lower case, without plural endings and words that say
 * nothing. An identifier gives its parts and, where it has several, itself (`orderStore`: `order`, `store`, `orderstore`).
 *
 * @param most stops after so many
 */
export function splitWords(text: string, most: number): string[] {
  const words: string[] = []
  for (const [identifier] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (words.length >= most) break
    if (identifier.length > maxWordLength) continue
    const parts = identifier.split('_').flatMap((part) => part.split(wordBoundary))
    const named = parts.filter((part) => part !== '')
    if (named.length > 1) named.push(named.join(''))
    for (const part of named) {
      const word = part.toLowerCase()
      if (word.length > 1 && !stopWords.has(word)) words.push(dropPlural(word))
    }
  }
  return words.slice(0, most)
}

/** `stories` as `story`, `boxes` as `box`, `orders` as `order`; `class`, `status` and `analysis` as they are. */
function dropPlural(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /[sui]s$/.test(word)) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(ss|x|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
