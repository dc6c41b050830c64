// Runs `umpire eval`, which reviews the changes of a corpus and measures what the reviews find.
import { createLimiter } from '../lib/semaphore.ts'
import { createRuleParser } from '../reviewers/create-rule-parser.ts'
import { type EvaluatedChange, evaluateChange } from './evaluation/evaluate-change.ts'
import { type CorpusChange, readCorpus } from './evaluation/read-corpus.ts'
import { summarizeEvaluation } from './evaluation/summarize-evaluation.ts'
import { type CommandContext, openReviewContext } from './execute-review.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { listenForSignals } from './interruption.ts'
import { parseChoice, parseOptions } from './parse-options.ts'
import { type Evaluation, renderEvaluation } from './reports/evaluation-report.ts'
import { reviewModes } from './review-options.ts'
import { createProgressLog, type Progress, startProgress } from './terminal-progress.ts'

export const usage = `Usage: umpire eval <corpus> --repositories <folder> [options]

Reviews the changes of a corpus with the configured model, or only with the rules, and measures how
many of the expected places the reviews find, how many of their findings are at such a place, and
what they cost. Nothing is posted.

  --repositories <folder>
                     the folder with the repositories: <owner>/<name>, clones or bare ones
  --format <name>    pretty, json; default: pretty
  --mode <name>      ${reviewModes.join(', ')}; static uses no model
  --limit <number>   review only this many changes of the corpus
  --jobs <number>    review this many changes at the same time; default: 1
  --tolerance <number>
                     a finding may be this many lines away from an expected place; default: 3
  --max-cost <usd>   stop when the models have cost this much
  --env-file <file>  read variables that the environment does not set from this file
  --quiet            do not show progress

Exit codes: 0 all changes were reviewed, 2 usage, 3 configuration, 4 some changes could not be
reviewed. See docs/evaluation.md.`

const options = {
  repositories: { type: 'string' },
  format: { type: 'string', default: 'pretty' },
  mode: { type: 'string' },
  limit: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  tolerance: { type: 'string', default: '3' },
  'max-cost': { type: 'string' },
  'env-file': { type: 'string' },
  quiet: { type: 'boolean', short: 'q', default: false },
} as const

interface EvalOptions {
  readonly corpus: string
  readonly folder: string
  readonly format: 'pretty' | 'json'
  readonly mode: (typeof reviewModes)[number] | null
  readonly limit: number
  readonly jobs: number
  readonly tolerance: number
  readonly maxUsd: number | null
  readonly envFile: string | null
  readonly quiet: boolean
}

function parseEvalOptions(args: string[]): EvalOptions {
  const { values, positionals } = parseOptions(args, options, true)
  const [corpus, ...others] = positionals
  if (corpus === undefined) throw new UsageError('name the file of the corpus')
  if (others.length > 0) throw new UsageError(`unexpected argument "${others[0]}"`)
  if (values.repositories === undefined)
    throw new UsageError('--repositories needs the folder with the repositories')
  const { limit, mode, 'max-cost': maxCost } = values
  return {
    corpus,
    folder: values.repositories,
    format: parseChoice('--format', values.format, ['pretty', 'json']),
    mode: mode === undefined ? null : parseChoice('--mode', mode, reviewModes),
    limit: limit === undefined ? Number.MAX_SAFE_INTEGER : parseCount('--limit', limit, 1),
    jobs: parseCount('--jobs', values.jobs, 1),
    tolerance: parseCount('--tolerance', values.tolerance, 0),
    maxUsd: maxCost === undefined ? null : parseUsd(maxCost),
    envFile: values['env-file'] ?? null,
    quiet: values.quiet,
  }
}

function parseCount(option: string, given: string, min: number): number {
  const count = /^\d{1,6}$/.test(given) ? Number(given) : -1
  if (count < min) throw new UsageError(`${option} needs a whole number from ${min} to 999999`)
  return count
}

function parseUsd(given: string): number {
  const usd = Number(given)
  if (!(usd > 0)) throw new UsageError('--max-cost needs an amount in US dollars, such as 2.50')
  return usd
}

export async function run(args: string[]): Promise<number> {
  const given = parseEvalOptions(args)
  const corpus = (await readCorpus(given.corpus)).slice(0, given.limit)
  if (corpus.length === 0) throw new UsageError(`${given.corpus} has no changes`)
  using interruption = listenForSignals()
  using progress = startProgress(process.stderr, given.quiet)
  await using syntax = createRuleParser()
  const log = createProgressLog(progress)
  const source = { kind: 'any' } as const
  const context = { source, mode: given.mode, context: false, envFile: given.envFile }
  const ctx = await openReviewContext({ ...context, sarif: [], sarifBase: [] }, log, syntax)
  const evaluateOne = createEvaluator(
    // Each change has a parser of its own, which keeps what it parsed.
    () => ({ ...ctx, syntax: syntax.forReview('') }),
    given,
    progress,
    interruption.signal,
  )
  const inTurn = createLimiter(given.jobs)
  const results = await Promise.all(corpus.map((change) => inTurn(() => evaluateOne(change))))
  progress.clear()
  const changes = results.filter((result) => 'found' in result)
  const failures = results.filter((result) => 'reason' in result)
  const evaluation: Evaluation = {
    model: ctx.models.main?.name ?? null,
    tolerance: given.tolerance,
    summary: summarizeEvaluation(changes),
    changes,
    failures,
  }
  process.stdout.write(renderEvaluation(evaluation, given.format))
  if (interruption.signal.aborted) return interruption.exitCode()
  return failures.length > 0 ? exitCode.partial : exitCode.ok
}

/** A change that could not be reviewed, and why. */
type Failure = Evaluation['failures'][number]

function createEvaluator(
  createContext: () => CommandContext,
  { folder, mode, tolerance, maxUsd }: EvalOptions,
  progress: Progress,
  signal: AbortSignal,
): (change: CorpusChange) => Promise<EvaluatedChange | Failure> {
  let spent = 0
  return async (corpusChange) => {
    const { repository, head } = corpusChange
    const fail = (reason: string): Failure => ({ repository, head, reason })
    if (signal.aborted) return fail('interrupted')
    if (maxUsd !== null && spent >= maxUsd) return fail('--max-cost was reached')
    progress.step(`Reviewing ${repository} ${head.slice(0, 7)}`)
    const task = { corpusChange, folder, mode, tolerance, maxUsd, spentUsd: () => spent }
    try {
      const evaluated = await evaluateChange(createContext(), task, signal)
      spent += evaluated.usage.costUsd ?? 0
      return evaluated.reachedMaxCost ? fail('--max-cost was reached') : evaluated
    } catch (error) {
      const reason = signal.aborted ? 'interrupted' : (error as Error).message
      progress.note(`${repository} ${head.slice(0, 7)}: ${reason}`)
      return fail(reason)
    }
  }
}
