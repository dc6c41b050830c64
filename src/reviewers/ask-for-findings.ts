// Asks a model for the findings in one round, and once to repair invalid findings.

import type { Change } from '../domain/change.ts'
import { ModelError } from '../domain/errors.ts'
import type { ProposedFinding } from '../domain/finding.ts'
import type { Tool } from '../domain/tool.ts'
import {
  type Budget,
  type GenerateLimits,
  type Model,
  type ModelAnswer,
  requestRepair,
} from '../models/index.ts'
import { createCanary } from './attention/canary.ts'
import { addCanaryToChange } from './attention/canary-change.ts'
import { addCanaryToRound } from './attention/canary-round.ts'
import { removeCanary } from './attention/remove-canary.ts'
import { fenceTools } from './fence-tools.ts'
import type { Citable, ContextRound } from './packed-context.ts'
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

const notJsonObject =
  'The answer is not just the JSON object that was asked for. JSON that its words only quote, ' +
  'or speak against, is not part of it.'

/** One model's review of a change, which has one task. */
export interface Assignment {
  /** Names the reviewer in its findings. */
  readonly reviewer: string
  /** Names the reviewer within a sentence, such as `the model`. */
  readonly label: string
  readonly model: Model
  readonly task: readonly PromptPart[]
  readonly change: Change
  /** Makes the read-only tools for a change. The model can call no others. */
  readonly tools: (change: Change) => readonly Tool[]
  /** Fields of the canary that each round gets; empty turns the attention check off. */
  readonly canaryFields: readonly ReviewField[]
  /** Whether other reviewers read the same rounds with other tasks. */
  readonly sharesRounds: boolean
  readonly language: string
  readonly fence: PromptFence
  /** `steps` and `outputTokens` apply to one round, `totalTokens` and `timeMs` to all rounds. */
  readonly limits: GenerateLimits
  /** Counts only what this assignment uses. */
  readonly budget: Budget
  /** By `performance.now()`. */
  readonly startedAt: number
  /** Called whenever the model begins to answer about a round. */
  readonly onAnswerBegins?: () => void
}

export interface RoundReport {
  readonly findings: readonly ProposedFinding[]
  readonly summary: string
  /** Describes the limits of the review of this round, one sentence each. */
  readonly notes: readonly string[]
  /** Number of proposals that were invalid or too many. */
  readonly dropped: number
  /** Names of the models that answered. */
  readonly answeredBy: readonly string[]
  /** False when a limit stopped the model. */
  readonly complete: boolean
  /** Whether the model reported the canary; true without one. */
  readonly passedAttentionCheck: boolean
}

/**
 * Asks for the findings in one round. The report contains nothing about the canary.
 * Throws `ModelError` when there is no usable answer.
 *
 * @param files names the files of the round, for the notes
 */
export async function askForFindings(
  assignment: Assignment,
  round: ContextRound,
  files: string,
  signal: AbortSignal,
): Promise<RoundReport> {
  const { model, fence, label, change, canaryFields } = assignment
  const canary = canaryFields.length > 0 ? await createCanary(round, canaryFields) : null
  const shownChange = canary === null ? change : addCanaryToChange(change, canary)
  const { shared, own } =
    canary === null
      ? { shared: round.spans, own: [] }
      : addCanaryToRound(round, canary, assignment.sharesRounds ? fence.mark : null)
  const answer = await model.generate(
    {
      system: reviewInstructions(assignment.language),
      shared: renderRound(shared, fence),
      prompt: [...renderSpans(own, fence), renderTask(assignment.task)].join('\n\n'),
      tools: fenceTools(assignment.tools(shownChange), fence),
      output: answerSchema,
      limits: remainingLimits(assignment),
      budget: assignment.budget,
      ...(assignment.onAnswerBegins && { onAnswerBegins: assignment.onAnswerBegins }),
    },
    signal,
  )
  const citable = round.spans.flatMap((span) => span.citable ?? [])
  const roundTask = { ...assignment, change: shownChange, citable }
  const { parsed, dropped } = await parseWithRepair(roundTask, answer, signal)
  const cleaned =
    canary === null
      ? { ...parsed, passedAttentionCheck: true }
      : removeCanary(parsed, canary, change)
  const findings = keepMostSevere(cleaned.findings)
  return {
    findings,
    summary: cleaned.summary.trim(),
    notes: describeLimits(answer, label, files),
    dropped: dropped + cleaned.findings.length - findings.length,
    answeredBy: answer.answeredBy,
    complete: !answer.truncated && answer.earlyEnd === null,
    passedAttentionCheck: cleaned.passedAttentionCheck,
  }
}

