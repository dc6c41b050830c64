// A `fetch` for untrusted servers: it follows no redirect and bounds streams and bytes.
import { UmpireError } from '../../domain/errors.ts'

/** JSON-RPC error code of the answer that replaces one that was too large. */
export const responseTooLargeCode = -32_099

interface FetchBounds {
  /** Server-sent streams (GET) that may be opened; further ones are answered with 405 here. */
  readonly maxStreams: number
  /** Limit for one answer, and for a stream between two requests. */
  readonly maxBytes: number
  /** Called above the limit. @param sent bodies that the answer may belong to, the newest last */
  readonly onTooLarge: (sent: readonly unknown[]) => void
}

/** Requests that may wait for an answer on the stream; older ones are dropped from the list. */
const maxPendingRequests = 100

/** Makes the `fetch` of one connection. */
export function createBoundedFetch({ maxStreams, maxBytes, onTooLarge }: FetchBounds) {
  let openedStreams = 0
  const streamQuota = { remainingBytes: maxBytes }
  const sent: unknown[] = []
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const isStream = (init?.method ?? 'GET') === 'GET'
    if (isStream) {
      openedStreams += 1
      if (openedStreams > maxStreams) return new Response(null, { status: 405 })
    } else {
      sent.push(init?.body)
      if (sent.length > maxPendingRequests) sent.shift()
    }
    streamQuota.remainingBytes = maxBytes
    // A redirect would send our token to another server.
    const response = await fetch(url, { ...init, redirect: 'error' })
    if (response.body === null) return response
    const quota = isStream ? streamQuota : { remainingBytes: maxBytes }
    const { status, statusText, headers } = response
    const body = limitBytes(response.body, quota, () => onTooLarge(isStream ? sent : [init?.body]))
    return new Response(body, { status, statusText, headers })
  }
}

function limitBytes(
  body: ReadableStream<Uint8Array>,
  quota: { remainingBytes: number },
  onTooLarge: () => void,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        quota.remainingBytes -= chunk.length
        if (quota.remainingBytes >= 0) return controller.enqueue(chunk)
        controller.error(new UmpireError('source_too_large', 'its answer was too large'))
        onTooLarge()
      },
    }),
  )
}
