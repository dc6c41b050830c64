// Reads a model's answer from its stream, and checks that it is complete.
import { ModelError } from '../domain/errors.ts'
import type { CallTokens } from './budget.ts'
import type { CallResult, CallStream } from './client-types.ts'

type Content = CallResult['content'][number]
type Finish = Pick<CallResult, 'finishReason' | 'usage' | 'providerMetadata'>

/** The content of a stream. An incomplete one has an `error`, or no `finish`. */
interface StreamedAnswer {
  readonly content: readonly Content[]
  readonly finish: Finish | undefined
  readonly error: unknown
  /** The number of received characters, to estimate the tokens of an incomplete answer. */
  readonly characters: number
}

/** No tokenizer has more characters per token on average. */
const maxCharactersPerToken = 16
/** Allows for content that isn't counted as output. */
const extraCharacters = 100_000

/**
 * Reads a stream to its end, and cancels it when it is longer than an answer can be.
 * Errors of the stream are returned as `error`.
 *
 * @param outputTokens the limit of the request, which some servers ignore
 */
export async function readStream(
  stream: CallStream,
  outputTokens: number,
): Promise<StreamedAnswer> {
  const maxLength = outputTokens * maxCharactersPerToken + extraCharacters
  const answer = new AnswerBuilder()
  let length = 0
  try {
    for await (const part of stream) {
      // Empty parts take memory too.
      length += 1 + partLength(part)
      if (length > maxLength)
        throw new ModelError('model_invalid_output', 'Model: it wrote more than it was allowed to.')
      answer.add(part)
    }
  } catch (error) {
    answer.error ??= error
  }
  const { content, finish, error, characters } = answer
  return { content, finish, error, characters }
}

type StreamPart = CallStream extends ReadableStream<infer Part> ? Part : never

function partLength(part: StreamPart): number {
  if ('delta' in part) return part.delta.length
  return part.type === 'tool-call' ? part.input.length : 0
}

/** Collects the parts of a stream into blocks of content. */
class AnswerBuilder implements StreamedAnswer {
  readonly content: Content[] = []
  finish: Finish | undefined
  error: unknown
  characters = 0
  /** Indexes into `content`, by kind and id of the block. */
  readonly #blockIndexes = new Map<string, number>()

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#startBlock(part.type === 'text-start' ? 'text' : 'reasoning', part)
        break
      case 'text-delta':
      case 'text-end':
        this.#appendToBlock('text', part)
        break
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#appendToBlock('reasoning', part)
        break
      case 'tool-call':
        this.characters += part.input.length
        this.content.push(part)
        break
      case 'finish':
        this.finish = part
        break
      case 'error':
        this.error ??= part.error
        break
    }
  }

  #startBlock(kind: 'text' | 'reasoning', { id, providerMetadata }: BlockPart): void {
    this.#blockIndexes.set(`${kind} ${id}`, this.content.length)
    this.content.push({ type: kind, text: '', providerMetadata })
  }

  #appendToBlock(
    kind: 'text' | 'reasoning',
    { id, delta = '', providerMetadata }: BlockPart,
  ): void {
    const index = this.#blockIndexes.get(`${kind} ${id}`)
    if (index === undefined) return
    this.characters += delta.length
    this.content[index] = appendDelta(this.content[index]!, delta, providerMetadata)
  }
}

interface BlockPart {
  readonly id: string
  readonly delta?: string
  readonly providerMetadata?: Finish['providerMetadata']
}

/** Signatures of reasoning arrive with a later part, and must be sent back with the block. */
function appendDelta(
  block: Content,
  delta: string,
  providerMetadata: Finish['providerMetadata'],
): Content {
  if (block.type !== 'text' && block.type !== 'reasoning') return block
  return {
    ...block,
    text: block.text + delta,
    providerMetadata: providerMetadata ?? block.providerMetadata,
  }
}

/**
 * Returns the answer of a stream.
 *
 * @throws the stream's error, or a ModelError when the answer is incomplete, refused or empty
 */
export function requireCompleteAnswer(streamed: StreamedAnswer): {
  content: readonly Content[]
  finish: Finish
} {
  const { content, finish, error } = streamed
  if (error !== undefined) throw error
  if (finish === undefined || isInterrupted(finish.finishReason))
    throw new ModelError('model_unavailable', 'Model: the answer broke off before its end.')
  const { unified, raw } = finish.finishReason
  if (unified === 'content-filter')
    throw new ModelError('model_refused', 'Model: it declined to answer.')
  if (unified === 'length' && raw === 'model_context_window_exceeded')
    throw new ModelError('model_context_overflow', 'Model: the input is too long for the model.')
  if (unified !== 'length' && content.every(isEmpty))
    throw new ModelError('model_unavailable', 'Model: the answer was empty.')
  return { content, finish }
}

/** Some clients report `other` without the provider's reason when a stream was cut. */
function isInterrupted({ unified, raw }: Finish['finishReason']): boolean {
  if (unified === 'interrupted' || unified === 'error') return true
  return unified === 'other' && !raw
}

function isEmpty(part: Content): boolean {
  if (part.type === 'tool-call') return false
  return part.type !== 'text' || part.text.trim() === ''
}

/** Whether the provider reported the usage of the whole answer. */
export function isMetered({ finish, error }: StreamedAnswer): boolean {
  if (error !== undefined || finish === undefined || isInterrupted(finish.finishReason))
    return false
  const { inputTokens, outputTokens } = finish.usage
  return inputTokens.total !== undefined && outputTokens.total !== undefined
}

/** Uses the provider's count of tokens, or estimates one token for four characters. */
export function countTokens(streamed: StreamedAnswer, promptCharacters: number): CallTokens {
  const usage = streamed.finish?.usage
  const { total, cacheRead, cacheWrite } = usage?.inputTokens ?? {}
  return {
    input: total ?? Math.ceil(promptCharacters / 4),
    cacheRead: cacheRead ?? 0,
    cacheWrite: cacheWrite ?? 0,
    output: usage?.outputTokens.total ?? Math.ceil(streamed.characters / 4),
  }
}
