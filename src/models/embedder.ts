// Embeds texts as vectors, in batches, within the budget, with retries.
import { embedMany } from 'ai'
import { markSecrets } from '../code/find-secrets.ts'
import { ModelError } from '../domain/errors.ts'
import { noMetrics } from '../metrics/metrics.ts'
import { type Budget, costOf, LedgerError, usageOf } from './budget.ts'
import { type CallTiming, defaultCallTiming, waitForRetry } from './call-model.ts'
import type { ProviderEmbedder, ProviderOptions } from './client-types.ts'
import { createIdleFetch } from './idle-fetch.ts'
import { isUnbilled, toModelError } from './model-errors.ts'
import type { EmbedderConfig } from './models-config.ts'
import { type Price, priceOf } from './prices.ts'
import { createProviderEmbedder } from './provider-clients.ts'
import {
  createModelCallRecorder,
  type ModelCallRecorder,
  type ModelMetrics,
} from './record-model-calls.ts'

const maxTextsPerCall = 64

/** In characters; longer texts are cut. */
const maxTextLength = 2000
/** When a provider refuses even shorter texts as too long, cutting further doesn't help. */
const minTextLength = 250

/** Well-known models have fewer dimensions, and a row of the database can store as many. */
const maxDimensions = 4096

export interface EmbedRequest {
  readonly texts: readonly string[]
  /** Some models embed queries and documents differently. */
  readonly purpose: 'query' | 'document'
  readonly timeMs: number
  readonly budget: Budget
}

export interface Embedder {
  /** Has the form `provider:id`. */
  readonly name: string
  /** Whether its price is known, so that a budget can limit it. */
  readonly priced: boolean
  /**
   * Returns one vector for each text, in their order, all of one dimension. Long texts are cut.
   * Throws `ModelError` (see its codes), or the signal's reason when that was aborted.
   */
  embed(
    request: EmbedRequest,
    signal: AbortSignal,
  ): Promise<{ readonly vectors: readonly (readonly number[])[]; readonly tokens: number }>
}

interface EmbedderRoute {
  readonly name: string
  readonly model: ProviderEmbedder
  readonly price: Price | null
  /** Values that are removed from error messages. */
  readonly secrets: readonly string[]
  readonly timing: CallTiming
  /** In characters; halved when the model refuses a text as too long. */
  readonly observed: { maxTextLength: number }
  readonly calls: ModelCallRecorder
}

/** Makes the configured embedder. It sends no request, so the key is not checked. */
export function createEmbedder(
  choice: EmbedderConfig,
  timingOptions: Partial<CallTiming> = {},
  metrics: ModelMetrics = noMetrics,
): Embedder {
  const timing = { ...defaultCallTiming, ...timingOptions }
  const route: EmbedderRoute = {
    name: `${choice.provider}:${choice.id}`,
    model: createProviderEmbedder(choice, createIdleFetch(timing.idleTimeoutMs)),
    price: priceOf(choice),
    secrets: choice.apiKey === null ? [] : [choice.apiKey],
    timing,
    observed: { maxTextLength },
    calls: createModelCallRecorder(metrics, 'embedding'),
  }
  const { name, price } = route
  return { name, priced: price !== null, embed: (request, signal) => embed(route, request, signal) }
}

async function embed(route: EmbedderRoute, request: EmbedRequest, signal: AbortSignal) {
  signal.throwIfAborted()
  const deadline = AbortSignal.timeout(request.timeMs)
  const combined = AbortSignal.any([signal, deadline])
  const vectors: number[][] = []
  let tokens = 0
  try {
    for (let start = 0; start < request.texts.length; start += maxTextsPerCall) {
      const texts = request.texts.slice(start, start + maxTextsPerCall).map(markSecrets)
      const answer = await embedBatch(route, { ...request, texts }, combined)
      vectors.push(...answer.vectors)
      tokens += answer.tokens
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!deadline.aborted) throw error
    throw new ModelError(
      'model_unavailable',
      `Model: no vectors within ${request.timeMs / 1000} s.`,
    )
  }
  requireSameDimension(vectors)
  return { vectors, tokens }
}

async function embedBatch(route: EmbedderRoute, request: EmbedRequest, signal: AbortSignal) {
  const { timing, observed, secrets } = route
  for (let attempt = 0; ; attempt++) {
    try {
      return await embedOnce(route, request, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof LedgerError) throw error.cause
      const failure = toModelError(error, secrets)
      if (failure.code === 'model_context_overflow' && observed.maxTextLength > minTextLength) {
        observed.maxTextLength = Math.ceil(observed.maxTextLength / 2)
        attempt = -1
        continue
      }
      route.calls.recordFailure(failure.code)
      await waitForRetry(failure, attempt, timing, signal)
    }
  }
}

async function embedOnce(
  { model, name, price, observed, calls }: EmbedderRoute,
  { texts, purpose, budget }: EmbedRequest,
  signal: AbortSignal,
) {
  const values = texts.map((text) => text.slice(0, observed.maxTextLength).toWellFormed())
  const estimate = Math.ceil(values.reduce((sum, { length }) => sum + length, 0) / 4)
  // No tokenizer makes more than one token of a byte, and a few mark where a text begins and ends.
  const maxTokens = values.reduce((sum, text) => sum + Buffer.byteLength(text) + 8, 0)
  const maxCostUsd = costOf(inputTokens(maxTokens), price) ?? 0
  await using reservation = await budget.reserve(maxCostUsd, signal)
  const startedAt = performance.now()
  const { embeddings, usage } = await embedMany({
    model,
    values,
    maxRetries: 0,
    abortSignal: signal,
    providerOptions: purposeOptions[purpose],
  }).catch((error) => {
    if (isUnbilled(error)) reservation.settle(0)
    throw error
  })
  const isMetered = Number.isFinite(usage.tokens) && usage.tokens > 0
  const tokens = isMetered ? usage.tokens : estimate
  const callUsage = usageOf(inputTokens(tokens), price)
  budget.add(callUsage, name)
  if (isMetered) reservation.settle(callUsage.costUsd ?? 0)
  calls.recordUsage(callUsage)
  if (embeddings.length !== values.length)
    throw unusableVectorsError('the number of vectors is not that of the texts')
  calls.recordAnswer(startedAt)
  return { vectors: embeddings, tokens }
}

/** Providers ignore the options of others. */
const purposeOptions: Readonly<Record<EmbedRequest['purpose'], ProviderOptions>> = {
  query: { google: { taskType: 'RETRIEVAL_QUERY' } },
  document: { google: { taskType: 'RETRIEVAL_DOCUMENT' } },
}

function inputTokens(input: number) {
  return { input, cacheRead: 0, cacheWrite: 0, output: 0 }
}

function requireSameDimension(vectors: readonly (readonly number[])[]): void {
  const dimension = vectors[0]?.length ?? 1
  if (dimension === 0 || dimension > maxDimensions)
    throw unusableVectorsError(`vectors have 1 to ${maxDimensions} dimensions`)
  if (vectors.some(({ length }) => length !== dimension))
    throw unusableVectorsError('vectors are of different dimensions')
  if (!vectors.every((vector) => vector.every(Number.isFinite)))
    throw unusableVectorsError('vectors are of finite numbers')
}

function unusableVectorsError(reason: string): ModelError {
  return new ModelError('model_invalid_output', `Model: its vectors can't be used: ${reason}.`)
}
