// Puts text that others wrote into a prompt so that it can be told from ours: fenced, labelled, nothing invisible.
import { randomBytes } from 'node:crypto'

/**
 * Makes invisible characters visible: controls (but tab, line feed, and carriage return before it), formatting and
 * direction marks, tags, fillers and variation selectors other than the one for emoji become `⟦U+202E⟧`. So nothing
 * can be said to the model that a person doesn't see. `restoreInvisible` turns a quote back.
 */
export function showInvisible(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /\r(?!\n)|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|[\u{FE00}-\u{FE0E}]|[\u{E0100}-\u{E01EF}]/gu,
      (character) => `⟦U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`,
    )
}

const shown = /⟦U\+([0-9A-F]{4,6})⟧/g

/** What `showInvisible` made of a text, as it was: for code that a model copied. */
export function restoreInvisible(text: string): string {
  return text.replace(shown, (whole, digits: string) => {
    const codePoint = Number.parseInt(digits, 16)
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole
  })
}

/** Whether a text holds a character that `showInvisible` made visible. */
export function holdsShown(text: string): boolean {
  return text.search(shown) !== -1
}

/** Where a block comes from. */
export interface BlockOrigin {
  readonly origin: string
  readonly trust: 'base_branch' | 'untrusted'
  readonly path: string | null
}

/** Fences blocks with a mark that nobody could know when the text was written. */
export interface Fence {
  readonly mark: string
  /** @param maxLength of what is shown of the text, in characters; the rest is cut, and that is said */
  wrap(from: BlockOrigin, text: string, maxLength?: number): string
}

/** Makes the fence of one review: with one mark for all of its messages, so that what they share is the same. */
export function createFence(): Fence {
  const mark = randomBytes(8).toString('hex')
  const clean = (text: string) => showInvisible(text).replaceAll(mark, '')
  return {
    mark,
    wrap: ({ origin, trust, path }, text, maxLength = Infinity) => {
      const place = path === null ? '' : ` path=${JSON.stringify(clean(path))}`
      return `<data-${mark} origin="${origin}" trust="${trust}"${place}>\n${cut(clean(text), maxLength)}\n</data-${mark}>`
    },
  }
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength).toWellFormed()}\n[cut here: too long]`
}
