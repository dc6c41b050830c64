// Finds the JSON in a model's text: bare, in a code fence, between sentences, or cut at the end.
import { parsePartialJson } from 'ai'

/** Beyond this many opening brackets that lead nowhere the text isn't JSON with words around it. */
const maxAttempts = 200

/**
 * The JSON object or array in a text; the longest where there are several.
 *
 * @returns undefined where there is none
 */
export function findJson(text: string): unknown {
  const whole = parse(text.trim())
  if (whole !== undefined) return whole
  let best: { length: number; value: unknown } | undefined
  let attempts = 0
  for (let at = nextOpening(text, 0); at !== -1 && attempts < maxAttempts; attempts++) {
    const end = endOfValue(text, at)
    const value = end === -1 ? undefined : parse(text.slice(at, end))
    if (value !== undefined && end - at > (best?.length ?? 0)) best = { length: end - at, value }
    at = nextOpening(text, value === undefined ? at + 1 : end)
  }
  return best?.value
}

/** What there is of the JSON in a text that was cut: open strings, arrays and objects are closed. */
export async function findCutJson(text: string): Promise<unknown> {
  const start = nextOpening(text, 0)
  if (start === -1) return undefined
  const { value, state } = await parsePartialJson(text.slice(start))
  return state === 'failed-parse' ? findJson(text) : value
}

function parse(text: string): unknown {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function nextOpening(text: string, from: number): number {
  const found = text.slice(from).search(/[{[]/)
  return found === -1 ? -1 : from + found
}

/** Index after the bracket that closes the one at `start`; -1 where none does. */
function endOfValue(text: string, start: number): number {
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
