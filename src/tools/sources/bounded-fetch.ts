// Reads from strangers over HTTP: follows no redirect, listens no longer than asked to, reads no more than so much.
import { UmpireError } from '../../domain/errors.ts'

/**
 * A `fetch` for one connection.
 *
 * @param streams how many streams may be opened that bring what wasn't asked for; further ones are turned down here
 * @param mostBytes of one answer, and of such a stream until the next question
 */
export function createBoundedFetch(streams: number, mostBytes: number) {
  let opened = 0
  /** What the open stream may still bring. */
  const quota = { left: mostBytes }
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const isStream = (init?.method ?? 'GET') === 'GET'
    if (isStream) {
      opened += 1
      if (opened > streams) return new Response(null, { status: 405 })
    }
    quota.left = mostBytes
    // A redirect would take our token elsewhere.
    const response = await fetch(url, { ...init, redirect: 'error' })
    if (response.body === null) return response
    const allowed = isStream ? quota : { left: mostBytes }
    const { status, statusText, headers } = response
    return new Response(boundBytes(response.body, allowed), { status, statusText, headers })
  }
}

function boundBytes(body: ReadableStream<Uint8Array>, allowed: { left: number }): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        allowed.left -= chunk.length
        if (allowed.left >= 0) controller.enqueue(chunk)
        else controller.error(new UmpireError('source_too_large', 'it answered with too much'))
      },
    }),
  )
}
