// Puts text that others wrote into a prompt so that it can be told from ours: fenced, labelled, nothing invisible.
import { randomBytes } from 'node:crypto'

/**
 * Makes invisible characters visible: controls (but tab, line feed, and carriage return before it), formatting and
 * direction marks, tags, fillers and variation selectors other than the one for emoji become `⟦U+202E⟧`. So nothing
 * can be said to the model that a person doesn't see. `unescapeInvisible` turns a quote back.
 */
export function escapeInvisible(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /\r(?!\n)|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|[\u{FE00}-\u{FE0E}]|[\u{E0100}-\u{E01EF}]/gu,
      (character) => `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`,
    )
}

const escapedCharacter = /⟦U\+([0-9A-F]{4,6})⟧/g

/** What `escapeInvisible` made of a text, as it was: for code that a model copied. */
export function unescapeInvisible(text: string): string {
  return text.replace(escapedCharacter, (whole, digits: string) => {
    const codePoint = Number.parseInt(digits, 16)
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole
  })
}

/** Whether a text holds a character that `escapeInvisible` made visible. */
export function hasEscapedCharacter(text: string): boolean {
  return text.search(escapedCharacter) !== -1
}

/** Where a block comes from. */
export interface BlockOrigin {
  readonly origin: string
  readonly trust: 'base_branch' | 'untrusted'
  readonly path: string | null
}

/** Fences blocks with a mark that nobody could know when the text was written. */
export interface PromptFence {
  readonly mark: string
  /** @param maxLength of what is shown of the text, in characters; the rest is cut, and that is said */
  wrap(from: BlockOrigin, text: string, maxLength?: number): string
}

/** Makes the fence of one review: with one mark for all of its messages, so that what they share is the same. */
export function createPromptFence(): PromptFence {
  const mark = randomBytes(8).toString('hex')
  const clean = (text: string) => escapeInvisible(text).replaceAll(mark, '')
  return {
    mark,
    wrap: ({ origin, trust, path }, text, maxLength = Infinity) => {
      const place = path === null ? '' : ` path=${JSON.stringify(clean(path))}`
      return `<data-${mark} origin="${origin}" trust="${trust}"${place}>\n${truncate(clean(text), maxLength)}\n</data-${mark}>`
    },
  }
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength).toWellFormed()}\n[cut here: too long]`
}
