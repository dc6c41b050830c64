// The interface of a language model: one call, with tools, limits and a budget.
import type { z } from 'zod'
import type { Usage } from '../domain/review.ts'
import type { Budget } from './budget.ts'
import type { Price } from './prices.ts'

/**
 * The part of a tool that the loop needs; `Tool` of `domain/tool.ts` is compatible. Results go to
 * the model unchanged, so the caller must bound and fence them.
 */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own input, checked by its schema
  run(input: any, signal: AbortSignal): Promise<string>
}

/** Limits of one `generate`. Near a limit, the model must answer in a last step without tools. */
export interface GenerateLimits {
  /** Calls of the model, including the answering one; 1 means no tools. */
  readonly steps: number
  /** Applies to each call. */
  readonly outputTokens: number
  /** Applies to the sum of input and output of all calls. */
  readonly totalTokens: number
  readonly timeMs: number
}

export interface GenerateRequest {
  /** Instructions that are constant, so that providers can cache them. */
  readonly system: string
  /** Text before the prompt that several calls have in common, which some providers cache. */
  readonly shared?: string
  readonly prompt: string
  readonly tools?: readonly ModelTool[]
  /**
   * The schema of the answer, for providers that can enforce it; the answer isn't validated here.
   * All providers accept objects with required keys (null instead of absent) and without ranges.
   */
  readonly output?: z.ZodType
  readonly limits: GenerateLimits
  readonly budget: Budget
  /** Called when the first answer begins: by then the provider has cached the shared text. */
  readonly onAnswerBegins?: () => void
}

/** The limit that ended the loop. */
export type EarlyEnd = 'steps' | 'tokens' | 'cost' | 'time'

export interface ModelAnswer {
  readonly text: string
  /**
   * The JSON of the text, or else the only JSON object within it, completed when the text was cut.
   * Undefined for a text with none or several.
   */
  readonly json: unknown
  /** Whether the JSON is the whole text, fenced or not. JSON within a text may be a quotation. */
  readonly isWholeText: boolean
  /** Null when the model answered before a limit. */
  readonly earlyEnd: EarlyEnd | null
  /** Whether the text ended at the output limit. */
  readonly truncated: boolean
  /** Names of the tools that were called, in order. */
  readonly toolCalls: readonly string[]
  /** Names of the models that answered the calls, including a fallback. */
  readonly answeredBy: readonly string[]
  readonly usage: Usage
}

export interface Model {
  /** Has the form `provider:id`. */
  readonly name: string
  /** Whether its price is known, so that a budget can limit it. */
  readonly priced: boolean
  /** The price of its own calls, without those of a fallback; null if it is unknown. */
  readonly price: Price | null
  /**
   * Calls the model, and runs tools until it answers, with short waits, retries and the fallback.
   * Throws `ModelError` (see its codes), or the signal's reason when that was aborted.
   */
  generate(request: GenerateRequest, signal: AbortSignal): Promise<ModelAnswer>
  /**
   * Returns how many tokens fit the model, input and output together; null if that isn't known.
   * `generate` limits its output to a quarter of them.
   */
  readContextWindow(signal: AbortSignal): Promise<number | null>
  /** Whether its key was refused. `generate` then throws without a call until `probe` succeeds. */
  readonly isRefusing: boolean
  /** Sends a short prompt. Resolves to whether it was answered. */
  probe(signal: AbortSignal): Promise<boolean>
}

/** The configured models; both are null when none is configured. */
export interface Models {
  /** Falls back to `fast` while it is unavailable. */
  readonly main: Model | null
  /** The cheaper model for easy tasks; the main model when no other is configured. */
  readonly fast: Model | null
}
