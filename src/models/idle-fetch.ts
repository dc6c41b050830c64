// A `fetch` for providers that fails when no bytes arrive for a while, or too many.
import { ModelError } from '../domain/errors.ts'

/** The longest answers take a few MB, including what protocols add to each token. */
const maxBytes = 64 * 1024 * 1024
/** Longer bodies of errors are cut, because the status is enough. */
const maxErrorBytes = 256 * 1024

/**
 * Makes a `fetch` for one provider. Every received byte, also one that keeps a stream alive,
 * restarts the timeout. Redirects are refused, because they would send the key to another address.
 */
export function createIdleFetch(idleTimeoutMs: number): typeof globalThis.fetch {
  return async (input, init) => {
    const idle = new AbortController()
    const abort = () => idle.abort(idleTimeoutError(idleTimeoutMs))
    let timer = setTimeout(abort, idleTimeoutMs)
    const restart = () => {
      clearTimeout(timer)
      timer = setTimeout(abort, idleTimeoutMs)
    }
    const signal = init?.signal ? AbortSignal.any([init.signal, idle.signal]) : idle.signal
    try {
      const response = await fetch(input, { ...init, signal, redirect: 'error' })
      if (response.body === null) {
        clearTimeout(timer)
        return response
      }
      restart()
      const body = watchBody(response.body, response.ok, restart, () => clearTimeout(timer))
      return new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      })
    } catch (error) {
      clearTimeout(timer)
      throw error
    }
  }
}

function watchBody(
  body: ReadableStream<Uint8Array>,
  isAnswer: boolean,
  onBytes: () => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const limit = isAnswer ? maxBytes : maxErrorBytes
  let received = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        received += value?.length ?? 0
        if (received > limit) {
          // This isn't awaited, because a hostile server may never confirm the cancellation.
          reader.cancel().catch(() => {})
          if (isAnswer) throw answerTooLargeError(limit)
        }
        if (done || received > limit) {
          onEnd()
          controller.close()
        } else {
          onBytes()
          controller.enqueue(value)
        }
      } catch (error) {
        onEnd()
        throw error
      }
    },
    async cancel(reason) {
      onEnd()
      await reader.cancel(reason)
    },
  })
}

function answerTooLargeError(limit: number): ModelError {
  const megabytes = limit / 1024 ** 2
  return new ModelError('model_unavailable', `The model sent more than ${megabytes} MB.`)
}

function idleTimeoutError(milliseconds: number): ModelError {
  return new ModelError('model_unavailable', `The model sent nothing for ${milliseconds / 1000} s.`)
}
