// Server-sent events as a stream of text: https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from 'node:stream'

export interface EventStream {
  /** What goes out. */
  readonly output: Readable
  /** @param data JSON of it is sent */
  send(event: string, data: unknown): void
  /** @param text one line */
  sendText(event: string, text: string): void
  /** Keeps the connection from looking idle. */
  keepAlive(): void
  /** Ends it; what waits still goes out. */
  end(): void
}

export interface EventStreamOptions {
  /** What clients are told to wait before they connect again. */
  readonly retryMs: number
  /** How long a reader may take for what waits when the stream ends. */
  readonly drainTimeoutMs: number
  /** A reader for whom more than so many characters wait when the next event comes is cut off. */
  readonly maxBufferedCharacters: number
  /** Called when that happens. */
  readonly onSlowReader?: () => void
}

/** Opens a stream. */
export function openEventStream(options: EventStreamOptions): EventStream {
  // With an encoding, texts go on as they are.
  const output = new Readable({ read() {}, encoding: 'utf8' })
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    output.push(null)
    // A reader that doesn't take what waits for it can't hold the end up.
    setTimeout(() => output.destroy(), options.drainTimeoutMs).unref()
  }
  const write = (text: string) => {
    if (ended || output.destroyed) return
    if (output.readableLength <= options.maxBufferedCharacters) {
      output.push(text)
      return
    }
    // For people who look: it stands behind all that they did not read.
    output.push(': cut off, for too much waited to be read\n\n')
    end()
    options.onSlowReader?.()
  }
  write(`retry: ${options.retryMs}\n\n`)
  return {
    output,
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    sendText: (event, text) => write(`event: ${event}\ndata: ${text}\n\n`),
    keepAlive: () => write(': still here\n\n'),
    end,
  }
}
