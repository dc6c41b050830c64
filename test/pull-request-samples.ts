// Sample pull requests and reviews at chosen times before now, for tests of statistics.
import { sql } from 'kysely'
import type { FindingOutcome, Severity } from '../src/contract/enums.ts'
import type { Db } from '../src/db/database.ts'
import type { PullRequestRef } from '../src/domain/pull-request.ts'
import type { Verdict } from '../src/domain/review.ts'
import { countOutcomes } from '../src/events/finding-outcomes.ts'
import { refreshListing } from '../src/events/listing.ts'

/** The model usage of a run in two calls; an unknown price is null. */
export type SpendSample = readonly [model: string, costUsd: number | null]

export interface RunSample {
  /** The verdict, or why there is none. */
  readonly outcome: Verdict | 'skipped' | 'failed' | 'processing'
  /** When the run ended, or when its event arrived if it hasn't ended. */
  readonly hoursAgo: number
  /** The time from the event to the end of the run. */
  readonly seconds?: number
  readonly spend?: readonly SpendSample[]
}

/** A pull request: its runs, and the age of events without a run, by whether they need a review. */
export interface PullRequestSample {
  readonly runs?: readonly RunSample[]
  readonly pendingHoursAgo?: number
  readonly labeledHoursAgo?: number
  readonly author?: string
  /** The pull request was opened in the first of these hours and merged in the last. */
  readonly merged?: readonly [openedHoursAgo: number, mergedHoursAgo: number]
  readonly lines?: number
  readonly confidence?: number
  /** The open findings of the latest review. */
  readonly findings?: readonly [critical: number, moderate: number, minor: number]
}

/** The pull requests by repository, numbered from 1. */
export type PullRequestSamples = Readonly<Record<string, readonly PullRequestSample[]>>

/** Stores them all at one moment and returns it. `outside` is the cost outside of reviews. */
export async function insertPullRequestSamples(
  db: Db,
  samples: PullRequestSamples,
  outside: readonly (readonly [costUsd: number | null, hoursAgo: number])[] = [],
): Promise<Date> {
  return db.transaction().execute(async (tx) => {
    for (const [repo, pulls] of Object.entries(samples)) {
      for (const [index, sample] of pulls.entries())
        await insertPullRequest(tx, { repo, number: index + 1 }, sample)
    }
    for (const [costUsd, hoursAgo] of outside) await insertSpend(tx, null, ['x', costUsd], hoursAgo)
    const { rows } = await sql<{ now: Date }>`select now()`.execute(tx)
    return rows[0]!.now
  })
}

const hoursBeforeNow = (hours: number, secondsBefore = 0) =>
  sql<Date>`now() - make_interval(secs => ${hours * 3600 + secondsBefore}::float8)`

async function insertPullRequest(
  tx: Db,
  ref: PullRequestRef,
  sample: PullRequestSample,
): Promise<void> {
  const {
    runs = [],
    pendingHoursAgo: waiting,
    labeledHoursAgo: label,
    author = 'ann',
    merged,
    lines = 0,
    findings = [0, 0, 0],
  } = sample
  await tx
    .insertInto('pullRequests')
    .values({
      ...{
        ...ref,
        author,
        title: `Change ${ref.number}`,
        branch: '',
        baseBranch: '',
        url: '',
        headSha: '',
      },
      ...{ state: merged ? 'merged' : 'open', draft: false, additions: lines, deletions: 0 },
      ...{
        updatedAt: sql<Date>`now()`,
        openedAt: merged && hoursBeforeNow(merged[0]),
        mergedAt: merged && hoursBeforeNow(merged[1]),
      },
      ...{ criticalCount: findings[0], moderateCount: findings[1], minorCount: findings[2] },
    })
    .execute()
  for (const run of runs) await insertRun(tx, ref, run, sample.confidence ?? 4)
  const pending = { status: 'pending' } as const
  if (waiting !== undefined)
    await insertEvent(tx, ref, {
      ...pending,
      createdAt: hoursBeforeNow(waiting),
      wantsReview: true,
    })
  if (label !== undefined)
    await insertEvent(tx, ref, { ...pending, createdAt: hoursBeforeNow(label), wantsReview: false })
  await sql`
    update pull_requests set last_event_at = (
      select max(created_at) from events where repo = ${ref.repo} and pr_number = ${ref.number})
    where repo = ${ref.repo} and number = ${ref.number}`.execute(tx)
  await refreshListing(tx, ref)
}

