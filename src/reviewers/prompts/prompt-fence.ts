// Fences untrusted text in a prompt, with its origin, and without invisible characters.
import { randomBytes } from 'node:crypto'

const invisibleCharacter = new RegExp(
  [
    '\\r(?!\\n)',
    // Tab and line feed are visible; the other characters are Hangul fillers.
    '(?![\\t\\n\\r])[\\p{Cc}\\p{Cf}\\p{Co}\\p{Zl}\\p{Zp}\\u115F\\u1160\\u3164\\uFFA0]',
    // U+FE0F is missing here, because emoji need it.
    '[\\u{FE00}-\\u{FE0E}]',
    '[\\u{E0100}-\\u{E01EF}]',
  ].join('|'),
  'gu',
)

/**
 * Replaces invisible characters by their code point, such as `⟦U+202E⟧`, so that a text can't
 * contain anything for the model that a person doesn't see. `unescapeInvisible` reverses it.
 */
function escapeInvisible(text: string): string {
  return text.toWellFormed().replace(invisibleCharacter, (character) => {
    const codePoint = character.codePointAt(0)!.toString(16).toUpperCase()
    return `⟦U+${codePoint.padStart(4, '0')}⟧`
  })
}

const escapedCharacter = /⟦U\+([0-9A-F]{4,6})⟧/g

/** Reverses `escapeInvisible`, for code that a model copied. */
export function unescapeInvisible(text: string): string {
  return text.replace(escapedCharacter, (whole, digits: string) => {
    const codePoint = Number.parseInt(digits, 16)
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole
  })
}

/** Whether a text contains a character that `escapeInvisible` replaced. */
export function hasEscapedCharacter(text: string): boolean {
  return text.search(escapedCharacter) !== -1
}

/** The attributes of a fenced block. */
interface BlockOrigin {
  readonly origin: string
  readonly trust: 'base_branch' | 'untrusted'
  readonly path: string | null
}

/** Fences blocks with a random mark, so that a text can't close its own block. */
export interface PromptFence {
  readonly mark: string
  /** @param maxLength in characters; a longer text is cut, with a note at its end */
  wrap(from: BlockOrigin, text: string, maxLength?: number): string
}

/** Makes the fence of one review. Its messages have one mark, so that shared parts stay equal. */
export function createPromptFence(): PromptFence {
  const mark = randomBytes(8).toString('hex')
  const clean = (text: string) => escapeInvisible(text).replaceAll(mark, '')
  return {
    mark,
    wrap: ({ origin, trust, path }, text, maxLength = Infinity) => {
      const pathAttribute = path === null ? '' : ` path=${JSON.stringify(clean(path))}`
      const opening = `<data-${mark} origin="${origin}" trust="${trust}"${pathAttribute}>`
      return `${opening}\n${truncate(clean(text), maxLength)}\n</data-${mark}>`
    },
  }
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength).toWellFormed()}\n[cut here: too long]`
}
