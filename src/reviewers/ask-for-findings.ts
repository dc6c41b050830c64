// Asks a model for the findings in one round of a change, with one repair round for what does not fit.
import { ModelError } from '../domain/errors.ts'
import type { ProposedFinding } from '../domain/finding.ts'
import {
  type Budget,
  type GenerateLimits,
  type Model,
  type ModelAnswer,
  requestRepair,
} from '../models/index.ts'
import type { Tool } from '../tools/tool.ts'
import { createCanary } from './attention/canary.ts'
import { addCanaryToChange } from './attention/canary-change.ts'
import { addCanaryToRound } from './attention/canary-round.ts'
import { removeCanary } from './attention/remove-canary.ts'
import { fenceTools } from './fence-tools.ts'
import {
  answerSchema,
  isEmptyAnswer,
  keepMostSevere,
  type ParsedAnswer,
  parseFindings,
} from './parse-findings.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'
import type { PromptPart } from './prompts/prompt-part.ts'
import {
  renderRound,
  renderSpans,
  renderTask,
  reviewInstructions,
} from './prompts/review-prompt.ts'
import type { ReviewField } from './prompts/specialist-prompts.ts'
import type { Change, Citable, ContextRound } from './reviewer.ts'

const notJsonObject =
  'The answer is not just the JSON object that was asked for. JSON that its words only quote, or speak against, is not part of it.'

/** One model's review of a change, with one task. Those of one change that differ in their task share the rest. */
export interface Assignment {
  /** Name of the reviewer, for its findings. */
  readonly reviewer: string
  /** Who reviews, within a sentence: `the model`. */
  readonly label: string
  readonly model: Model
  readonly task: readonly PromptPart[]
  readonly change: Change
  /** Read-only, and all that the model can call. */
  readonly tools: (change: Change) => readonly Tool[]
  /** Of which a defect is planted in each round, as proof that it was read; empty where none is. */
  readonly canaryFields: readonly ReviewField[]
  /** Others look at the same rounds with a task of their own. */
  readonly sharesRounds: boolean
  /** Of what the model writes. */
  readonly language: string
  /** Of the review. */
  readonly fence: PromptFence
  /** `steps` and `outputTokens` hold for one round, `totalTokens` and `timeMs` for all. */
  readonly limits: GenerateLimits
  /** Counts what this assignment uses. */
  readonly budget: Budget
  readonly startedAt: number
  /** Called whenever the model begins to answer about a round. */
  readonly onAnswerBegins?: () => void
}

/** What came of one round. */
export interface RoundReport {
  readonly findings: readonly ProposedFinding[]
  readonly summary: string
  /** Limits of the work on it, one sentence each. */
  readonly notes: readonly string[]
  /** Proposals that did not fit, or were too many. */
  readonly dropped: number
  /** Names of the models that answered. */
  readonly answeredBy: readonly string[]
  /** False when the model did not come to an end with it. */
  readonly complete: boolean
  /** It reported the planted defect, or there was none. */
  readonly passedAttentionCheck: boolean
}

/**
 * Asks for the findings in one round. What a planted defect leads to is neither in them nor in any other words.
 * Throws `ModelError` where there is no usable answer.
 *
 * @param files names those of the round, for the notes
 */
export async function askForFindings(
  assignment: Assignment,
  round: ContextRound,
  files: string,
  signal: AbortSignal,
): Promise<RoundReport> {
  const { model, fence, label: who, change, canaryFields: plantedFields } = assignment
  const plant = plantedFields.length > 0 ? createCanary(round, plantedFields) : null
  const shown = plant === null ? change : addCanaryToChange(change, plant)
  const { shared, own } =
    plant === null
      ? { shared: round.spans, own: [] }
      : addCanaryToRound(round, plant, assignment.sharesRounds ? fence.mark : null)
  const answer = await model.generate(
    {
      system: reviewInstructions(assignment.language),
      shared: renderRound(shared, fence),
      prompt: [...renderSpans(own, fence), renderTask(assignment.task)].join('\n\n'),
      tools: fenceTools(assignment.tools(shown), fence),
      output: answerSchema,
      limits: remainingLimits(assignment),
      budget: assignment.budget,
      ...(assignment.onAnswerBegins && { onAnswerBegins: assignment.onAnswerBegins }),
    },
    signal,
  )
  const citable = round.spans.flatMap((span) => span.citable ?? [])
  const { read, dropped } = await readWithRepair(
    { ...assignment, change: shown, citable },
    answer,
    signal,
  )
  const left =
    plant === null ? { ...read, passedAttentionCheck: true } : removeCanary(read, plant, change)
  const findings = keepMostSevere(left.findings)
  const notes: string[] = []
  if (answer.truncated) notes.push(`The answer of ${who} about ${files} ended at its output limit.`)
  if (answer.earlyEnd !== null)
    notes.push(
      `While ${who} looked at ${files}, it was stopped by its limit of ${answer.earlyEnd}.`,
    )
  return {
    findings,
    summary: left.summary.trim(),
    notes,
    dropped: dropped + left.findings.length - findings.length,
    answeredBy: answer.answeredBy,
    complete: !answer.truncated && answer.earlyEnd === null,
    passedAttentionCheck: left.passedAttentionCheck,
  }
}

