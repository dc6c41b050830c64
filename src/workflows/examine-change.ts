// Examines a change without writing anything: packs context, reviews, judges, measures coverage.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import { type Coverage, noUsage, type Review, type ReviewWarning } from '../domain/review.ts'
import { redactKnownSecrets } from '../lib/redact-known-secrets.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'
import { addUsage, type Budget } from '../models/budget.ts'
import { chooseModels } from '../models/choose-models.ts'
import type { Model } from '../models/model.ts'
import { emptyContext, type PackedContext } from '../reviewers/packed-context.ts'
import { isByModel } from '../reviewers/reviewer.ts'
import type { AnswerStore } from '../work/model-answers.ts'
import { decideVerdict, summarizeForVerdict, type VerdictInput } from './decide-verdict.ts'
import { type Judgment, judgeFindings } from './judge-findings.ts'
import type { KeptAnswers } from './keep-answers.ts'
import { limitRound } from './limit-round.ts'
import { measureCoverage } from './measure-coverage.ts'
import type { Selection } from './pack-context.ts'
import { redactJudgment } from './posting/redact-review.ts'
import { summarizeReview } from './posting/summarize-review.ts'
import { type ReviewersOutcome, runReviewers } from './run-reviewers.ts'

export interface Examination {
  readonly change: Change
  readonly outcome: ReviewersOutcome
  readonly judgment: Judgment
  readonly coverage: Coverage
}

interface ExaminationTask {
  readonly change: Change
  /** Limits what the models of this review may spend. */
  readonly budget: Budget
  /** Retryable errors are reported in the review instead of being thrown. */
  readonly isLastAttempt: boolean
  readonly stopwatch: Stopwatch
  /** Has the answers of earlier reviews; null asks the models about everything. */
  readonly answers: AnswerStore | null
}

/**
 * Asks models only about passages without a kept answer. Throws retryable errors, except on the
 * last attempt, and the reason of an aborted signal.
 */
export async function examineChange(
  ctx: ReviewContext,
  { change, budget, isLastAttempt, stopwatch, answers }: ExaminationTask,
  signal: AbortSignal,
): Promise<Examination> {
  const reviewers = ctx.createReviewers(budget, change, ctx.syntax)
  const model = chooseModel(ctx, change)
  const kept = model && answers && (await findAnswers(ctx, change, answers))
  const context = model
    ? await packForModel(ctx, { change, model, selection: kept }, signal)
    : emptyContext
  stopwatch.lap('pack')
  const fresh = await runReviewers(reviewers, { change, context, isLastAttempt }, signal)
  const outcome = kept ? await kept.complete({ context, outcome: fresh }) : fresh
  stopwatch.lap('review')
  const judged = await judgeFindings(
    ctx,
    {
      change,
      reports: outcome.reports,
      verifier: ctx.createVerifier(budget, change, ctx.syntax),
      maxInline: change.settings.policy.maxComments ?? ctx.config.review.maxInlineComments,
    },
    signal,
  )
  const judgment = redactJudgment(judged, ctx.secrets)
  stopwatch.lap('judge')
  return {
    change,
    outcome,
    judgment,
    coverage: measureCoverage(change, context, outcome, judgment),
  }
}

/** Loads code that reviews without a model or without earlier answers don't need. */
async function findAnswers(
  ctx: ReviewContext,
  change: Change,
  answers: AnswerStore,
): Promise<KeptAnswers> {
  const { findKeptAnswers } = await import('./keep-answers.ts')
  return await findKeptAnswers(ctx, change, answers)
}

/** Chooses the model that packed context is for; null if no model is asked. */
export function chooseModel(
  { models }: Pick<ReviewContext, 'models'>,
  change: Change,
): Model | null {
  return change.settings.mode === 'static' ? null : chooseModels(models, change).main
}

/** Packs what a model is asked about. */
export async function packForModel(
  ctx: ReviewContext,
  { change, model, selection }: { change: Change; model: Model; selection: Selection | null },
  signal: AbortSignal,
): Promise<PackedContext> {
  const [{ loadTokenCounter, packContext }, { maxCanaryTokens }] = await Promise.all([
    import('./pack-context.ts'),
    import('../reviewers/attention/canary.ts'),
  ])
  const { contextTokens, attentionCheck } = ctx.config.review
  const budget = {
    tokensPerRound:
      limitRound(contextTokens, await model.readContextWindow(signal)) -
      (attentionCheck ? maxCanaryTokens : 0),
    maxRounds: 4,
  }
  return await packContext(ctx, change, budget, await loadTokenCounter(), selection ?? undefined)
}

/** Composes the review of an examination, with the input of its verdict. */
export function composeReview(
  ctx: Pick<ReviewContext, 'config' | 'secrets'>,
  pullRequest: PullRequest,
  { change, outcome, judgment, coverage }: Examination,
): { review: Review; verdictInput: VerdictInput } {
  const modelTookPart = outcome.reports.some(isByModel)
  const verdictInput = summarizeForVerdict({
    findings: judgment.findings,
    coverage,
    modelTookPart,
    attentionChecked: ctx.config.review.attentionCheck,
    settings: change.settings,
  })
  const review: Review = {
    pullRequest,
    headSha: change.headSha,
    ...decideVerdict(verdictInput),
    ...summarizeReview(judgment.findings, outcome.reports, coverage, ctx.secrets),
    findings: judgment.findings,
    coverage,
    warnings: listWarnings(outcome, ctx.secrets),
    usage: [...outcome.reports, judgment].map((part) => part.usage).reduce(addUsage, noUsage),
    reviewers: outcome.reports.map((report) => report.reviewer),
  }
  return { review, verdictInput }
}

/** Lists each error message once, with our secrets redacted. */
function listWarnings(
  { reports, failures }: ReviewersOutcome,
  secrets: readonly string[],
): ReviewWarning[] {
  const all = [...failures, ...reports.flatMap((report) => report.failures ?? [])]
  const byMessage = new Map(
    all.map(({ code, message }) => [
      message,
      { code, message: redactKnownSecrets(message, secrets) },
    ]),
  )
  return [...byMessage.values()]
}
