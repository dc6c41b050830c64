// What a scripted model is asked and what it answers, in words of no protocol.

/** One request, as every protocol puts it. */
export interface ModelRequest {
  /** 1 for the first request of the server. */
  readonly number: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as it came, parsed. */
  readonly body: Record<string, unknown>
  readonly model: string
  /** The instructions. */
  readonly system: string
  /** The text of all other messages, joined. */
  readonly text: string
  /** Names of the tools on offer. */
  readonly tools: readonly string[]
  readonly toolChoice: 'auto' | 'none' | 'required'
  /** Results of tools in the conversation so far, oldest first. */
  readonly toolResults: readonly string[]
  /** How JSON is demanded: by a schema, by a tool named `json`, or not at all. */
  readonly jsonMode: 'schema' | 'json tool' | null
  readonly stream: boolean
}

/** Tokens that the answer claims to have cost. Default: 1000 in, none of them cached, 100 out. */
export interface ReplyUsage {
  readonly input?: number
  readonly cached?: number
  readonly output?: number
}

/** How the bytes of an answer travel, when not simply to the end. */
export interface Transport {
  /** Breaks the connection after so many bytes of the body. */
  readonly cutAfterBytes?: number
  /** Ends the body cleanly, but too early, after so many bytes. */
  readonly endAfterBytes?: number
  /** Falls silent after so many bytes of the body, until the client or the server goes. */
  readonly hangAfterBytes?: number
}

/** What the model says. */
export type Content =
  | { readonly text: string }
  /** As the protocol's way to answer with JSON has it: plain text, or a call of the `json` tool. */
  | { readonly json: unknown }
  | {
      readonly toolCalls: readonly { readonly name: string; readonly input: unknown }[]
      readonly text?: string
    }
  /** It declines. */
  | { readonly refusal: string }
  /** It ends at the output limit, after this text. */
  | { readonly length: string }
  /** It ends without having said anything. */
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

/** Decides the answer to each request. It may be asynchronous: the request waits meanwhile. */
export type Script = (request: ModelRequest) => Reply | Promise<Reply>

export interface Usage {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** One protocol, both ways. */
export interface Protocol {
  /** Path of the address to configure, for example `/v1`. */
  readonly basePath: string
  /** Whether a request is one for an answer. */
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

/** Server-sent events, named where `event` is given. */
export function toServerSentEvents(events: readonly { event?: string; data: unknown }[]): string {
  return events
    .map(({ event, data }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
    })
    .join('')
}

/** A text in pieces, as a model writes it. */
export function splitText(text: string, size = 200): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

/** All strings under the given key anywhere in a value, in order. */
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
