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

/**
 * Opens a stream.
 *
 * @param options.retryMs what clients are told to wait before they connect again
 * @param options.lastReadMs how long a reader may take for what waits when the stream ends
 * @param options.waitingBytes a reader for whom more than this waits is cut off: `output` is destroyed
 */
export function openEventStream(options: { retryMs: number; waitingBytes: number; lastReadMs: number }): EventStream {
  const output = new Readable({ read() {} })
  let ended = false
  const write = (text: string) => {
    if (ended || output.destroyed) return
    output.push(text)
    if (output.readableLength > options.waitingBytes) output.destroy()
  }
  write(`retry: ${options.retryMs}\n\n`)
  return {
    output,
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    sendText: (event, text) => write(`event: ${event}\ndata: ${text}\n\n`),
    keepAlive: () => write(': still here\n\n'),
    end: () => {
      if (ended) return
      ended = true
      output.push(null)
      // A reader that doesn't take what waits for it can't hold the end up.
      setTimeout(() => output.destroy(), options.lastReadMs).unref()
    },
  }
}
