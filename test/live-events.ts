// A client of server-sent events, based on `eventsource`, for tests of the live stream.
import { EventSource } from 'eventsource'

export interface LiveEvents extends Disposable {
  /** Returns the next event in order of arrival. Rejects when the stream has ended. */
  next(): Promise<{ type: string; data: unknown }>
  /** Resolves when the connection was lost. */
  readonly ended: Promise<void>
}

const defaultTypes = ['ready', 'review', 'repository', 'resync']

/** Opens `/api/v1/live` and waits for its first event. It doesn't reconnect. */
export async function followLive(
  url: string,
  headers: Record<string, string>,
  types: readonly string[] = defaultTypes,
): Promise<LiveEvents> {
  const arrived: { type: string; data: unknown }[] = []
  const ended = Promise.withResolvers<void>()
  let waiting = Promise.withResolvers<void>()
  const source = new EventSource(`${url}/api/v1/live`, {
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...init.headers, ...headers } } as RequestInit),
  })
  for (const type of types) {
    source.addEventListener(type, ({ data }) => {
      arrived.push({ type, data: JSON.parse(data) })
      waiting.resolve()
    })
  }
  source.addEventListener('error', () => {
    source.close()
    ended.resolve()
  })
  const next = async (): Promise<{ type: string; data: unknown }> => {
    if (arrived.length === 0) {
      const isOver = await Promise.race([waiting.promise, ended.promise.then(() => true)])
      if (isOver && arrived.length === 0) throw new Error('The stream is over')
      waiting = Promise.withResolvers()
    }
    const event = arrived.shift()
    return event ?? next()
  }
  const first = await next()
  if (first.type !== 'ready') throw new Error(`The first event is ${first.type}`)
  return { next, ended: ended.promise, [Symbol.dispose]: () => source.close() }
}
