// The contract of a language model, as the rest of the program sees it: one call, with tools, limits and a budget.
import type { z } from 'zod'
import type { Usage } from '../domain/review.ts'
import type { Budget } from './budget.ts'

/**
 * The part of a tool that the loop needs (`tools/tool.ts` lies above this folder and fits). Results go to the model as
 * they are: whoever gives the tools bounds and labels them.
 */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own input, checked against its schema before the call.
  run(input: any, signal: AbortSignal): Promise<string>
}

/** How far one `generate` may go. Reaching one asks for the answer in a last step without tools. */
export interface GenerateLimits {
  /** Calls of the model, the answering one included; 1 means no tools. */
  readonly steps: number
  /** Of one call. */
  readonly outputTokens: number
  /** Input and output of all calls together. */
  readonly totalTokens: number
  readonly timeMs: number
}

export interface GenerateRequest {
  /** The stable part of the instructions, written by us; cached by the provider where it can. */
  readonly system: string
  /** Stands before the prompt and is the same for several calls: cached by the provider where it can. */
  readonly shared?: string
  readonly prompt: string
  readonly tools?: readonly ModelTool[]
  /**
   * Shape of the JSON that the answer is to be; sent to providers that can hold the model to it. Objects only, all
   * keys required (null instead of absent), no ranges: that is what every provider takes. The answer isn't checked.
   */
  readonly output?: z.ZodType
  readonly limits: GenerateLimits
  readonly budget: Budget
  /** Called when the first answer begins: from then on the provider's cache holds what the calls share. */
  readonly onAnswerBegins?: () => void
}

/** What ended the loop early; null when the model answered by itself. */
export type EarlyEnd = 'steps' | 'tokens' | 'cost' | 'time'

export interface ModelAnswer {
  readonly text: string
  /**
   * The JSON that the text is, or else the only object between its words; what there is of it where the text was cut.
   * Undefined where there is none, or more than one.
   */
  readonly json: unknown
  /** The JSON is the whole text, fenced or not. Between other words it may be a quotation. */
  readonly isWholeText: boolean
  readonly earlyEnd: EarlyEnd | null
  /** The text ended at the output limit. */
  readonly truncated: boolean
  /** Names of the tools that were called, in order. */
  readonly toolCalls: readonly string[]
  /** Names of the models that answered its calls; another than the one that was asked stood in for it. */
  readonly answeredBy: readonly string[]
  readonly usage: Usage
}

export interface Model {
  /** `provider:id`, for people and for records. */
  readonly name: string
  /** Whether its price is known, so that a budget in money can hold it back. */
  readonly priced: boolean
  /**
   * Asks the model, running tools until it answers. Short waits, retries and the change to the other configured
   * model happen inside. Throws `ModelError` (see its codes), or the signal's reason when that was aborted.
   */
  generate(request: GenerateRequest, signal: AbortSignal): Promise<ModelAnswer>
  /** Whether its key was refused. Then each `generate` throws that refusal, and asks nobody, until `probe` succeeds. */
  readonly isRefusing: boolean
  /** Asks one short question. Resolves to whether it was answered. */
  probe(signal: AbortSignal): Promise<boolean>
}

/** The configured models; null where none is. */
export interface Models {
  /** Falls back on `fast` while it is unavailable. */
  readonly main: Model | null
  /** The cheaper one for the easy part; the main one where no other is configured. */
  readonly fast: Model | null
}