function describeLimits(answer: ModelAnswer, label: string, files: string): string[] {
  const notes: string[] = []
  if (answer.truncated)
    notes.push(`The answer of ${label} about ${files} ended at its output limit.`)
  if (answer.earlyEnd !== null)
    notes.push(
      `While ${label} looked at ${files}, it was stopped by its limit of ${answer.earlyEnd}.`,
    )
  return notes
}

/** Computes the rest of limits that apply to several calls. Throws `ModelError` without any. */
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

/** An assignment for one round, with the entries that its findings can cite. */
type RoundTask = Assignment & { readonly citable: readonly Citable[] }

interface ParsedRound {
  readonly parsed: ParsedAnswer
  /** Number of proposals that were invalid or too many. */
  readonly dropped: number
}

/** Parses the findings. Invalid ones are sent back once; those that stay invalid are dropped. */
async function parseWithRepair(
  task: RoundTask,
  answer: ModelAnswer,
  signal: AbortSignal,
): Promise<ParsedRound> {
  const parsed = parseFindings(answer, task.change, task.reviewer, task.citable)
  if (parsed === undefined) return repairAnswer(task, answer, signal)
  // Only the end of a truncated answer is invalid, and a repair would need the whole answer again.
  if (parsed.invalid.length === 0 || answer.truncated)
    return { parsed, dropped: parsed.surplus + parsed.invalid.length }
  return repairInvalidFindings(task, parsed, signal)
}

/** Repairs an answer that isn't the requested JSON object. Throws `ModelError` without success. */
async function repairAnswer(
  task: RoundTask,
  { text }: ModelAnswer,
  signal: AbortSignal,
): Promise<ParsedRound> {
  const rejected = { text, problems: [notJsonObject] }
  const repaired = text.trim() === '' ? undefined : await repair(task, rejected, signal)
  const isUsable =
    repaired !== undefined &&
    (repaired.findings.length > 0 || (repaired.invalid.length === 0 && isEmptyAnswer(text)))
  if (!isUsable) throw new ModelError('model_invalid_output', 'Model: it gave no usable answer.')
  return { parsed: repaired, dropped: repaired.surplus + repaired.invalid.length }
}

/** Adds the repaired findings to the valid ones, which the second answer may repeat. */
async function repairInvalidFindings(
  task: RoundTask,
  parsed: ParsedAnswer,
  signal: AbortSignal,
): Promise<ParsedRound> {
  const text = JSON.stringify({ summary: parsed.summary, findings: parsed.invalid })
  const repaired = await repair(task, { text, problems: parsed.problems }, signal)
  const isKnown = (finding: ProposedFinding) =>
    parsed.findings.some((each) => each.path === finding.path && each.title === finding.title)
  const corrected = (repaired?.findings ?? []).filter((finding) => !isKnown(finding))
  const added = corrected.slice(0, parsed.invalid.length)
  return {
    parsed: { ...parsed, findings: [...parsed.findings, ...added] },
    dropped: parsed.surplus + parsed.invalid.length - added.length,
  }
}

async function repair(
  task: RoundTask,
  rejected: { text: string; problems: readonly string[] },
  signal: AbortSignal,
): Promise<ParsedAnswer | undefined> {
  const { model, change, reviewer, budget, citable } = task
  try {
    const request = { ...rejected, output: answerSchema }
    const options = { limits: remainingLimits(task), budget }
    const answer = await requestRepair(model, request, options, signal)
    return parseFindings(answer, change, reviewer, citable)
  } catch (error) {
    // A failed repair must not lose the findings that are valid.
    if (error instanceof ModelError) return undefined
    throw error
  }
}
