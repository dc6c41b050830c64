// Reads the headers of webhook requests, and their JSON at a bounded cost.
import type { z } from 'zod'
import { UmpireError } from '../domain/errors.ts'

/** Platforms nest a dozen levels at most. Serializing a much deeper value overflows the stack. */
const maxDepth = 500

/** Joins the values of a header that was sent twice, so that neither passes for the only one. */
export function readHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const escapedSurrogatePair = String.raw`\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}`
const escapedLoneSurrogate = String.raw`\\u[dD][89a-fA-F][\da-fA-F]{2}`
const escapedNul = String.raw`\\u0000`
/**
 * Matches other escapes too, so that the `u` after an escaped backslash doesn't look like an
 * escape.
 */
const anyEscape = String.raw`\\.`
const escapes = new RegExp(
  [escapedSurrogatePair, escapedLoneSurrogate, escapedNul, anyEscape].join('|'),
  'gs',
)

/** Replaces NUL and lone surrogates, raw or escaped, which databases don't accept in text. */
export function toStorableJson(body: Buffer): string {
  const json = body.toString('utf8')
  const text = json.includes('\0') ? json.replaceAll('\0', '\uFFFD') : json
  if (!/\\u(?:0000|[dD][89a-fA-F])/.test(text)) return text
  const singleEscapeLength = String.raw`\u0000`.length
  return text.replace(escapes, (match) => (match.length === singleEscapeLength ? '\uFFFD' : match))
}

/**
 * Parses a JSON object.
 *
 * @throws UmpireError `delivery_invalid` when it isn't one or is nested too deeply
 */
export function parseDeliveryJson<T>(json: string, schema: z.ZodType<T>): T {
  if (isDeeperThan(json, maxDepth))
    throw invalidDelivery(`The body nests deeper than ${maxDepth} levels.`)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw invalidDelivery('The body is not JSON.')
  }
  const fields = schema.safeParse(value)
  if (!fields.success) throw invalidDelivery('The body is not a JSON object.')
  return fields.data
}

function isDeeperThan(json: string, limit: number): boolean {
  let depth = 0
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === 0x22) index = findStringEnd(json, index)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length
}

export function invalidDelivery(message: string): UmpireError {
  return new UmpireError('delivery_invalid', message)
}
