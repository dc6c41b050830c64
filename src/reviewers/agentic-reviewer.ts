// A reviewer that gives a model the change, lets it look around with read-only tools, and reads its findings.
import { ModelError, type ModelErrorCode, UmpireError } from '../domain/errors.ts'
import type { ProposedFinding } from '../domain/finding.ts'
import { type Answer, type Budget, type GenerateLimits, type Model, requestRepair } from '../models/index.ts'
import type { Tool } from '../tools/tool.ts'
import { reviewInstructions, reviewMessage } from './prompts/review-prompt.ts'
import { createFence, type Fence } from './prompts/untrusted-block.ts'
import { answerShape, type ReadAnswer, readAnswer, saysNothingFound } from './read-findings.ts'
import type { Change, ContextRound, ContextSpan, PackedContext, Reviewer, ReviewerReport } from './reviewer.ts'

/** `steps` and `outputTokens` hold for one round, `totalTokens` and `timeMs` for the whole review. */
const defaultLimits: GenerateLimits = { steps: 24, outputTokens: 16_000, totalTokens: 2_000_000, timeMs: 600_000 }

/** How often a round that is too long for the model is halved. */
const maxHalvings = 2

const notTheObject =
  'The answer is not just the JSON object that was asked for. JSON that its words only quote, or speak against, is not part of it.'

/** After these the other rounds would only fail in the same way. */
const finalCodes: readonly ModelErrorCode[] = [
  'model_unauthorized',
  'model_misconfigured',
  'model_budget_spent',
  'model_rate_limited',
  'model_unavailable',
]

export interface AgenticReviewerOptions {
  readonly model: Model
  /** The tools for a change; read-only, and all that the model can call. */
  readonly tools: (change: Change) => readonly Tool[]
  /** Of the review, so that the reviewer is made anew for each. */
  readonly budget: Budget
  readonly limits?: Partial<GenerateLimits>
  /** Language of what it writes; English by default. */
  readonly language?: string
}

/** Makes the agentic reviewer of one review. */
export function createAgenticReviewer(options: AgenticReviewerOptions): Reviewer {
  const name = 'agentic'
  const limits = { ...defaultLimits, ...options.limits }
  return {
    name,
    review: async (change, context, signal) => {
      const budget = options.budget.part()
      const run = { ...options, name, limits, budget, change, startedAt: performance.now() }
      return reviewRounds(run, context, signal)
    },
  }
}

interface Run extends Omit<AgenticReviewerOptions, 'limits'> {
  readonly name: string
  readonly limits: GenerateLimits
  readonly change: Change
  readonly startedAt: number
}

interface RoundReport {
  readonly findings: readonly ProposedFinding[]
  readonly summary: string
  readonly notes: readonly string[]
  readonly complete: boolean
}

async function reviewRounds(run: Run, context: PackedContext, signal: AbortSignal): Promise<ReviewerReport> {
  const reports: RoundReport[] = []
  const notes: string[] = []
  const unread = new Set<string>()
  const waiting = context.rounds.map((round) => ({ round, halvings: 0 }))
  let failure: ModelError | undefined
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { round, halvings } = next
    try {
      reports.push(await reviewRound(run, round, signal))
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const halves = error.code === 'model_context_overflow' && halvings < maxHalvings ? halve(round) : undefined
      if (halves !== undefined) {
        waiting.unshift(...halves.map((half) => ({ round: half, halvings: halvings + 1 })))
        continue
      }
      failure ??= error
      const isFinal = finalCodes.includes(error.code)
      const missed = isFinal ? [round, ...waiting.splice(0).map((each) => each.round)] : [round]
      for (const path of listPaths(missed)) unread.add(path)
      notes.push(`${describeFiles(missed)} not reviewed by the model. ${error.message}`)
    }
  }
  if (failure !== undefined && reports.length === 0) throw failure
  return {
    findings: reports.flatMap((report) => report.findings),
    summary: reports
      .map((report) => report.summary)
      .filter((summary) => summary !== '')
      .join('\n\n'),
    usage: run.budget.usage,
    notes: [...reports.flatMap((report) => report.notes), ...notes],
    unread: [...unread],
    complete: failure === undefined && reports.every((report) => report.complete),
  }
}

async function reviewRound(run: Run, round: ContextRound, signal: AbortSignal): Promise<RoundReport> {
  const fence = createFence()
  const limits = remainingLimits(run)
  const answer = await run.model.generate(
    {
      system: reviewInstructions(run.language ?? 'English'),
      prompt: reviewMessage(round, fence),
      tools: run.tools(run.change).map((tool) => fenceResults(tool, fence)),
      output: answerShape,
      limits,
      budget: run.budget,
    },
    signal,
  )
  const notes: string[] = []
  if (answer.cut) notes.push(`The model's answer about ${listFiles([round])} ended at its output limit.`)
  if (answer.earlyEnd !== null)
    notes.push(`The model was stopped by its limit of ${answer.earlyEnd} while it looked at ${listFiles([round])}.`)
  const { read, dropped } = await readWithRepair(run, answer, signal)
  if (dropped > 0)
    notes.push(
      dropped === 1
        ? '1 proposal of the model did not fit and was dropped.'
        : `${dropped} proposals of the model did not fit and were dropped.`,
    )
  return {
    findings: read.findings,
    summary: read.summary.trim(),
    notes,
    complete: !answer.cut && answer.earlyEnd === null,
  }
}

