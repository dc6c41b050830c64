// The stored result of a run: written when the run ends, and read by later runs.
import type { UpdateObject } from 'kysely'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { toJson } from '../db/sql-values.ts'
import type { Impact } from '../domain/impact.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import type { PullRequest, PullRequestRef } from '../domain/pull-request.ts'
import type {
  Confidence,
  Coverage,
  ReviewBasis,
  ReviewWarning,
  Usage,
  Verdict,
} from '../domain/review.ts'

/**
 * When a completed run is repeated. `reopened`: once its pull request is reopened. `model`: once
 * the model is available, which it wasn't for all or part of the review. `tools`: once the code
 * host has logs of other tools that the review didn't know.
 */
export type RedoTrigger = 'reopened' | 'model' | 'tools'

/** Everything that the verdict was computed from. */
type StoredDecision = Readonly<Record<string, unknown>>

/** The pull request as a run saw it. Another review may be needed if it isn't like that anymore. */
export interface SeenPullRequest {
  readonly headSha: string
  readonly baseBranch: string
  readonly draft: boolean
  readonly title: string
}

/** The texts are as they are stored. */
export const seenOf = ({
  head,
  base,
  draft,
  title,
}: Pick<PullRequest, 'head' | 'base' | 'draft' | 'title'>): SeenPullRequest => ({
  headSha: head.sha,
  baseBranch: toStorableText(base.branch),
  draft,
  title: toStorableText(title),
})

/** The review was completed and has a verdict. */
export interface ReviewOutcome {
  readonly kind: 'reviewed'
  readonly seen: SeenPullRequest
  readonly verdict: Verdict
  readonly confidence: Confidence
  readonly summary: string
  readonly coverage: Coverage
  readonly usage: Usage
  /** Null if no source was queried. */
  readonly sources: LiveContextSummary | null
  /** Null if no impact was reported. */
  readonly impact: Impact | null
  readonly decision: StoredDecision
  /** The duration of each step in milliseconds. */
  readonly timings: Readonly<Record<string, number>>
  readonly basis: ReviewBasis
  /** Where the summary was posted. */
  readonly publishedUrl: string | null
  readonly warnings: readonly ReviewWarning[]
  readonly redoWhen: RedoTrigger | null
  /** The changed lines that were read, see `EarlierReviews`; null if this run read none. */
  readonly seenLines: ReadonlySet<string> | null
}

/** The pull request was closed before its review was posted, or is skipped by the settings. */
export interface SkippedOutcome {
  readonly kind: 'skipped'
  readonly seen: SeenPullRequest
  readonly summary: string
  readonly decision: StoredDecision
  readonly redoWhen: RedoTrigger | null
}

interface FailedOutcome {
  readonly kind: 'failed'
  /** Is shown to people. */
  readonly message: string
  readonly code: string
}

export type RunOutcome = ReviewOutcome | SkippedOutcome | FailedOutcome

type RunColumns = UpdateObject<Schema, 'workflowRuns'>

/** Returns the columns of a run with this outcome. `isLearned`: there is nothing to learn. */
export function outcomeColumns(outcome: RunOutcome): RunColumns {
  if (outcome.kind === 'failed') {
    const { message, code } = outcome
    return { status: 'failed', error: message, errorCode: code, isLearned: true }
  }
  const { headSha, baseBranch, draft, title } = outcome.seen
  const columns: RunColumns = {
    status: 'completed',
    headSha,
    baseBranch,
    summary: outcome.summary,
    decision: toJson({ ...outcome.decision, seen: { draft, title } }),
    redoWhen: outcome.redoWhen,
    isLearned: outcome.kind === 'skipped',
    error: null,
    errorCode: null,
  }
  if (outcome.kind === 'skipped') return { ...columns, verdict: null }
  const { verdict, confidence, coverage, publishedUrl, seenLines } = outcome
  return {
    ...columns,
    verdict,
    confidence,
    publishedUrl,
    filesAnalyzed: coverage.filesReviewed,
    coverage: toJson(coverage),
    usage: toJson(outcome.usage),
    sources: toJson(outcome.sources),
    reach: toJson(outcome.impact),
    timings: toJson(outcome.timings),
    basis: toJson(outcome.basis),
    warnings: toJson(outcome.warnings),
    seenLines: seenLines && encodeLines(seenLines),
  }
}

