// Configures and executes the review of `umpire review`. This module is loaded while git works.

import type { ReviewParser, SyntaxParser } from '../code/syntax-parser.ts'
import { readProcessEnvironment } from '../config/environment.ts'
import type { Config, ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import type { ChangeGraph } from '../domain/change-graph.ts'
import { ConfigError } from '../domain/errors.ts'
import { compareBySeverity, type Finding } from '../domain/finding.ts'
import type { Review } from '../domain/review.ts'
import { searchChangeGraph } from '../knowledge/change/search-change-graph.ts'
import type { Log } from '../lib/logger.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'
import { createLocalBudget } from '../models/budget.ts'
import { readConfig } from '../read-config.ts'
import { createReviewContext } from '../review-context.ts'
import type { Reviewer } from '../reviewers/reviewer.ts'
import { expectInspections } from '../reviewers/static-reviewer.ts'
import { composeReview, examineChange } from '../workflows/examine-change.ts'
import { redactReview } from '../workflows/posting/redact-review.ts'
import { hintAtVariables } from './hint-at-variables.ts'
import type { ReviewOptions } from './review-options.ts'

export interface CommandContext extends ReviewContext {
  readonly syntax: ReviewParser
}

type ContextOptions = Pick<
  ReviewOptions,
  'source' | 'mode' | 'context' | 'envFile' | 'sarif' | 'sarifBase'
>

/** Creates the review context, with a parser that was started before. */
export async function openReviewContext(
  options: ContextOptions,
  log: Log,
  syntax: SyntaxParser & AsyncDisposable,
): Promise<CommandContext & AsyncDisposable> {
  const config = await readConfig(
    readProcessEnvironment(options.envFile ?? undefined),
    ({ review }) => review === 'always' || (review === 'with context' && options.context),
  )
  if (options.envFile !== null || lacksVariables(config, options)) hintAtVariables(options.envFile)
  if (options.context && config.contextSources.length === 0) {
    throw new ConfigError(
      '--context needs an issue tracker, error tracker or chat: ' +
        'configure one in the environment, see docs/context-sources.md.',
    )
  }
  const ctx = await createReviewContext(chooseModels(config, options), log, { syntax })
  const toolReviewers = await openToolReviewers(options, log)
  return {
    ...ctx,
    syntax: syntax.forReview(''),
    createReviewers: (...task) => [...ctx.createReviewers(...task), ...toolReviewers],
  }
}

/** Whether a variable isn't set without which less is reviewed, or nothing. */
function lacksVariables({ models, hosts }: Config, { mode, source }: ContextOptions): boolean {
  if (mode !== 'static' && models.main === null) return true
  return source.kind === 'pull_request' && hosts.some(({ fallback }) => fallback.token === null)
}

/** Their code is only loaded if there are logs of other tools. */
async function openToolReviewers(options: ContextOptions, log: Log): Promise<Reviewer[]> {
  if (options.sarif.length === 0) return []
  const { readToolLogs } = await import('./read-tool-logs.ts')
  const { createToolReviewers } = await import('../reviewers/tool-reviewer.ts')
  return createToolReviewers([await readToolLogs(options, log)], false)
}

/** In static mode, the models are removed, so that no code for models is loaded. */
function chooseModels(config: Config, { mode }: ContextOptions): Config {
  if (mode === 'static') return { ...config, models: { ...config.models, main: null, fast: null } }
  if (mode !== null && config.models.main === null)
    throw new ConfigError(`--mode ${mode} needs MODEL to be set.`)
  return config
}

/** Reads the code around the change; null if the graph is switched off. */
export async function readGraph(
  ctx: CommandContext,
  change: Change,
  signal: AbortSignal,
): Promise<ChangeGraph | null> {
  expectInspections(ctx.syntax, change)
  if (!ctx.config.graph.enabled) return null
  return searchChangeGraph(ctx, { ...change, diffs: change.diff.files }, signal)
}

/** Removes the limit of comments, because the command posts none, and sets the mode. */
export function applyOptions(change: Change, { mode }: Pick<ReviewOptions, 'mode'>): Change {
  const { settings } = change
  const policy = { ...settings.policy, maxComments: Number.MAX_SAFE_INTEGER }
  return { ...change, settings: { ...settings, mode: mode ?? settings.mode, policy } }
}

/** Reviews a change. The most severe findings are first, and secrets are redacted. */
export async function executeReview(
  ctx: ReviewContext,
  change: Change,
  stopwatch: Stopwatch,
  signal: AbortSignal,
): Promise<Review> {
  const budget = createLocalBudget({ ...ctx.config.models.budget, perDayUsd: null })
  const examination = await examineChange(
    ctx,
    { change, budget, isLastAttempt: true, stopwatch, answers: null },
    signal,
  )
  const review = redactReview(
    composeReview(ctx, change.pullRequest, examination).review,
    ctx.secrets,
  )
  return { ...review, findings: review.findings.toSorted(byLocation).toSorted(compareBySeverity) }
}

function byLocation(one: Finding, other: Finding): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  return one.startLine - other.startLine
}
