// Counts tokens with a tokenizer, or estimates them in one pass.

export type CountTokens = (text: string) => number

/** Vendors have different tokenizers, so counts are multiplied by this margin. */
const vendorMargin = 1.15

/** The tokenizer's time is quadratic in the length of a run of letters, so text is split. */
const maxChunkLength = 2000

/**
 * Loads the tokenizer, which is large and only needed with a model.
 *
 * @param margin factor for counts, 1 for exact counts
 */
export async function loadTokenCounter(margin = vendorMargin): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const options = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
  return (text) => {
    let tokens = 0
    for (let start = 0; start < text.length; start += maxChunkLength) {
      tokens += countTokens(text.slice(start, start + maxChunkLength), options)
    }
    return Math.ceil(tokens * margin)
  }
}

/** The classes of characters by which tokens are estimated. */
const space = 0
const lower = 1
const upper = 2
const digit = 3
const mark = 4
const nonAscii = 5

const classOfAscii = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return lower
  if (/[A-Z]/.test(character)) return upper
  if (/[0-9]/.test(character)) return digit
  return /[\s\0]/.test(character) ? space : mark
})

/**
 * A run of characters of one class has a token per this many. Index is the class; spaces differ.
 */
const charactersPerToken = [1, 6, 3, 3, 4, 1] as const

const lineFeed = 10

/**
 * Estimates the tokens of code: one for each part of a name, three digits, run of marks or line. On
 * real changes the estimate is within a quarter of the tokenizer's count.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let run = 0
  let last = space
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? classOfAscii[code]! : nonAscii
    // The lower-case letters after a capital belong to its token.
    const isAfterCapital = kind === lower && last === upper
    run = kind === last || isAfterCapital ? run + 1 : 1
    if (kind === space) {
      // A single space belongs to the next word; runs of spaces, and line ends, are tokens.
      if (code === lineFeed || run === 2) tokens++
    } else if (!isAfterCapital && startsToken(kind, run)) tokens++
    last = kind
  }
  return tokens
}

function startsToken(kind: number, run: number): boolean {
  const length = charactersPerToken[kind]!
  return length === 1 || run % length === 1
}
