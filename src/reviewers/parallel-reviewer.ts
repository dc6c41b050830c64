// A reviewer of several specialists that look at the same change side by side, each for one field.
import { ModelError } from '../domain/errors.ts'
import type { Budget, GenerateLimits, Model } from '../models/index.ts'
import type { Assignment } from './ask-for-findings.ts'
import type { AttentionCheckOptions, CommonModelOptions } from './model-options.ts'
import { createPromptFence } from './prompts/prompt-fence.ts'
import { type ReviewField, specialistFields, specialistTask } from './prompts/specialist-prompts.ts'
import { listPaths, reviewRounds } from './review-rounds.ts'
import type { PackedContext, Reviewer, ReviewerReport } from './reviewer.ts'
import { type Synthesis, synthesize } from './synthesize.ts'

/** They hold for each specialist: `steps` and `outputTokens` for one round, the others for all. */
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

/** Longest that the others wait for the first one's answer to begin. */
const maxHeadStartMs = 15_000

/** What is easier, and harmless when missed, is for the cheaper model. */
const modelRoles: Readonly<Record<ReviewField, 'main' | 'fast'>> = {
  correctness: 'main',
  security: 'main',
  performance: 'main',
  tests: 'fast',
  maintainability: 'fast',
}

export interface ParallelReviewerOptions extends CommonModelOptions, AttentionCheckOptions {
  /** `fast` also makes the one report of all; it may be the same as `main`. */
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
      if (outcome.reports.length === 0) throw chooseFailure(outcome.absent)
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

/** A specialist that could do nothing. */
interface FailedSpecialist {
  readonly field: ReviewField
  readonly failure: ModelError
}

/** What the specialists came to, in the order of their fields. */
interface SpecialistsOutcome {
  readonly reports: readonly (ReviewerReport & { readonly field: ReviewField })[]
  readonly absent: readonly FailedSpecialist[]
}

async function runSpecialists(
  run: SpecialistsRun,
  signal: AbortSignal,
): Promise<SpecialistsOutcome> {
  const takeTurn = createHeadStarts(Math.min(maxHeadStartMs, run.common.limits.timeMs / 10))
  const settled = await Promise.allSettled(
    specialistFields.map(async (field) => {
      const model = run.models[modelRoles[field]]
      const letOthersBegin = await takeTurn(model.name)
      try {
        const assignment: Assignment = {
          ...run.common,
          ...{ label: `the ${field} specialist`, model, task: [specialistTask(field)] },
          canaryFields: run.attentionCheck ? [field] : [],
          budget: run.budget.createShare(specialistFields.length),
          onAnswerBegins: letOthersBegin,
        }
        return await reviewRounds(assignment, run.context, signal)
      } finally {
        letOthersBegin()
      }
    }),
  )
  signal.throwIfAborted()
  const reports: (ReviewerReport & { field: ReviewField })[] = []
  const absent: FailedSpecialist[] = []
  for (const [at, result] of settled.entries()) {
    const field = specialistFields[at]!
    if (result.status === 'fulfilled') reports.push({ ...result.value, field })
    else if (result.reason instanceof ModelError) absent.push({ field, failure: result.reason })
    else throw result.reason
  }
  return { reports, absent }
}

/**
 * Lets the first call to each model go ahead of the others until its answer begins: then what they share is in the
 * provider's cache, and each of the others pays a fraction for it.
 *
 * @param longestMs after which the others don't wait any more
 * @returns what to call when one's own answer begins, or won't come
 */
function createHeadStarts(longestMs: number): (model: string) => Promise<() => void> {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  return async (model) => {
    const gate = gates.get(model)
    if (gate !== undefined) {
      await gate.promise
      return () => {}
    }
    const own = Promise.withResolvers<void>()
    gates.set(model, own)
    const timer = setTimeout(own.resolve, longestMs)
    return () => {
      clearTimeout(timer)
      own.resolve()
    }
  }
}

/** The failure to tell when all failed: one that goes away by itself, where there is one. */
function chooseFailure(absent: readonly FailedSpecialist[]): ModelError {
  const failures = absent.map(({ failure }) => failure)
  return failures.find(({ retryable }) => retryable) ?? failures[0]!
}

function composeReport(
  { reports, absent }: SpecialistsOutcome,
  synthesis: Synthesis,
  context: PackedContext,
) {
  const unread =
    absent.length > 0
      ? listPaths(context.rounds)
      : new Set(reports.flatMap((report) => report.unread))
  // Several may have the same to say about the model.
  const notes = new Set([
    ...reports.flatMap((report) => report.notes),
    ...describeFailedSpecialists(absent),
  ])
  return {
    findings: synthesis.findings,
    summary: synthesis.summary,
    notes: [...notes, ...synthesis.notes],
    unread: [...unread],
    failures: [
      ...absent.map(({ failure }) => failure),
      ...reports.flatMap(({ failures = [] }) => failures),
    ],
    complete: absent.length === 0 && reports.every((report) => report.complete),
  }
}

/** Who took no part and why, one sentence for each reason. */
function describeFailedSpecialists(absent: readonly FailedSpecialist[]): string[] {
  const byReason = Map.groupBy(absent, ({ failure }) => failure.publicMessage)
  return [...byReason].map(([reason, those]) => {
    const names = those.map(({ field }) => field)
    const list = new Intl.ListFormat('en').format(names)
    return `The ${list} specialist${names.length === 1 ? '' : 's'} took no part. ${reason}`
  })
}
