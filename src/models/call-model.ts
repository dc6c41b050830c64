// One call of a model: budget first, then retries with backoff, then the fallback model; every call is counted.
import { setTimeout as delay } from 'node:timers/promises'
import { ModelError } from '../domain/errors.ts'
import { type Budget, costOf, usageOf } from './budget.ts'
import { isBareForbidden, isSchemaError, toModelError } from './model-errors.ts'
import type { Price } from './prices.ts'
import type { CallOptions, CallResult, ProviderModel, ProviderTraits } from './providers.ts'
import { countTokens, readStream, requireCompleteAnswer } from './read-stream.ts'
import type { ModelCallRecorder } from './record-model-calls.ts'

/** One way to get an answer: a configured model. */
export interface ModelRoute {
  readonly name: string
  readonly model: ProviderModel
  readonly traits: ProviderTraits
  readonly price: Price | null
  /** Kept out of messages. */
  readonly secrets: readonly string[]
  readonly observed: {
    /** Becomes true when its server turned out not to know demanded shapes; then the prompt's words must do. */
    refusesSchema: boolean
    /** Why its key is refused; null once it answers. */
    refusal: ModelError | null
  }
  readonly calls: ModelCallRecorder
}

export interface CallTiming {
  /** Longest silence on the line. */
  readonly idleTimeoutMs: number
  /** Wait before the first retry; doubled for each further one. */
  readonly backoffMs: number
  /** A longer wait that a provider asks for is left to the caller. */
  readonly maxWaitMs: number
  /** Tries after the first one, for each model. */
  readonly retries: number
}

export const defaultCallTiming: CallTiming = {
  idleTimeoutMs: 60_000,
  backoffMs: 1000,
  maxWaitMs: 20_000,
  retries: 2,
}

/** What the calls of one conversation have in common. */
interface Conversation {
  readonly budget: Budget
  readonly timing: CallTiming
  readonly responseFormat: ResponseFormat
  /** Called whenever an answer begins. */
  readonly onBegin: () => void
  /** Told the name of the model that answered. */
  readonly onAnswer: (name: string) => void
}

/** The shape demanded of the answer, as the protocol's clients take it. */
export type ResponseFormat = CallOptions['responseFormat']

/**
 * A model for the tool loop that stands for all routes, the first preferred; once another had to stand in, it goes on
 * to the end of the loop. Answers are streamed, so that silence and breaking off are noticed, and given to the loop
 * whole.
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
      for (const [at, route] of routes.entries()) {
        if (at < preferred) continue
        try {
          const result = await callRoute(route, options, conversation)
          preferred = at
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
      throw new Error('answers are given whole')
    },
  }
}

async function callRoute(
  route: ModelRoute,
  options: CallOptions,
  conversation: Conversation,
): Promise<CallResult> {
  const { budget, timing, responseFormat } = conversation
  const atMostUsd = estimateMaxCostUsd(route, options)
  for (let attempt = 0; ; attempt++) {
    try {
      using _ = await budget.reserve(atMostUsd, options.abortSignal)
      const result = await callOnce(route, { ...options, responseFormat }, conversation)
      route.observed.refusal = null
      return result
    } catch (error) {
      options.abortSignal?.throwIfAborted()
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
 * Waits until a call may be tried again.
 *
 * @param attempt tries before the one that failed
 * @throws the failure, where another try is no use, or not soon
 */
export async function waitForRetry(
  failure: ModelError,
  attempt: number,
  timing: CallTiming,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wait = failure.retryAfterMs ?? timing.backoffMs * 2 ** attempt
  if (!failure.retryable || attempt >= timing.retries || wait > timing.maxWaitMs) throw failure
  await delay(wait, undefined, signal ? { signal } : {})
}

async function callOnce(
  route: ModelRoute,
  options: CallOptions,
  { budget, onBegin }: Conversation,
): Promise<CallResult> {
  const toolsOpen = (options.tools?.length ?? 0) > 0 && options.toolChoice?.type !== 'none'
  const startedAt = performance.now()
  const demandShape = !route.observed.refusesSchema && (route.traits.schemaWithTools || !toolsOpen)
  const { stream } = await route.model.doStream({
    ...options,
    prompt: route.traits.textParts ? options.prompt : joinTexts(options.prompt),
    responseFormat: demandShape ? options.responseFormat : undefined,
    providerOptions: { ...options.providerOptions, ...route.traits.options },
  })
  onBegin()
  const streamed = await readStream(stream, options.maxOutputTokens ?? 0)
  const usage = usageOf(countTokens(streamed, countCharacters(options)), route.price)
  budget.add(usage, route.name)
  route.calls.recordUsage(usage)
  const { content, finish } = requireCompleteAnswer(streamed)
  route.calls.recordAnswer(startedAt)
  // Not every server obeys "no more tools"; the loop would throw away all that was done.
  const kept = toolsOpen ? content : content.filter((part) => part.type !== 'tool-call')
  const stopped = kept.length < content.length
  return {
    content: [...kept],
    finishReason: stopped ? { unified: 'stop', raw: finish.finishReason.raw } : finish.finishReason,
    usage: finish.usage,
    warnings: [],
    ...(finish.providerMetadata === undefined ? {} : { providerMetadata: finish.providerMetadata }),
  }
}

/** What a call costs at most, in US dollars; 0 where the price isn't known. */
function estimateMaxCostUsd({ price }: ModelRoute, options: CallOptions): number {
  const input = Math.ceil(countCharacters(options) / 4)
  return (
    costOf(
      { input, cacheRead: 0, cacheWrite: input, output: options.maxOutputTokens ?? 0 },
      price,
    ) ?? 0
  )
}

/** Each message of the user as one text. */
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