/** What is left of limits that hold for several calls. Throws `ModelError` when it is nothing. */
export function remainingLimits({
  limits,
  budget,
  startedAt,
}: Pick<Assignment, 'limits' | 'budget' | 'startedAt'>): GenerateLimits {
  const timeMs = Math.floor(limits.timeMs - (performance.now() - startedAt))
  const totalTokens = limits.totalTokens - budget.usage.inputTokens - budget.usage.outputTokens
  if (timeMs <= 0) throw new ModelError('model_unavailable', 'The time for the review was used up.')
  if (totalTokens <= 0)
    throw new ModelError('model_budget_spent', 'The tokens for the review were used up.')
  return { ...limits, timeMs, totalTokens }
}

/** An assignment within one round, and what of it findings can cite. */
type RoundTask = Assignment & { readonly citable: readonly Citable[] }

/** Reads the findings; what doesn't fit is sent back once, and then dropped and counted. */
async function readWithRepair(
  assignment: RoundTask,
  answer: ModelAnswer,
  signal: AbortSignal,
): Promise<{ read: ParsedAnswer; dropped: number }> {
  const read = parseFindings(answer, assignment.change, assignment.reviewer, assignment.citable)
  // What was cut is wrong at its end only, and nothing but another full answer would mend it.
  if (read !== undefined && (read.invalid.length === 0 || answer.truncated))
    return { read, dropped: read.surplus + read.invalid.length }
  const wrong =
    read === undefined
      ? { text: answer.text, problems: [notJsonObject] }
      : {
          text: JSON.stringify({ summary: read.summary, findings: read.invalid }),
          problems: read.problems,
        }
  const repaired = answer.text.trim() === '' ? undefined : await repair(assignment, wrong, signal)
  if (read === undefined) {
    const isEmpty = repaired?.findings.length === 0
    if (
      repaired === undefined ||
      (isEmpty && !(repaired.invalid.length === 0 && isEmptyAnswer(answer.text)))
    )
      throw new ModelError('model_invalid_output', 'Model: it gave no usable answer.')
    return { read: repaired, dropped: repaired.surplus + repaired.invalid.length }
  }
  // Only what was wrong counts of the second answer; it may repeat what was right.
  const isKnown = (finding: ProposedFinding) =>
    read.findings.some((each) => each.path === finding.path && each.title === finding.title)
  const corrected = (repaired?.findings ?? []).filter((finding) => !isKnown(finding))
  const added = corrected.slice(0, read.invalid.length)
  const dropped = read.surplus + read.invalid.length - added.length
  return { read: { ...read, findings: [...read.findings, ...added] }, dropped }
}

async function repair(
  assignment: RoundTask,
  wrong: { text: string; problems: readonly string[] },
  signal: AbortSignal,
): Promise<ParsedAnswer | undefined> {
  const { model, change, reviewer, budget, citable } = assignment
  try {
    const limits = remainingLimits(assignment)
    const answer = await requestRepair(
      model,
      { ...wrong, output: answerSchema },
      { limits, budget },
      signal,
    )
    return parseFindings(answer, change, reviewer, citable)
  } catch (error) {
    // The findings that did fit are not to be lost with it.
    if (error instanceof ModelError) return undefined
    throw error
  }
}
