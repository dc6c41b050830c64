// Runs `umpire review`, which reviews a change without server or database and prints the findings.
import type { ReviewContext } from '../context.ts'
import type { Change } from '../domain/change.ts'
import { severities } from '../domain/finding.ts'
import type { Review } from '../domain/review.ts'
import { type Stopwatch, startStopwatch } from '../lib/stopwatch.ts'
import { exitCode } from './exit-codes.ts'
import {
  gatherPullRequest,
  type ReviewInput,
  startGatheringLocalChange,
} from './gather-review-input.ts'
import { type Interruption, listenForSignals } from './interruption.ts'
import { openOutput, type ReportOutput } from './reports/report-output.ts'
import { parseReviewOptions, type ReviewOptions } from './review-options.ts'
import { createProgressLog, type Progress, startProgress } from './terminal-progress.ts'

/** Returns the exit code, also if a signal ended the review. Throws UsageError and UmpireError. */
export async function review(args: string[]): Promise<number> {
  const options = parseReviewOptions(args)
  using interruption = listenForSignals()
  try {
    return await reviewSource(options, interruption)
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode()
    throw error
  }
}

async function reviewSource(options: ReviewOptions, { signal }: Interruption): Promise<number> {
  const clock = startStopwatch()
  using progress = startProgress(process.stderr, options.quiet)
  const output = await openOutput(options.format)
  await using resources = new ParallelDisposableStack()
  progress.step('Reading the change')
  const { gathered, ctx, workflow } = await prepare(options, progress, resources, signal)
  progress.note(`Reviewing ${gathered.compared.description}`)
  progress.clear()
  if (!options.estimate) output.start(gathered.compared)
  const stopwatch = reportSteps(clock, progress, output)
  const [changeWithContext, graph] = await Promise.all([
    addContext(ctx, gathered, options, resources, signal),
    workflow.readGraph(ctx, gathered.change, signal),
  ])
  stopwatch.lap('gather')
  const change = workflow.applyOptions({ ...changeWithContext, graph }, options)
  if (options.estimate) {
    const { describeEstimate } = await import('./describe-estimate.ts')
    const description = await describeEstimate(ctx, change, signal)
    progress.clear()
    console.log(description)
    return exitCode.ok
  }
  const isEmpty =
    change.diff.files.length === 0 &&
    change.diff.problems.length === 0 &&
    change.skipped.length === 0
  const review = isEmpty ? null : await workflow.executeReview(ctx, change, stopwatch, signal)
  const code = review === null ? exitCode.ok : chooseExitCode(review, options)
  progress.clear()
  output.end({
    compared: gathered.compared,
    review,
    change: review && change,
    failOn: options.failOn,
    exitCode: code,
    durationMs: clock.total(),
  })
  return code
}

/**
 * Gathers the change and loads the reviewers concurrently. Everything that was created is added to
 * `resources`, even if a part fails.
 */
async function prepare(
  options: ReviewOptions,
  progress: Progress,
  resources: ParallelDisposableStack,
  signal: AbortSignal,
) {
  const { source } = options
  // The thread of the parser and git start before the other modules are loaded, because they take
  // longest.
  const { createRuleParser } = await import('../reviewers/create-rule-parser.ts')
  const syntax = resources.use(createRuleParser())
  syntax.warmUp()
  const local =
    source.kind === 'pull_request' ? null : await startGatheringLocalChange(source, signal)
  void local?.paths.then((paths) => syntax.warmUp(paths))
  const loading = import('./execute-review.ts').then(async (workflow) => {
    const log = createProgressLog(progress)
    const ctx = resources.use(await workflow.openReviewContext(options, log, syntax))
    return { workflow, ctx }
  })
  const gathering = local?.input.then(resources.use)
  const [gathered, loaded] = await Promise.allSettled([gathering, loading])
  if (gathered.status === 'rejected') throw gathered.reason
  if (loaded.status === 'rejected') throw loaded.reason
  const { ctx, workflow } = loaded.value
  if (gathered.value) return { gathered: gathered.value, ctx, workflow }
  const url = source.kind === 'pull_request' ? source.address : ''
  const pullRequest = resources.use(await gatherPullRequest(ctx, url, signal))
  return { gathered: pullRequest, ctx, workflow }
}

/** Adds context from the sources if the user requested it. Their code is slow to load. */
async function addContext(
  ctx: ReviewContext,
  gathered: ReviewInput,
  { context }: ReviewOptions,
  resources: ParallelDisposableStack,
  signal: AbortSignal,
): Promise<Change> {
  if (!context) return gathered.change
  const { querySources, openContextSources } = await import('./query-sources.ts')
  const sources = resources.use(openContextSources(ctx, gathered.origin === null))
  return querySources(ctx, sources, gathered, signal)
}

/** Disposes all resources concurrently, because the user waits for the command to end. */
class ParallelDisposableStack implements AsyncDisposable {
  readonly #parts: AsyncDisposable[] = []

  readonly use = <Part extends AsyncDisposable>(part: Part): Part => {
    this.#parts.push(part)
    return part
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#parts.map((part) => part[Symbol.asyncDispose]()))
  }
}

function chooseExitCode({ findings, coverage }: Review, { failOn }: ReviewOptions): number {
  const failing = severities.slice(0, severities.indexOf(failOn) + 1)
  if (findings.some(({ severity }) => failing.includes(severity))) return exitCode.findings
  return coverage.complete ? exitCode.ok : exitCode.partial
}

const nextStepLabels: Readonly<Record<string, string>> = {
  gather: 'Packing the context',
  pack: 'Reviewing',
  review: 'Judging the findings',
}

/** Wraps a stopwatch so that each lap is reported, with the next step. */
function reportSteps(stopwatch: Stopwatch, progress: Progress, output: ReportOutput): Stopwatch {
  return {
    ...stopwatch,
    lap(step) {
      stopwatch.lap(step)
      progress.clear()
      output.step(step, stopwatch.laps[step] ?? 0)
      const next = nextStepLabels[step]
      if (next !== undefined) progress.step(next)
    },
  }
}
