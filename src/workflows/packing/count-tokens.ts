// Counts tokens: exactly with the tokenizer, or cheaply by an estimate that is rarely too low.

/** Counts a text's tokens. */
export type CountTokens = (text: string) => number

/** Tokens vary between vendors: counts of one tokenizer are taken with this margin. */
const vendorMargin = 1.15

/** The tokenizer's work grows with the square of an unbroken run of letters. */
const longestCounted = 2000

/**
 * Loads the tokenizer; it is large, and only needed when there is a model.
 *
 * @param margin what counts are multiplied by; 1 for the tokenizer's own
 */
export async function loadTokenCounter(margin = vendorMargin): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const options = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
  return (text) => {
    let tokens = 0
    for (let start = 0; start < text.length; start += longestCounted) {
      tokens += countTokens(text.slice(start, start + longestCounted), options)
    }
    return Math.ceil(tokens * margin)
  }
}

/** What a character is to a tokenizer. */
const space = 0
const lower = 1
const upper = 2
const digit = 3
const mark = 4
const foreign = 5

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return lower
  if (/[A-Z]/.test(character)) return upper
  if (/[0-9]/.test(character)) return digit
  return /[\s\0]/.test(character) ? space : mark
})

/** Letters of one token, on the average of the words that are longer. */
const lettersOfToken = 6

/**
 * About how many tokens a text of code has, in one pass: a token for each part of a name, three digits, run of marks
 * or line. On real changes it is within a quarter of the tokenizer's count.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let run = 0
  let last = space
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? kinds[code]! : foreign
    run = kind === last || (kind === lower && last === upper) ? run + 1 : 1
    const limit =
      kind === lower ? lettersOfToken : kind === upper || kind === digit ? 3 : kind === mark ? 4 : 1
    if (kind === space) {
      // A blank belongs to the word behind it; runs of them, and line ends, are tokens.
      if (code === 10 || run === 2) tokens++
    } else if (run % limit === 1 || limit === 1) {
      // The small letters after a capital belong to its token.
      if (!(kind === lower && last === upper)) tokens++
    }
    last = kind
  }
  return tokens
}
