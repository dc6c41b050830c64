// Reads a model's answer from its stream to the end, and tells a whole answer from one that broke off.
import { ModelError } from '../domain/errors.ts'
import type { CallTokens } from './budget.ts'
import type { CallResult, CallStream } from './providers.ts'

type Content = CallResult['content'][number]
type Finish = Pick<CallResult, 'finishReason' | 'usage' | 'providerMetadata'>

/** Everything a stream held. `finish` is missing, or `error` there, when it broke off. */
export interface StreamedAnswer {
  readonly content: readonly Content[]
  readonly finish: Finish | undefined
  readonly error: unknown
  /** Characters that arrived, to estimate the tokens of an answer that broke off. */
  readonly characters: number
}

/** More than any tokenizer makes of one token on average, and room for what is not counted as output. */
const charactersPerToken = 16
const extraCharacters = 100_000

/**
 * Reads a stream to its end, or until it holds more than an answer can, and lets go of it then. Never throws for what
 * is in the stream or for its breaking off: that is `error`.
 *
 * @param outputTokens the limit that the model was given; not every server keeps it
 */
export async function readStream(
  stream: CallStream,
  outputTokens: number,
): Promise<StreamedAnswer> {
  const most = outputTokens * charactersPerToken + extraCharacters
  const blocks = new Map<string, { at: number; kind: 'text' | 'reasoning' }>()
  const content: Content[] = []
  let finish: Finish | undefined
  let error: unknown
  let characters = 0
  let held = 0
  try {
    for await (const part of stream) {
      // A part costs memory also when it is empty.
      held +=
        1 +
        ('delta' in part ? part.delta.length : part.type === 'tool-call' ? part.input.length : 0)
      if (held > most)
        throw new ModelError('model_invalid_output', 'Model: it wrote more than it was allowed to.')
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start': {
          const kind = part.type === 'text-start' ? 'text' : 'reasoning'
          blocks.set(`${kind} ${part.id}`, { at: content.length, kind })
          content.push({ type: kind, text: '', providerMetadata: part.providerMetadata })
          break
        }
        case 'text-delta':
        case 'reasoning-delta':
        case 'text-end':
        case 'reasoning-end': {
          const block = blocks.get(`${part.type.slice(0, part.type.indexOf('-'))} ${part.id}`)
          if (block === undefined) break
          const delta = 'delta' in part ? part.delta : ''
          characters += delta.length
          content[block.at] = appendDelta(content[block.at]!, delta, part.providerMetadata)
          break
        }
        case 'tool-call':
          characters += part.input.length
          content.push(part)
          break
        case 'finish':
          finish = part
          break
        case 'error':
          error ??= part.error
          break
      }
    }
  } catch (caught) {
    error ??= caught
  }
  return { content, finish, error, characters }
}

// Signatures of reasoning arrive with a later part and must go back with the block.
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
 * The whole answer in a stream that was read.
 *
 * @throws the stream's own error, or a ModelError when it broke off, was refused, overflowed or is empty
 */
export function requireCompleteAnswer(streamed: StreamedAnswer): {
  content: readonly Content[]
  finish: Finish
} {
  const { content, finish, error } = streamed
  if (error !== undefined) throw error
  const { unified, raw } = finish?.finishReason ?? { unified: 'interrupted', raw: undefined }
  // Some clients end a stream that was cut cleanly with `other` and no reason of the provider's.
  if (
    finish === undefined ||
    unified === 'interrupted' ||
    unified === 'error' ||
    (unified === 'other' && !raw)
  )
    throw new ModelError('model_unavailable', 'Model: the answer broke off before its end.')
  if (unified === 'content-filter')
    throw new ModelError('model_refused', 'Model: it declined to answer.')
  if (unified === 'length' && raw === 'model_context_window_exceeded')
    throw new ModelError('model_context_overflow', 'Model: the input is too long for the model.')
  const empty = content.every(
    (part) => part.type !== 'tool-call' && (part.type !== 'text' || part.text.trim() === ''),
  )
  if (empty && unified !== 'length')
    throw new ModelError('model_unavailable', 'Model: the answer was empty.')
  return { content, finish }
}

/** Tokens of one call as the provider counted them, else estimated at four characters each. */
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
