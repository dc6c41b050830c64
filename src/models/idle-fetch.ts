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
      const watcher = watchBytes(response.ok, restart, () => clearTimeout(timer))
      const body = response.body.pipeThrough(watcher)
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

function watchBytes(
  isAnswer: boolean,
  onBytes: () => void,
  onEnd: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  const limit = isAnswer ? maxBytes : maxErrorBytes
  let received = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      received += chunk.length
      if (received <= limit) {
        onBytes()
        controller.enqueue(chunk)
        return
      }
      onEnd()
      if (isAnswer) throw answerTooLargeError(limit)
      controller.terminate()
    },
    flush: onEnd,
    cancel: onEnd,
  })
}

function answerTooLargeError(limit: number): ModelError {
  const megabytes = limit / 1024 ** 2
  return new ModelError('model_unavailable', `The model sent more than ${megabytes} MB.`)
}

function idleTimeoutError(milliseconds: number): ModelError {
  return new ModelError('model_unavailable', `The model sent nothing for ${milliseconds / 1000} s.`)
}