async function insertRun(
  tx: Db,
  ref: PullRequestRef,
  sample: RunSample,
  confidence: number,
): Promise<void> {
  const { outcome: came, hoursAgo, seconds = 0, spend = [] } = sample
  const verdict = came === 'skipped' || came === 'failed' || came === 'processing' ? null : came
  const status = came === 'failed' || came === 'processing' ? came : 'completed'
  const { id } = await tx
    .insertInto('workflowRuns')
    .values({
      ...{
        workflowType: 'pr_review',
        repo: ref.repo,
        prNumber: ref.number,
        status,
        attempts: 1,
        verdict,
        headSha: '',
      },
      finishedAt: came === 'processing' ? null : hoursBeforeNow(hoursAgo),
    } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  const createdAt = hoursBeforeNow(hoursAgo, seconds)
  await insertEvent(tx, ref, {
    createdAt,
    status,
    wantsReview: true,
    runId: id,
    processedAt: hoursBeforeNow(hoursAgo),
  })
  for (const one of spend) await insertSpend(tx, id, one, hoursAgo)
  if (verdict === null) return
  await sql`
    update pull_requests 
      set reviewed_run_id = ${id}, verdict = ${verdict}, confidence = ${confidence}
    where repo = ${ref.repo} and number = ${ref.number}`.execute(tx)
}

async function insertEvent(
  tx: Db,
  { repo, number }: PullRequestRef,
  event: {
    createdAt: unknown
    status: string
    wantsReview: boolean
    runId?: number
    processedAt?: unknown
  },
): Promise<void> {
  await tx
    .insertInto('events')
    .values({
      ...{
        eventType: 'pull_request.synchronize',
        source: 'github',
        repo,
        prNumber: number,
        payload: Buffer.of(),
      },
      ...{ status: event.status, wantsReview: event.wantsReview, runId: event.runId ?? null },
      ...{
        createdAt: event.createdAt,
        processedAt: event.status === 'processing' ? null : event.processedAt,
      },
    } as never)
    .execute()
}

async function insertSpend(
  tx: Db,
  runId: number | null,
  [model, costUsd]: SpendSample,
  hoursAgo: number,
): Promise<void> {
  const tokens = { calls: 2, inputTokens: 100, outputTokens: 10, cachedInputTokens: 5 }
  await tx
    .insertInto('modelSpend')
    .values({
      runId,
      model,
      ...tokens,
      costUsd,
      createdAt: hoursBeforeNow(hoursAgo),
    })
    .execute()
}

/** A finding of the latest review of a pull request. */
export interface FindingSample extends PullRequestRef {
  readonly outcome: FindingOutcome
  readonly rule: string | null
  readonly severity?: Severity
  readonly title?: string
  readonly path?: string
  /** Of its dismissal. */
  readonly reason?: string
}

/** Stores findings of pull requests that have a review with a verdict. */
export async function insertFindingSamples(
  db: Db,
  samples: readonly FindingSample[],
): Promise<void> {
  for (const [index, sample] of samples.entries()) {
    await insertFinding(db, index, sample)
    await countOutcomes(db, sample)
  }
}

async function insertFinding(
  db: Db,
  index: number,
  {
    repo,
    number,
    outcome,
    rule,
    severity = 'moderate',
    title = 'It breaks',
    path = `src/file-${index}.ts`,
    reason,
  }: FindingSample,
): Promise<void> {
  const fingerprint = String(index).padStart(32, '0')
  const state = outcome === 'suppressed' ? 'open' : outcome
  const isResolved = state !== 'open' && state !== 'dismissed'
  const comment = `https://forge.example/${repo}/pull/${number}#comment-${index}`
  await sql`
    insert into findings (repo, pr_number, fingerprint, first_run_id, last_run_id, reviewer, rule,
      path, side, start_line, end_line, severity, category, title, body, confidence, verified,
      state, resolution, placement, comment_url, resolved_at)
    select repo, number, ${fingerprint}, reviewed_run_id, reviewed_run_id,
      ${rule === null ? 'agentic' : 'static'}, ${rule}, ${path}, 'RIGHT', 1, 1,
      ${severity}, 'correctness', ${title}, 'When it runs, it breaks.', 0.9, true,
      ${isResolved ? 'resolved' : state}, ${isResolved ? state : null},
      ${outcome === 'suppressed' ? 'held_back' : 'inline'}, ${comment},
      case when ${isResolved}::boolean then now() end
    from pull_requests where repo = ${repo} and number = ${number}`.execute(db)
  if (reason === undefined) return
  await db
    .insertInto('dismissals')
    .values({
      ...{ repo, prNumber: number, fingerprint, reopened: 0, login: 'bea', reason },
      via: reason === '' ? 'thread' : 'api',
    })
    .execute()
}
