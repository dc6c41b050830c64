// Finds the JSON in a model's text, and tells an answer from JSON that the text only mentions.
import { parsePartialJson } from 'ai'

/** Beyond this many opening brackets that lead nowhere the text isn't JSON with words around it. */
const maxAttempts = 200

/** JSON that was found in a text. */
export interface FoundJson {
  readonly value: unknown
  /** It is the whole text, or all that stands in the one fence that is the whole text. */
  readonly isWholeText: boolean
}

/**
 * The JSON that a text is: all of it, fenced or not, or else the only object between its words. Of several objects
 * none counts, for all but one are quotations, and which isn't certain; lists between words are mostly not JSON.
 *
 * @returns undefined where there is none, or more than one
 */
export function findJson(text: string): FoundJson | undefined {
  const whole = parse(stripFence(text))
  if (whole !== undefined) return { value: whole, isWholeText: true }
  const objects = findObjects(text)
  return objects.length === 1 ? { value: objects[0], isWholeText: false } : undefined
}

/** What there is of the JSON in a text that was cut: open strings, arrays and objects are closed. */
export async function findTruncatedJson(text: string): Promise<FoundJson | undefined> {
  const start = findNextBracket(text, 0)
  if (start === -1 || findValueEnd(text, start) !== -1) return findJson(text)
  const { value, state } = await parsePartialJson(text.slice(start))
  if (state === 'failed-parse') return findJson(text)
  return { value, isWholeText: stripFence(text).startsWith(text.slice(start).trimEnd()) }
}

/** A text that is one fence without it; any other as it is, both without blanks around. */
function stripFence(text: string): string {
  const trimmed = text.trim()
  const opening = /^```\w*\s*/.exec(trimmed)
  if (opening === null) return trimmed
  return trimmed.slice(opening[0].length, trimmed.endsWith('```') ? -3 : undefined).trim()
}

/** The objects of a text that stand in no other brackets; none where there are too many brackets to tell. */
function findObjects(text: string): unknown[] {
  const objects: unknown[] = []
  let attempts = 0
  for (let at = findNextBracket(text, 0); at !== -1; attempts++) {
    if (attempts === maxAttempts) return []
    const end = findValueEnd(text, at)
    const value = end === -1 || text[at] === '[' ? undefined : parse(text.slice(at, end))
    if (value !== undefined) objects.push(value)
    at = findNextBracket(text, end === -1 ? at + 1 : end)
  }
  return objects
}

function parse(text: string): unknown {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function findNextBracket(text: string, from: number): number {
  const found = text.slice(from).search(/[{[]/)
  return found === -1 ? -1 : from + found
}

/** Index after the bracket that closes the one at `start`; -1 where none does. */
function findValueEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return -1
}
