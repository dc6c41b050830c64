// A reviewer that runs specialists concurrently on one change, each for one field.
import { ModelError } from '../domain/errors.ts'
import type { Budget, GenerateLimits, Model } from '../models/index.ts'
import type { Assignment } from './ask-for-findings.ts'
import type { AttentionCheckOptions, CommonModelOptions } from './model-options.ts'
import type { PackedContext } from './packed-context.ts'
import { createPromptFence } from './prompts/prompt-fence.ts'
import { type ReviewField, specialistFields, specialistTask } from './prompts/specialist-prompts.ts'
import { listPaths, reviewRounds } from './review-rounds.ts'
import { addAttention } from './review-with-attention-check.ts'
import type { Reviewer, ReviewerReport } from './reviewer.ts'
import { type Synthesis, synthesize } from './synthesize.ts'

/** Limits of each specialist: `steps` and `outputTokens` apply to one round, the others to all. */
const defaultLimits: GenerateLimits = {
  steps: 16,
  outputTokens: 16_000,
  totalTokens: 1_000_000,
  timeMs: 480_000,
}

const synthesisLimits: GenerateLimits = {
  steps: 1,
  outputTokens: 8_000,
  totalTokens: 200_000,
  timeMs: 120_000,
}

/** Limits how long the other specialists wait until the answer of the first one begins. */
const maxHeadStartMs = 15_000

/** The cheaper model reviews the fields that are easier, and where a miss does little harm. */
const modelRoles: Readonly<Record<ReviewField, 'main' | 'fast'>> = {
  correctness: 'main',
  security: 'main',
  performance: 'main',
  tests: 'fast',
  maintainability: 'fast',
}

export interface ParallelReviewerOptions extends CommonModelOptions, AttentionCheckOptions {
  /** `fast` also merges the reports; it may be the same as `main`. */
  readonly models: { readonly main: Model; readonly fast: Model }
}

/** Makes the parallel reviewer of one review. */
export function createParallelReviewer(options: ParallelReviewerOptions): Reviewer {
  const name = 'parallel'
  const { models, language = 'English' } = options
  const limits = { ...defaultLimits, ...options.limits }
  return {
    name,
    review: async (change, context, signal) => {
      const budget = options.budget.createShare()
      const fence = createPromptFence()
      const startedAt = performance.now()
      const common = {
        reviewer: name,
        change,
        tools: options.tools,
        language,
        fence,
        limits,
        startedAt,
        sharesRounds: true,
      }
      const { attentionCheck = true } = options
      const outcome = await runSpecialists(
        { common, models, budget, context, attentionCheck },
        signal,
      )
      if (outcome.reports.length === 0) throw chooseFailure(outcome.failed)
      const timeMs = Math.min(synthesisLimits.timeMs, limits.timeMs)
      const synthesis = await synthesize(
        { model: models.fast, fence, language, limits: { ...synthesisLimits, timeMs }, budget },
        outcome.reports,
        signal,
      )
      return { ...composeReport(outcome, synthesis, context), usage: budget.usage }
    },
  }
}

interface SpecialistsRun {
  readonly common: Omit<Assignment, 'label' | 'model' | 'task' | 'budget' | 'canaryFields'>
  readonly models: ParallelReviewerOptions['models']
  readonly attentionCheck: boolean
  readonly budget: Budget
  readonly context: PackedContext
}

/** A specialist whose review failed. */
interface FailedSpecialist {
  readonly field: ReviewField
  readonly failure: ModelError
}

/** Results are in the order of the fields. */
interface SpecialistsOutcome {
  readonly reports: readonly (ReviewerReport & { readonly field: ReviewField })[]
  readonly failed: readonly FailedSpecialist[]
}

/** Lists the model of each specialist. */
export function listSpecialistModels(models: ParallelReviewerOptions['models']): readonly Model[] {
  return specialistFields.map((field) => models[modelRoles[field]])
}

async function runSpecialists(
  run: SpecialistsRun,
  signal: AbortSignal,
): Promise<SpecialistsOutcome> {
  const waitForHeadStart = createHeadStarts(Math.min(maxHeadStartMs, run.common.limits.timeMs / 10))
  const settled = await Promise.allSettled(
    specialistFields.map(async (field) => {
      const model = run.models[modelRoles[field]]
      const letOthersStart = await waitForHeadStart(model.name)
      try {
        const assignment: Assignment = {
          ...run.common,
          label: `the ${field} specialist`,
          model,
          task: [specialistTask(field)],
          canaryFields: run.attentionCheck ? [field] : [],
          budget: run.budget.createShare(specialistFields.length),
          onAnswerBegins: letOthersStart,
        }
        return await reviewRounds(assignment, run.context, signal)
      } finally {
        letOthersStart()
      }
    }),
  )
  signal.throwIfAborted()
  const reports: (ReviewerReport & { field: ReviewField })[] = []
  const failed: FailedSpecialist[] = []
  for (const [index, result] of settled.entries()) {
    const field = specialistFields[index]!
    if (result.status === 'fulfilled') reports.push({ ...result.value, field })
    else if (result.reason instanceof ModelError) failed.push({ field, failure: result.reason })
    else throw result.reason
  }
  return { reports, failed }
}

/**
 * Delays all but the first call to each model until the answer of the first one begins. By then
 * the shared part of the prompt is in the provider's cache, where it costs a fraction.
 *
 * @param maxMs the longest delay
 * @returns a function that waits, and resolves with what to call when one's own answer begins
 */
function createHeadStarts(maxMs: number): (model: string) => Promise<() => void> {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  return async (model) => {
    const gate = gates.get(model)
    if (gate !== undefined) {
      await gate.promise
      return () => {}
    }
    const own = Promise.withResolvers<void>()
    gates.set(model, own)
    const timer = setTimeout(own.resolve, maxMs)
    return () => {
      clearTimeout(timer)
      own.resolve()
    }
  }
}

/** Prefers a retryable error, so that the review is tried again. */
function chooseFailure(failed: readonly FailedSpecialist[]): ModelError {
  const failures = failed.map(({ failure }) => failure)
  return failures.find(({ retryable }) => retryable) ?? failures[0]!
}

function composeReport(
  { reports, failed }: SpecialistsOutcome,
  synthesis: Synthesis,
  context: PackedContext,
) {
  const unread =
    failed.length > 0
      ? listPaths(context.rounds)
      : new Set(reports.flatMap((report) => report.unread))
  // Several specialists may have equal notes about the model.
  const notes = new Set([
    ...reports.flatMap((report) => report.notes),
    ...describeFailedSpecialists(failed),
  ])
  return {
    findings: synthesis.findings,
    summary: synthesis.summary,
    notes: [...notes, ...synthesis.notes],
    unread: [...unread],
    unsettled: [
      ...new Set([...reports.flatMap(({ unsettled = [] }) => unsettled), ...synthesis.unsettled]),
    ],
    attention: addAttention(reports.map((report) => report.attention)),
    failures: [
      ...failed.map(({ failure }) => failure),
      ...reports.flatMap(({ failures = [] }) => failures),
    ],
    complete: failed.length === 0 && reports.every((report) => report.complete),
  }
}

/** Writes one note for each reason. */
function describeFailedSpecialists(failed: readonly FailedSpecialist[]): string[] {
  const byReason = Map.groupBy(failed, ({ failure }) => failure.publicMessage)
  return [...byReason].map(([reason, specialists]) => {
    const names = specialists.map(({ field }) => field)
    const list = new Intl.ListFormat('en').format(names)
    return `The ${list} specialist${names.length === 1 ? '' : 's'} took no part. ${reason}`
  })
}
