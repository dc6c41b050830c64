// Reads from strangers over HTTP: follows no redirect, listens no longer than asked to, reads no more than so much.
import { UmpireError } from '../../domain/errors.ts'

/** The code of an answer of our own, in the place of one that was too large. */
export const responseTooLargeCode = -32_099

export interface FetchBounds {
  /** How many streams may be opened that bring what wasn't asked for; further ones are turned down here. */
  readonly maxStreams: number
  /** Of one answer, and of such a stream until the next question. */
  readonly maxBytes: number
  /** Called when more comes. @param sent what was posted last, the newest last: what the answer may belong to */
  readonly onTooLarge: (sent: readonly unknown[]) => void
}

/** Questions on a stream that may still wait for their answers. */
const maxPendingRequests = 100

/** A `fetch` for one connection. */
export function createBoundedFetch({
  maxStreams: streams,
  maxBytes: mostBytes,
  onTooLarge,
}: FetchBounds) {
  let opened = 0
  /** What the open stream may still bring. */
  const quota = { left: mostBytes }
  const sent: unknown[] = []
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const isStream = (init?.method ?? 'GET') === 'GET'
    if (isStream) {
      opened += 1
      if (opened > streams) return new Response(null, { status: 405 })
    } else {
      sent.push(init?.body)
      if (sent.length > maxPendingRequests) sent.shift()
    }
    quota.left = mostBytes
    // A redirect would take our token elsewhere.
    const response = await fetch(url, { ...init, redirect: 'error' })
    if (response.body === null) return response
    const allowed = isStream ? quota : { left: mostBytes }
    const { status, statusText, headers } = response
    const body = limitBytes(response.body, allowed, () =>
      onTooLarge(isStream ? sent : [init?.body]),
    )
    return new Response(body, { status, statusText, headers })
  }
}

function limitBytes(
  body: ReadableStream<Uint8Array>,
  allowed: { left: number },
  onTooLarge: () => void,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        allowed.left -= chunk.length
        if (allowed.left >= 0) return controller.enqueue(chunk)
        controller.error(new UmpireError('source_too_large', 'it answered with too much'))
        onTooLarge()
      },
    }),
  )
}
