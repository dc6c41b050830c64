// Conditional requests: an answer that the client has already is 304, and free.
import { createHash } from 'node:crypto'
import { type ForgeRequest, type ForgeResponse, header } from './http.ts'
import type { ForgeState } from './state.ts'

/** Adds the answer's tag, and leaves the body out where the client named that tag. */
export function answerConditionally(
  state: ForgeState,
  request: ForgeRequest,
  response: ForgeResponse,
): ForgeResponse {
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (!reading || response.status !== 200) return response
  const hash = createHash('sha256').update(header(request, 'accept')).update(response.body)
  // A tag that one token got is not valid for another one, not even for the next of an installation.
  hash.update(header(request, 'authorization'))
  const tag = `"${hash.digest('hex')}"`
  const headers = { ...response.headers, etag: `W/${tag}`, 'cache-control': 'private, max-age=60' }
  const known = header(request, 'if-none-match')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
  if (!known.includes(tag)) return { ...response, headers }
  const free = request.token !== null
  if (free) state.rateLimit.remaining += 1
  const remaining = String(Math.min(state.rateLimit.remaining, state.rateLimit.limit))
  const limit: Record<string, string> = free ? { 'x-ratelimit-remaining': remaining } : {}
  return { status: 304, headers: { ...headers, ...limit }, body: '' }
}
