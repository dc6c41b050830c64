// Reviews one change of a corpus, and compares the findings with the places that it expects.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { pickChildVariables } from '../../config/environment.ts'
import type { Change } from '../../domain/change.ts'
import type { Usage } from '../../domain/review.ts'
import { gitRuntimeFrom } from '../../git/run-git.ts'
import { startStopwatch } from '../../lib/stopwatch.ts'
import { createLocalBudget } from '../../models/budget.ts'
import { addAttention } from '../../reviewers/review-with-attention-check.ts'
import type { AttentionCount } from '../../reviewers/reviewer.ts'
import { composeReview, examineChange } from '../../workflows/examine-change.ts'
import { gatherLocalChange } from '../../workflows/gather-local-change.ts'
import { applyOptions, type CommandContext, readGraph } from '../execute-review.ts'
import type { ReviewOptions } from '../review-options.ts'
import type { CorpusChange, ExpectedPlace } from './read-corpus.ts'

export interface EvaluatedChange {
  readonly repository: string
  readonly head: string
  /** Whether each expected place was found, in their order. */
  readonly found: readonly boolean[]
  /** Whether each finding is at an expected place. */
  readonly findings: readonly boolean[]
  /** The share of the changed lines where a finding would be at an expected place. */
  readonly chance: number
  /** Whether calls weren't sent because what all changes may cost didn't cover them. */
  readonly reachedMaxCost: boolean
  /** Whether all changed lines were read as they should be. */
  readonly complete: boolean
  readonly attention: AttentionCount
  readonly usage: Usage
  readonly seconds: number
}

interface EvaluationTask {
  readonly corpusChange: CorpusChange
  /** The folder with the repositories. */
  readonly folder: string
  readonly mode: ReviewOptions['mode']
  /** A finding may be this many lines away from a place. */
  readonly tolerance: number
  /** What all changes may cost together, in US dollars. */
  readonly maxUsd: number | null
  /** What the others cost so far, in US dollars. */
  readonly spentUsd: () => number
}

/** @throws Error if the commits aren't in the repository */
export async function evaluateChange(
  ctx: CommandContext,
  { corpusChange, folder, mode, tolerance, maxUsd, spentUsd }: EvaluationTask,
  signal: AbortSignal,
): Promise<EvaluatedChange> {
  const { repository, base, head, expected } = corpusChange
  await using gathered = await gatherLocalChange(
    {
      gitRuntime: gitRuntimeFrom(pickChildVariables()),
      folder: await findRepository(folder, repository),
      source: { kind: 'range', base, head },
      indexFile: undefined,
    },
    signal,
  )
  const stopwatch = startStopwatch()
  const graph = await readGraph(ctx, gathered.change, signal)
  const change = applyOptions({ ...gathered.change, graph }, { mode })
  const budget = createLocalBudget({
    perReviewUsd: ctx.config.models.budget.perReviewUsd,
    perDayUsd: maxUsd,
    spentTodayUsd: spentUsd,
  })
  const examination = await examineChange(
    ctx,
    { change, budget, isLastAttempt: true, stopwatch, answers: null },
    signal,
  )
  const { review } = composeReview(ctx, change.pullRequest, examination)
  const { findings, coverage, usage, warnings } = review
  const isBudgetSpent = warnings.some(({ code }) => code === 'model_budget_spent')
  const leftUsd = (maxUsd ?? Infinity) - spentUsd() - (usage.costUsd ?? 0)
  const isAt = (one: ExpectedPlace, other: ExpectedPlace) => isNear(one, other, tolerance)
  return {
    repository,
    head,
    found: expected.map((place) => findings.some((finding) => isAt(place, finding))),
    findings: findings.map((finding) => expected.some((place) => isAt(place, finding))),
    chance: measureChance(change, (place) => expected.some((other) => isAt(place, other))),
    reachedMaxCost: isBudgetSpent && leftUsd < budget.maxReservedUsd,
    complete: coverage.complete,
    attention: addAttention(examination.outcome.reports.map((report) => report.attention)),
    usage,
    seconds: stopwatch.total() / 1000,
  }
}

/** Accepts clones and bare repositories. */
async function findRepository(folder: string, repository: string): Promise<string> {
  for (const path of [repository, `${repository}.git`]) {
    const found = await access(join(folder, path)).then(
      () => true,
      () => false,
    )
    if (found) return join(folder, path)
  }
  throw new Error(`${join(folder, repository)} doesn't exist: clone the repository there`)
}

function isNear(one: ExpectedPlace, other: ExpectedPlace, tolerance: number): boolean {
  const isSameSide = one.path === other.path && one.side === other.side
  const distance = Math.max(one.startLine - other.endLine, other.startLine - one.endLine)
  return isSameSide && distance <= tolerance
}

function measureChance({ diff }: Change, isExpected: (place: ExpectedPlace) => boolean): number {
  const changed = diff.files.flatMap(({ path, hunks }) =>
    hunks
      .flatMap((hunk) => hunk.lines)
      .filter(({ kind }) => kind !== 'context')
      .map(({ newLine, oldLine }): ExpectedPlace => {
        const line = newLine ?? oldLine!
        return { path, side: newLine === null ? 'LEFT' : 'RIGHT', startLine: line, endLine: line }
      }),
  )
  return changed.length === 0 ? 0 : changed.filter(isExpected).length / changed.length
}
