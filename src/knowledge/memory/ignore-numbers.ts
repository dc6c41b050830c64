// Normalizes computed texts so that they can be compared without their numbers.

/** Lists of pull requests such as `#5, #3 and earlier ones`. */
const pullRequestNumbers = /#\d+((, | and )(#\d+|earlier ones))*/g

/** A whole number that isn't a part of a name, a path or a version. */
const wholeNumber = /(?<![\p{L}\p{N}_.#/@-])\d[\d,]*(?![\p{L}\p{N}_/@-]|[.,]\d)/gu

/** Replaces numbers, and drops plural endings that depend on them. Only for comparing. */
export function withoutNumbers(text: string): string {
  return text
    .replaceAll(pullRequestNumbers, '#')
    .replaceAll(wholeNumber, '0')
    .replaceAll(/ies\b/g, 'y')
    .replaceAll(/s\b/g, '')
}