/** A completed review with a verdict, and what it was based on. */
export interface StoredReview
  extends Pick<
    ReviewOutcome,
    | 'verdict'
    | 'coverage'
    | 'sources'
    | 'impact'
    | 'decision'
    | 'basis'
    | 'publishedUrl'
    | 'warnings'
    | 'redoWhen'
  > {
  readonly runId: number
  readonly headSha: string | null
  /** Null if an earlier version reviewed it. */
  readonly baseBranch: string | null
}

/**
 * Reads the latest review with a verdict of a pull request; undefined if there is none, or if it is
 * from a version that didn't store what it was based on.
 */
export async function readLatestReview(
  db: Db,
  ref: PullRequestRef,
): Promise<StoredReview | undefined> {
  const latest = await selectLatestCompleted(db, ref)
    .select(['id as runId', 'headSha', 'baseBranch', 'verdict', 'coverage', 'decision', 'sources'])
    .select(['basis', 'reach as impact', 'publishedUrl', 'warnings', 'redoWhen'])
    .where('verdict', 'is not', null)
    .executeTakeFirst()
  const { verdict, basis, coverage } = latest ?? {}
  if (!latest || !verdict || !basis || !coverage) return undefined
  const { decision, warnings } = latest
  return { ...latest, verdict, basis, coverage, decision: decision ?? {}, warnings: warnings ?? [] }
}

/** How the latest run of a pull request ended. */
export interface LatestEnd extends Pick<StoredReview, 'decision' | 'headSha' | 'publishedUrl'> {
  readonly runId: number
  readonly hasFailed: boolean
}

/** Undefined if no run has ended. */
export async function readLatestEnd(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<LatestEnd | undefined> {
  const row = await db
    .selectFrom('workflowRuns')
    .select(['id as runId', 'status', 'decision', 'headSha', 'publishedUrl'])
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('status', 'in', ['completed', 'failed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { status, decision, ...rest } = row
  return { ...rest, decision: decision ?? {}, hasFailed: status === 'failed' }
}

function selectLatestCompleted(db: Db, { repo, number }: PullRequestRef) {
  return db
    .selectFrom('workflowRuns')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('status', '=', 'completed')
    .orderBy('id', 'desc')
    .limit(1)
}

/** Whether a pull request had other runs between two of its runs. */
export async function hasRunBetween(
  db: Db,
  { repo, number }: PullRequestRef,
  { after, before }: { after: number; before: number },
): Promise<boolean> {
  const other = await db
    .selectFrom('workflowRuns')
    .select('id')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('id', '>', after)
    .where('id', '<', before)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Reads which changed lines were read, as of the latest completed run that stored them. */
export async function readSeenLines(db: Db, ref: PullRequestRef): Promise<Set<string>> {
  const row = await selectLatestCompleted(db, ref)
    .select('seenLines')
    .where('seenLines', 'is not', null)
    .executeTakeFirst()
  return decodeLines(row?.seenLines ?? Buffer.alloc(0))
}

/** The length of one line identity in hexadecimal digits. */
const identityLength = 16

/** Encodes line identities in 8 bytes each. */
function encodeLines(lines: ReadonlySet<string>): Buffer {
  return Buffer.from([...lines].join(''), 'hex')
}

function decodeLines(bytes: Uint8Array): Set<string> {
  const hex = Buffer.from(bytes).toString('hex')
  return new Set(
    Array.from({ length: hex.length / identityLength }, (_, at) =>
      hex.slice(at * identityLength, (at + 1) * identityLength),
    ),
  )
}
