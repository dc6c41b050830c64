// A fetch that gives up when the other side sends no bytes for a while, before or within the answer, or too many.
import { ModelError } from '../domain/errors.ts'

/** Largest answer in bytes: the longest ones take a few MB, with all that protocols put around each token. */
const maxBytes = 64 * 1024 * 1024
/** Largest body of an error, in bytes; what is longer is cut, for the status says enough. */
const maxErrorBytes = 256 * 1024

/**
 * Makes a fetch for one provider. Every received byte, also one that keeps a stream alive, starts the wait anew; after
 * 64 MB the answer fails. Redirects are refused: they would carry the key to another address.
 *
 * @param idleTimeoutMs longest silence, in milliseconds
 */
export function createIdleFetch(idleTimeoutMs: number): typeof globalThis.fetch {
  return async (input, init) => {
    const idle = new AbortController()
    const giveUp = () => idle.abort(idleTimeoutError(idleTimeoutMs))
    let timer = setTimeout(giveUp, idleTimeoutMs)
    const restart = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, idleTimeoutMs)
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
  const most = isAnswer ? maxBytes : maxErrorBytes
  let received = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        received += value?.length ?? 0
        if (received > most) {
          // Not waited for: a server that won't stop may not confirm it either.
          reader.cancel().catch(() => {})
          if (isAnswer)
            throw new ModelError(
              'model_unavailable',
              `The model sent more than ${most / 1024 ** 2} MB.`,
            )
        }
        if (done || received > most) {
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

function idleTimeoutError(milliseconds: number): ModelError {
  return new ModelError('model_unavailable', `The model sent nothing for ${milliseconds / 1000} s.`)
}
