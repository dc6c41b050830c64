// Finds the JSON of a model's answer in its text.
import { parsePartialJson } from 'ai'

/** A text with more opening brackets is code or prose. */
const maxAttempts = 200

interface FoundJson {
  readonly value: unknown
  /** Whether the JSON is the whole text, with or without a Markdown fence around it. */
  readonly isWholeText: boolean
}

/**
 * Finds the JSON that a text consists of, fenced or not, or else the only object within the text.
 * Returns undefined for several objects, because all but one are quotations.
 */
export function findJson(text: string): FoundJson | undefined {
  const whole = parse(stripFence(text))
  if (whole !== undefined) return { value: whole, isWholeText: true }
  const objects = findObjects(text)
  return objects.length === 1 ? { value: objects[0], isWholeText: false } : undefined
}

/** Finds the JSON in a text that was cut, and closes its strings, arrays and objects. */
export async function findTruncatedJson(text: string): Promise<FoundJson | undefined> {
  const start = findNextBracket(text, 0)
  if (start === -1 || findValueEnd(text, start) !== -1) return findJson(text)
  const { value, state } = await parsePartialJson(text.slice(start))
  if (state === 'failed-parse') return findJson(text)
  return { value, isWholeText: stripFence(text).startsWith(text.slice(start).trimEnd()) }
}

/** Drops the Markdown fence that encloses a text. */
function stripFence(text: string): string {
  const trimmed = text.trim()
  const opening = /^```\w*\s*/.exec(trimmed)
  if (opening === null) return trimmed
  return trimmed.slice(opening[0].length, trimmed.endsWith('```') ? -3 : undefined).trim()
}

/** Finds the outermost objects of a text; none when it has too many brackets. */
function findObjects(text: string): unknown[] {
  const objects: unknown[] = []
  let attempts = 0
  let start = findNextBracket(text, 0)
  while (start !== -1) {
    if (attempts === maxAttempts) return []
    attempts += 1
    const end = findValueEnd(text, start)
    // Lists within a text, such as `[1]`, are mostly not JSON.
    const isObject = end !== -1 && text[start] === '{'
    const value = isObject ? parse(text.slice(start, end)) : undefined
    if (value !== undefined) objects.push(value)
    start = findNextBracket(text, end === -1 ? start + 1 : end)
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

/** Returns the index after the bracket that closes the one at `start`, or -1. */
function findValueEnd(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    switch (text[index]) {
      case '"':
        index = findStringEnd(text, index)
        if (index === -1) return -1
        break
      case '{':
      case '[':
        depth += 1
        break
      case '}':
      case ']':
        depth -= 1
        if (depth === 0) return index + 1
        break
    }
  }
  return -1
}

/** Returns the index of the quotation mark that closes the string at `start`, or -1. */
function findStringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '"') return index
    if (text[index] === '\\') index += 1
  }
  return -1
}
