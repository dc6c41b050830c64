// One call of a model, within the budget, with retries and a fallback model.
import { ModelError } from '../domain/errors.ts'
import { delay } from '../lib/abortable.ts'
import { type Budget, costOf, LedgerError, type Reservation, usageOf } from './budget.ts'
import type { CallOptions, CallResult, CallStream, ProviderModel } from './client-types.ts'
import type { ReadContextWindow } from './context-window.ts'
import { isBareForbidden, isSchemaError, isUnbilled, toModelError } from './model-errors.ts'
import type { Price } from './prices.ts'
import type { ProviderTraits } from './providers.ts'
import { countTokens, isMetered, readStream, requireCompleteAnswer } from './read-stream.ts'
import type { ModelCallRecorder } from './record-model-calls.ts'

/** A configured model that calls can be sent to. */
export interface ModelRoute {
  readonly name: string
  readonly model: ProviderModel
  readonly traits: ProviderTraits
  readonly price: Price | null
  /** Values that are removed from error messages. */
  readonly secrets: readonly string[]
  readonly observed: {
    /** Set when the server refuses schemas; then only the prompt describes the answer. */
    refusesSchema: boolean
    /** The error that refused the key; null once it answers. */
    refusal: ModelError | null
  }
  readonly calls: ModelCallRecorder
  readonly readContextWindow: ReadContextWindow
}

export interface CallTiming {
  /** Time without received bytes after which a call fails. */
  readonly idleTimeoutMs: number
  /** The wait before the first retry; it doubles for each further one. */
  readonly backoffMs: number
  /** When a provider requests a longer wait, the call fails instead. */
  readonly maxWaitMs: number
  /** Counts attempts after the first one, for each model. */
  readonly retries: number
}

export const defaultCallTiming: CallTiming = {
  idleTimeoutMs: 60_000,
  backoffMs: 1000,
  maxWaitMs: 20_000,
  retries: 2,
}

interface Conversation {
  readonly budget: Budget
  readonly timing: CallTiming
  readonly responseFormat: ResponseFormat
  /** Called whenever an answer begins. */
  readonly onBegin: () => void
  /** Called with the name of the model that answered. */
  readonly onAnswer: (name: string) => void
}

/** Allows for what providers add to a request, such as instructions about tools. */
const extraInputTokens = 2000

export type ResponseFormat = CallOptions['responseFormat']

/**
 * Makes a model for the tool loop that tries the routes in order. After a fallback, the loop stays
 * with that route. Answers are streamed from the provider, to detect timeouts and early ends.
 */
export function createFallbackModel(
  routes: readonly ModelRoute[],
  conversation: Conversation,
): ProviderModel {
  let preferred = 0
  return {
    specificationVersion: 'v4',
    provider: 'umpire',
    modelId: routes[0]!.name,
    supportedUrls: {},
    doGenerate: async (options) => {
      let failure: ModelError | undefined
      for (const [index, route] of routes.entries()) {
        if (index < preferred) continue
        try {
          const result = await callRoute(route, options, conversation)
          preferred = index
          conversation.onAnswer(route.name)
          return result
        } catch (error) {
          if (!(error instanceof ModelError)) throw error
          failure ??= error
          if (error.code !== 'model_unavailable') break
        }
      }
      throw failure
    },
    doStream: async () => {
      throw new Error('Streaming is not supported.')
    },
  }
}

async function callRoute(
  route: ModelRoute,
  options: CallOptions,
  conversation: Conversation,
): Promise<CallResult> {
  const { timing, responseFormat } = conversation
  for (let attempt = 0; ; attempt++) {
    try {
      const result = await callOnce(route, { ...options, responseFormat }, conversation)
      route.observed.refusal = null
      return result
    } catch (error) {
      options.abortSignal?.throwIfAborted()
      if (error instanceof LedgerError) throw error.cause
      const failure = toModelError(error, route.secrets)
      if (!route.observed.refusesSchema && responseFormat !== undefined && isSchemaError(error)) {
        route.observed.refusesSchema = true
        continue
      }
      route.calls.recordFailure(failure.code)
      if (failure.code === 'model_unauthorized' && !isBareForbidden(error))
        route.observed.refusal = failure
      await waitForRetry(failure, attempt, timing, options.abortSignal)
    }
  }
}

