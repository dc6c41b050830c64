// `umpire review`: reviews a change without server or database, and prints what was found.
import type { ReviewContext } from '../context.ts'
import { severities } from '../domain/finding.ts'
import type { Review } from '../domain/review.ts'
import type { Log } from '../lib/logger.ts'
import { type Stopwatch, startStopwatch } from '../lib/stopwatch.ts'
import type { Change } from '../reviewers/reviewer.ts'
import { exitCode } from './exit-codes.ts'
import {
  gatherPullRequest,
  type ReviewInput,
  startGatheringLocalChange,
} from './gather-review-input.ts'
import { type Interruption, listenForSignals } from './interruption.ts'
import { openOutput, type ReportOutput } from './reports/report-output.ts'
import { parseReviewOptions, type ReviewOptions } from './review-options.ts'
import { type Progress, startProgress } from './terminal-progress.ts'

/** Returns the exit code. Throws what explains itself, and nothing once a signal ended the review. */
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
  await using held = new ParallelDisposableStack()
  progress.step('Reading the change')
  const { gathered, ctx, workflow } = await prepare(options, progress, held, signal)
  progress.note(`Reviewing ${gathered.compared.description}`)
  progress.clear()
  output.start(gathered.compared)
  const stopwatch = reportSteps(clock, progress, output)
  const asked = await addContext(ctx, gathered, options, held, signal)
  stopwatch.lap('gather')
  const change = applyOptions(asked, options)
  const isEmpty =
    change.diff.files.length === 0 &&
    change.diff.problems.length === 0 &&
    change.skipped.length === 0
  const found = isEmpty ? null : await workflow.executeReview(ctx, change, stopwatch, signal)
  const code = found === null ? exitCode.ok : chooseExitCode(found, options)
  progress.clear()
  output.end({
    compared: gathered.compared,
    review: found,
    change: found && change,
    failOn: options.failOn,
    exitCode: code,
    durationMs: clock.total(),
  })
  return code
}

/** Gathers, and loads what reviews, side by side: git works meanwhile. What was made is held, whatever fails. */
async function prepare(
  options: ReviewOptions,
  progress: Progress,
  held: ParallelDisposableStack,
  signal: AbortSignal,
) {
  const { source } = options
  // git is started before anything else is loaded.
  const local =
    source.kind === 'pull_request' ? null : await startGatheringLocalChange(source, signal)
  const { startStaticReviewer } = await import('../review-context.ts')
  const staticReviewer = held.use(startStaticReviewer())
  void local?.paths.then((paths) => staticReviewer.warmUp(paths))
  const loading = import('./execute-review.ts').then(async (workflow) => {
    const ctx = held.use(
      await workflow.openReviewContext(options, createLog(progress), staticReviewer),
    )
    return { workflow, ctx }
  })
  const [gathered, loaded] = await Promise.allSettled([local?.input.then(held.use), loading])
  if (gathered.status === 'rejected') throw gathered.reason
  if (loaded.status === 'rejected') throw loaded.reason
  const { ctx, workflow } = loaded.value
  if (gathered.value) {
    // It checks suggestions, and starts while the rules read.
    const [file] = gathered.value.change.files
    if (file !== undefined) ctx.syntax.warmUp(file.path)
    return { gathered: gathered.value, ctx, workflow }
  }
  const address = source.kind === 'pull_request' ? source.address : ''
  return { gathered: held.use(await gatherPullRequest(ctx, address, signal)), ctx, workflow }
}

/** With what trackers and chats say, where the user wants them asked: they take long to load. */
async function addContext(
  ctx: ReviewContext,
  gathered: ReviewInput,
  { context }: ReviewOptions,
  held: ParallelDisposableStack,
  signal: AbortSignal,
): Promise<Change> {
  if (!context) return gathered.change
  const { querySources, openContextSources } = await import('./query-sources.ts')
  const sources = held.use(openContextSources(ctx, gathered.origin === null))
  return querySources(ctx, sources, gathered, signal)
}

/** What has to be ended before the command is; all at once, for somebody waits. */
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

/** Nothing is held back: how many comments a pull request can bear doesn't matter where none are made. */
function applyOptions(change: Change, { mode }: ReviewOptions): Change {
  const { settings } = change
  const policy = { ...settings.policy, maxComments: Number.MAX_SAFE_INTEGER }
  return { ...change, settings: { ...settings, mode: mode ?? settings.mode, policy } }
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

/** A stopwatch that tells what comes next. */
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

/** What the parts of a review would log: people see its warnings. */
function createLog(progress: Progress): Log {
  const drop = () => undefined
  const tell = (_: unknown, message?: string) => progress.note(message ?? '')
  const log: Log = {
    debug: drop,
    info: drop,
    warn: tell,
    error: tell,
    fatal: tell,
    child: () => log,
  }
  return log
}
