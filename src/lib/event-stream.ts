// Writes server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from 'node:stream'

export interface EventStream {
  readonly output: Readable
  /** @param data is sent as JSON */
  send(event: string, data: unknown): void
  /** @param text must be one line */
  sendText(event: string, text: string): void
  /** Sends a comment, so that the connection doesn't look idle. */
  keepAlive(): void
  /** Ends the stream after the buffered events. */
  end(): void
}

interface EventStreamOptions {
  /** The time that clients must wait before they reconnect. */
  readonly retryMs: number
  /** The time that a reader has for the buffered events when the stream ends. */
  readonly drainTimeoutMs: number
  /** A reader with more buffered characters when the next event arrives is disconnected. */
  readonly maxBufferedCharacters: number
  /** Called when a slow reader is disconnected. */
  readonly onSlowReader?: () => void
}

export function openEventStream(options: EventStreamOptions): EventStream {
  // With an encoding, texts are buffered as texts, and `readableLength` counts characters.
  const output = new Readable({ read() {}, encoding: 'utf8' })
  let isEnded = false
  const end = () => {
    if (isEnded) return
    isEnded = true
    output.push(null)
    // A reader that doesn't read must not delay the end.
    setTimeout(() => output.destroy(), options.drainTimeoutMs).unref()
  }
  const write = (text: string) => {
    if (isEnded || output.destroyed) return
    if (output.readableLength <= options.maxBufferedCharacters) {
      output.push(text)
      return
    }
    // The comment helps people who inspect the stream.
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
