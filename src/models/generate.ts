// The tool loop: calls the model, runs its tool calls, and requests the answer before a limit.
import { asSchema, generateText, isStepCount, type StepResult, type ToolSet, tool } from 'ai'
import { markSecrets } from '../code/find-secrets.ts'
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

/** Average tool calls in a step; further calls are refused. */
const toolCallsPerStep = 8

/** How much more the answer may cost than the last step at most, by the results of tools. */
const answerGrowth = 1.25

const lastStepNotice =
  'No more tools can be called. Give the complete answer now, from what you have seen, ' +
  'in the form asked for.'

/** Implements `Model.generate`. Secrets in the texts and in results of tools are marked. */
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
  const limitWatcher = createLimitWatcher(limits, budget)
  try {
    const result = await generateText({
      model: createFallbackModel(routes, {
        budget,
        timing,
        responseFormat: await toResponseFormat(request),
        onBegin: () => request.onAnswerBegins?.(),
        onAnswer: (name) => answeredBy.add(name),
      }),
      instructions: {
        role: 'system',
        content: markSecrets(request.system),
        providerOptions: cacheBreakpoint,
      },
      messages: [{ role: 'user', content: toContentParts(request) }],
      tools: toToolSet(request.tools ?? [], limits.steps * toolCallsPerStep, toolCalls),
      toolCallConcurrency: 4,
      stopWhen: isStepCount(limits.steps),
      prepareStep: async ({ steps, messages }) => {
        const hasTools = (request.tools ?? []).length > 0
        if (!hasTools || !(await limitWatcher.isLastStep(steps))) return undefined
        return {
          toolChoice: 'none',
          messages: [...messages, { role: 'user', content: lastStepNotice }],
        }
      },
      maxOutputTokens: limits.outputTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
    })
    const truncated = result.finishReason === 'length'
    const found = truncated ? await findTruncatedJson(result.text) : findJson(result.text)
    return {
      text: result.text,
      json: found?.value,
      isWholeText: found?.isWholeText ?? false,
      truncated,
      toolCalls,
      earlyEnd: limitWatcher.earlyEnd(),
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
 * Decides when the next step must be the answer: when another average step and the answer could
 * exceed a limit. So a loop without an end of its own still ends with an answer.
 */
function createLimitWatcher(limits: GenerateLimits, budget: Budget) {
  const startedAt = performance.now()
  let earlyEnd: EarlyEnd | null = null
  const findLimit = async (steps: readonly StepResult<ToolSet>[]): Promise<EarlyEnd | null> => {
    if (steps.length + 1 >= limits.steps) return 'steps'
    const stepCount = steps.length
    if (stepCount === 0) return null
    const { inputTokens, outputTokens, costUsd } = budget.usage
    const lastUsage = steps[stepCount - 1]!.usage
    const lastTokens = (lastUsage.inputTokens ?? 0) + (lastUsage.outputTokens ?? 0)
    if (inputTokens + outputTokens + 2 * lastTokens > limits.totalTokens) return 'tokens'
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs + (2 * elapsedMs) / stepCount > limits.timeMs) return 'time'
    const costPerStepUsd = (costUsd ?? 0) / stepCount
    // The limits must cover the most that the answer can cost, with the results of another step.
    const maxAnswerUsd = budget.maxReservedUsd * answerGrowth
    if (costPerStepUsd + maxAnswerUsd > (await budget.remainingUsd())) return 'cost'
    return null
  }
  return {
    isLastStep: async (steps: readonly StepResult<ToolSet>[]) => {
      earlyEnd = await findLimit(steps)
      return earlyEnd !== null
    },
    earlyEnd: () => earlyEnd,
  }
}

function toContentParts({ shared, prompt }: GenerateRequest) {
  const own = { type: 'text' as const, text: markSecrets(prompt) }
  return shared === undefined
    ? [own]
    : [{ type: 'text' as const, text: markSecrets(shared), providerOptions: cacheBreakpoint }, own]
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
        return markSecrets(await runTool(each, input, abortSignal ?? new AbortController().signal))
      },
    }),
  ])
  return Object.fromEntries(entries)
}

/** The model must see the tool's own errors, but not the messages of unexpected ones. */
async function runTool(called: ModelTool, input: unknown, signal: AbortSignal): Promise<string> {
  try {
    return await called.run(input, signal)
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof UmpireError ? `Error: ${error.message}` : 'Error: the tool failed.'
  }
}
