// Tells whether two texts that were computed say the same but for their figures.

/** Pull requests by number, one after the other, as `#5, #3 and earlier ones`. */
const pullRequestNumbers = /#\d+((, | and )(#\d+|earlier ones))*/g

/** A whole number on its own: neither a part of a name, a path or a version. */
const wholeNumber = /(?<![\p{L}\p{N}_.#/@-])\d[\d,]*(?![\p{L}\p{N}_/@-]|[.,]\d)/gu

/** What is left of a text when its figures don't count, nor the plurals that come with them. For comparing only. */
export function withoutNumbers(text: string): string {
  return text
    .replaceAll(pullRequestNumbers, '#')
    .replaceAll(wholeNumber, '0')
    .replaceAll(/ies\b/g, 'y')
    .replaceAll(/s\b/g, '')
}
