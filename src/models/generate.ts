// The tool loop: asks the model, runs the tools it calls, and makes it answer before a limit is reached.
import { asSchema, generateText, isStepCount, type StepResult, type ToolSet, tool } from 'ai'
import { ModelError, UmpireError } from '../domain/errors.ts'
import type { Budget } from './budget.ts'
import {
  type CallTiming,
  createFallbackModel,
  type ModelRoute,
  type ResponseFormat,
} from './call-model.ts'
import { findJson, findTruncatedJson } from './find-json.ts'
import type { EarlyEnd, GenerateLimits, GenerateRequest, ModelAnswer, ModelTool } from './model.ts'
import { cacheBreakpoint } from './providers.ts'

/** Calls of tools that one step may have on average; more are answered with a refusal. */
const toolCallsPerStep = 8

const lastStepNotice =
  'No more tools can be called. Give the complete answer now, from what you have seen, in the form asked for.'

/** See `Model.generate`. */
export async function generate(
  routes: readonly ModelRoute[],
  timing: CallTiming,
  request: GenerateRequest,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  signal.throwIfAborted()
  const { limits } = request
  const budget = request.budget.createShare()
  const deadline = AbortSignal.timeout(limits.timeMs)
  const toolCalls: string[] = []
  const answeredBy = new Set<string>()
  const watch = createLimitWatcher(limits, budget)
  try {
    const result = await generateText({
      model: createFallbackModel(routes, {
        ...{ budget, timing, responseFormat: await toResponseFormat(request) },
        onBegin: () => request.onAnswerBegins?.(),
        onAnswer: (name) => answeredBy.add(name),
      }),
      instructions: { role: 'system', content: request.system, providerOptions: cacheBreakpoint },
      messages: [{ role: 'user', content: toContentParts(request) }],
      tools: toToolSet(request.tools ?? [], limits.steps * toolCallsPerStep, toolCalls),
      toolCallConcurrency: 4,
      stopWhen: isStepCount(limits.steps),
      prepareStep: async ({ steps, messages }) => {
        if ((request.tools ?? []).length === 0 || !(await watch.isLastStep(steps))) return undefined
        return {
          toolChoice: 'none',
          messages: [...messages, { role: 'user', content: lastStepNotice }],
        }
      },
      maxOutputTokens: limits.outputTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
    })
    const cut = result.finishReason === 'length'
    const found = cut ? await findTruncatedJson(result.text) : findJson(result.text)
    const { value: json, isWholeText: alone } = found ?? { value: undefined, isWholeText: false }
    return {
      ...{ text: result.text, json, isWholeText: alone, truncated: cut, toolCalls },
      earlyEnd: watch.earlyEnd(),
      answeredBy: [...answeredBy],
      usage: budget.usage,
    }
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.aborted)
      throw new ModelError(
        'model_unavailable',
        `Model: no answer within ${Math.round(limits.timeMs / 1000)} s.`,
      )
    throw error
  }
}

/**
 * Tells when the next step must be the answer: when a further step like those before, and the answer after it, would
 * go over a limit. So a loop that never ends still ends with an answer.
 */
function createLimitWatcher(limits: GenerateLimits, budget: Budget) {
  const startedAt = performance.now()
  let early: EarlyEnd | null = null
  const reached = async (steps: readonly StepResult<ToolSet>[]): Promise<EarlyEnd | null> => {
    if (steps.length + 1 >= limits.steps) return 'steps'
    const done = steps.length
    if (done === 0) return null
    const { inputTokens, outputTokens, costUsd } = budget.usage
    const last = steps[done - 1]!.usage
    const used = inputTokens + outputTokens
    if (used + 2 * ((last.inputTokens ?? 0) + (last.outputTokens ?? 0)) > limits.totalTokens)
      return 'tokens'
    const elapsed = performance.now() - startedAt
    if (elapsed + (2 * elapsed) / done > limits.timeMs) return 'time'
    if ((2 * (costUsd ?? 0)) / done > (await budget.remainingUsd())) return 'cost'
    return null
  }
  return {
    isLastStep: async (steps: readonly StepResult<ToolSet>[]) => {
      early = await reached(steps)
      // The only step of a loop without room for tools is no early end.
      return early !== null
    },
    earlyEnd: () => early,
  }
}

function toContentParts({ shared, prompt }: GenerateRequest) {
  const own = { type: 'text' as const, text: prompt }
  return shared === undefined
    ? [own]
    : [{ type: 'text' as const, text: shared, providerOptions: cacheBreakpoint }, own]
}

async function toResponseFormat(request: GenerateRequest): Promise<ResponseFormat> {
  if (request.output === undefined) return undefined
  return { type: 'json', name: 'answer', schema: await asSchema(request.output).jsonSchema }
}

function toToolSet(tools: readonly ModelTool[], maxCalls: number, calls: string[]): ToolSet {
  const entries = tools.map((each) => [
    each.name,
    tool({
      description: each.description,
      inputSchema: each.input,
      execute: async (input, { abortSignal }) => {
        calls.push(each.name)
        if (calls.length > maxCalls) return 'Error: too many tool calls. Give your answer.'
        return runTool(each, input, abortSignal ?? new AbortController().signal)
      },
    }),
  ])
  return Object.fromEntries(entries)
}

// A tool's failure is an answer for the model; what it didn't foresee stays inside.
async function runTool(called: ModelTool, input: unknown, signal: AbortSignal): Promise<string> {
  try {
    return await called.run(input, signal)
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof UmpireError ? `Error: ${error.message}` : 'Error: the tool failed.'
  }
}