/**
 * Waits until a call may be retried.
 *
 * @param attempt the number of attempts before the failed one
 * @throws the failure, when it isn't retryable, or only after a longer wait
 */
export async function waitForRetry(
  failure: ModelError,
  attempt: number,
  timing: CallTiming,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wait = failure.retryAfterMs ?? timing.backoffMs * 2 ** attempt
  if (!failure.retryable || attempt >= timing.retries || wait > timing.maxWaitMs) throw failure
  await delay(wait, signal)
}

async function callOnce(
  route: ModelRoute,
  options: CallOptions,
  { budget, onBegin }: Conversation,
): Promise<CallResult> {
  const canCallTools = allowsToolCalls(options)
  await using reservation = await budget.reserve(maxCostOf(route, options), options.abortSignal)
  const startedAt = performance.now()
  const stream = await openStream(route, options, reservation)
  onBegin()
  const streamed = await readStream(stream, options.maxOutputTokens ?? 0)
  const usage = usageOf(countTokens(streamed, countCharacters(options)), route.price)
  budget.add(usage, route.name)
  if (isMetered(streamed)) reservation.settle(usage.costUsd ?? 0)
  route.calls.recordUsage(usage)
  const { content, finish } = requireCompleteAnswer(streamed)
  route.calls.recordAnswer(startedAt)
  // Some servers call tools even though they are turned off; the loop would then have no answer.
  const allowed = canCallTools ? content : content.filter((part) => part.type !== 'tool-call')
  const hasDroppedCalls = allowed.length < content.length
  const stopReason = { unified: 'stop' as const, raw: finish.finishReason.raw }
  return {
    content: [...allowed],
    finishReason: hasDroppedCalls ? stopReason : finish.finishReason,
    usage: finish.usage,
    warnings: [],
    ...(finish.providerMetadata === undefined ? {} : { providerMetadata: finish.providerMetadata }),
  }
}

async function openStream(
  { model, traits, observed }: ModelRoute,
  options: CallOptions,
  reservation: Reservation,
): Promise<CallStream> {
  const sendsSchema =
    !observed.refusesSchema && (traits.schemaWithTools || !allowsToolCalls(options))
  try {
    const { stream } = await model.doStream({
      ...options,
      prompt: traits.textParts ? options.prompt : joinTexts(options.prompt),
      responseFormat: sendsSchema ? options.responseFormat : undefined,
      providerOptions: { ...options.providerOptions, ...traits.options },
    })
    return stream
  } catch (error) {
    if (isUnbilled(error)) reservation.settle(0)
    throw error
  }
}

function allowsToolCalls({ tools = [], toolChoice }: CallOptions): boolean {
  return tools.length > 0 && toolChoice?.type !== 'none'
}

/** Computes the most that a call can cost in US dollars; 0 when the price is unknown. */
function maxCostOf({ price }: ModelRoute, options: CallOptions): number {
  const { prompt, tools = [], responseFormat } = options
  // No tokenizer makes more than one token of a byte.
  const input =
    extraInputTokens + Buffer.byteLength(JSON.stringify([prompt, tools, responseFormat]))
  const output = options.maxOutputTokens ?? 0
  return costOf({ input, cacheRead: 0, cacheWrite: input, output }, price) ?? 0
}

/** Joins the texts of each user message, for servers that accept only one. */
function joinTexts(prompt: CallOptions['prompt']): CallOptions['prompt'] {
  return prompt.map((message) => {
    if (message.role !== 'user') return message
    const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return { ...message, content: [{ type: 'text', text: texts.join('\n\n') }] }
  })
}

function countCharacters(options: CallOptions): number {
  return JSON.stringify(options.prompt).length
}