/** What is left of the limits of the whole review. */
function remainingLimits({ limits, budget, startedAt }: Run): GenerateLimits {
  const timeMs = Math.floor(limits.timeMs - (performance.now() - startedAt))
  const totalTokens = limits.totalTokens - budget.usage.inputTokens - budget.usage.outputTokens
  if (timeMs <= 0) throw new ModelError('model_unavailable', 'The time for the review was used up.')
  if (totalTokens <= 0) throw new ModelError('model_budget_spent', 'The tokens for the review were used up.')
  return { ...limits, timeMs, totalTokens }
}

// What a tool found is as untrusted as the change itself; so is the reason why it failed, which names what was asked.
function fenceResults(tool: Tool, fence: Fence): Tool {
  const wrap = (text: string) => fence.wrap({ origin: tool.name, trust: 'untrusted', path: null }, text)
  return {
    ...tool,
    run: async (input, signal) => {
      try {
        return wrap(await tool.run(input, signal))
      } catch (error) {
        if (signal.aborted || !(error instanceof UmpireError)) throw error
        return wrap(`Error: ${error.message}`)
      }
    },
  }
}

/** Reads the findings; what doesn't fit is sent back once, and then dropped and counted. */
async function readWithRepair(
  run: Run,
  answer: Answer,
  signal: AbortSignal,
): Promise<{ read: ReadAnswer; dropped: number }> {
  const read = readAnswer(answer, run.change, run.name)
  // What was cut is wrong at its end only, and nothing but another full answer would mend it.
  if (read !== undefined && (read.misfits.length === 0 || answer.cut))
    return { read, dropped: read.surplus + read.misfits.length }
  const wrong =
    read === undefined
      ? { text: answer.text, problems: [notTheObject] }
      : { text: JSON.stringify({ summary: read.summary, findings: read.misfits }), problems: read.problems }
  const repaired = answer.text.trim() === '' ? undefined : await repair(run, wrong, signal)
  if (read === undefined) {
    const isEmpty = repaired?.findings.length === 0
    if (repaired === undefined || (isEmpty && !(repaired.misfits.length === 0 && saysNothingFound(answer.text))))
      throw new ModelError('model_invalid_output', 'Model: it gave no usable answer.')
    return { read: repaired, dropped: repaired.surplus + repaired.misfits.length }
  }
  // Only what was wrong counts of the second answer; it may repeat what was right.
  const isKnown = (finding: ProposedFinding) =>
    read.findings.some((each) => each.path === finding.path && each.title === finding.title)
  const corrected = (repaired?.findings ?? []).filter((finding) => !isKnown(finding))
  const added = corrected.slice(0, read.misfits.length)
  const dropped = read.surplus + read.misfits.length - added.length
  return { read: { ...read, findings: [...read.findings, ...added] }, dropped }
}

async function repair(
  run: Run,
  wrong: { text: string; problems: readonly string[] },
  signal: AbortSignal,
): Promise<ReadAnswer | undefined> {
  try {
    const limits = remainingLimits(run)
    const answer = await requestRepair(
      run.model,
      { ...wrong, output: answerShape },
      { limits, budget: run.budget },
      signal,
    )
    return readAnswer(answer, run.change, run.name)
  } catch (error) {
    // The findings that did fit are not to be lost with it.
    if (error instanceof ModelError) return undefined
    throw error
  }
}

/** A round in two of about the same size; what belongs to no file is in both. Undefined where there is one file only. */
function halve(round: ContextRound): ContextRound[] | undefined {
  const shared = round.spans.filter((span) => span.path === null)
  const own = round.spans.filter((span) => span.path !== null)
  if (own.length < 2) return undefined
  const total = sumTokens(own)
  let sum = 0
  let at = 0
  while (at < own.length - 1 && (at === 0 || sum + own[at]!.tokens <= total / 2)) sum += own[at++]!.tokens
  return [own.slice(0, at), own.slice(at)].map((part) => {
    const spans = [...shared, ...part]
    return { spans, tokens: sumTokens(spans) }
  })
}

function sumTokens(spans: readonly ContextSpan[]): number {
  return spans.reduce((sum, span) => sum + span.tokens, 0)
}

function describeFiles(rounds: readonly ContextRound[]): string {
  const files = listFiles(rounds)
  return files.includes(', ') ? `${files} were` : `${files} was`
}

function listPaths(rounds: readonly ContextRound[]): Set<string> {
  return new Set(rounds.flatMap((round) => round.spans.flatMap((span) => span.path ?? [])))
}

function listFiles(rounds: readonly ContextRound[]): string {
  const paths = listPaths(rounds)
  if (paths.size === 0) return 'The change'
  const named = [...paths].slice(0, 5).map((path) => `\`${path}\``)
  return [...named, ...(paths.size > 5 ? [`${paths.size - 5} more files`] : [])].join(', ')
}
