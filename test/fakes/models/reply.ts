// The requests and answers of a scripted model, independent of the protocol.

/** One request in any protocol. */
export interface ModelRequest {
  /** 1 for the first request of the server. */
  readonly number: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed body. */
  readonly body: Record<string, unknown>
  readonly model: string
  /** The system instructions. */
  readonly system: string
  /** The text of all other messages, joined. */
  readonly text: string
  /** The names of the offered tools. */
  readonly tools: readonly string[]
  readonly toolChoice: 'auto' | 'none' | 'required'
  /** The results of tools in the conversation so far, oldest first. */
  readonly toolResults: readonly string[]
  /** How JSON is requested: by a schema, by a tool named `json`, or not at all. */
  readonly jsonMode: 'schema' | 'json tool' | null
  readonly stream: boolean
}

/** The reported token usage. Default: 1000 in, none of them cached, 100 out. */
export interface ReplyUsage {
  readonly input?: number
  readonly cached?: number
  readonly output?: number
}

/** How the transfer of an answer is interrupted. */
export interface Transport {
  /** Breaks the connection after this many bytes of the body. */
  readonly cutAfterBytes?: number
  /** Ends the body cleanly, but too early, after this many bytes. */
  readonly endAfterBytes?: number
  /** Stalls after this many bytes of the body, until the client or the server disconnects. */
  readonly hangAfterBytes?: number
}

/** The answer of the model. */
export type Content =
  | { readonly text: string }
  /** JSON in the protocol's form: plain text, or a call of the `json` tool. */
  | { readonly json: unknown }
  | {
      readonly toolCalls: readonly { readonly name: string; readonly input: unknown }[]
      readonly text?: string
    }
  /** A refusal. */
  | { readonly refusal: string }
  /** An answer that ends at the output limit, after this text. */
  | { readonly length: string }
  /** An empty answer. */
  | { readonly empty: true }
  /** Status 200, then an error event within the stream, after some text. */
  | { readonly errorAfter200: { readonly type: string; readonly message: string } }

export type Reply =
  | (Content & Transport & { readonly usage?: ReplyUsage })
  /** A plain HTTP answer; `body` is sent as JSON unless it is a string. */
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  /** No answer at all, not even a status. */
  | { readonly hang: true }

/** Returns the answer to each request. It may be asynchronous: the request waits meanwhile. */
export type Script = (request: ModelRequest) => Reply | Promise<Reply>

export interface Usage {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** The mapping of one protocol to requests and replies. */
export interface Protocol {
  /** The path of the base URL, for example `/v1`. */
  readonly basePath: string
  /** Returns whether a request asks the model for an answer. */
  matches(path: string): boolean
  read(
    path: string,
    body: Record<string, unknown>,
  ): Omit<ModelRequest, 'number' | 'path' | 'headers' | 'body'>
  /** The answer's body: events of a stream, or one JSON document. */
  write(request: ModelRequest, content: Content, usage: Usage): string
  /** The body of an error status. */
  writeError(status: number, message: string): unknown
}

/** Renders server-sent events, named where `event` is given. */
export function toServerSentEvents(events: readonly { event?: string; data: unknown }[]): string {
  return events
    .map(({ event, data }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
    })
    .join('')
}

/** Splits a text into chunks, as a model streams it. */
export function splitText(text: string, size = 200): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

/** Returns all strings under the given key anywhere in a value, in order. */
export function collectTexts(value: unknown, key = 'text'): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) =>
    name === key && typeof child === 'string' ? [child] : collectTexts(child, key),
  )
}

export function asArray(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : []
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
