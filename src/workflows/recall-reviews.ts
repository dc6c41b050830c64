// Recalls what earlier reviews of a pull request found, and what people made of it since.
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Finding, FindingState } from '../domain/finding.ts'
import type { PullRequest, PullRequestRef } from '../domain/pull-request.ts'
import type { Access, Thread } from '../platforms/platform.ts'
import type { EarlierReviews } from '../reviewers/reviewer.ts'
import { decodeLines } from './judging/seen-lines.ts'
import { findingMarker } from './posting/markers.ts'

/** A stored finding. */
interface StoredFinding {
  readonly finding: Finding
  /** It may have a thread on the pull request. */
  readonly isPosted: boolean
  /** The review that saw it last came to its end. */
  readonly isSettled: boolean
}

/**
 * What was found before on a pull request, and read. That the answers can't be read costs a note.
 *
 * @param ref under which its reviews are stored
 */
export async function recallEarlierReviews(
  ctx: Pick<AppContext, 'db' | 'platform' | 'log'>,
  access: Access,
  { ref, pullRequest }: { ref: PullRequestRef; pullRequest: PullRequest },
  signal: AbortSignal,
): Promise<EarlierReviews> {
  const stored = await listStored(ctx.db, ref)
  const seenLines = await readSeenLines(ctx.db, ref)
  const threads = await listThreads(ctx, access, ref, stored, signal)
  return {
    findings: stored.map((one) => ({
      ...one.finding,
      state: judgeState(one, threads?.get(findingMarker(one.finding)), pullRequest),
    })),
    seenLines,
    notes: threads === null ? ['The answers to earlier findings could not be read.'] : [],
  }
}

/** Our threads by their markers; null where they can't be had. Nothing is asked where no finding can have one. */
async function listThreads(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  { number }: PullRequestRef,
  stored: readonly StoredFinding[],
  signal: AbortSignal,
): Promise<Map<string, Thread> | null> {
  const markers = stored.filter(mayHaveChanged).map(({ finding }) => findingMarker(finding))
  if (markers.length === 0) return new Map()
  try {
    const threads = await ctx.platform.listThreads(access, number, signal)
    return new Map(
      threads.flatMap((thread) => {
        const [first] = thread.comments
        const marker = first?.own ? markers.find((candidate) => first.body.trimEnd().endsWith(candidate)) : undefined
        return marker === undefined ? [] : [[marker, thread] as const]
      }),
    )
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.warn({ err: error }, 'The threads of earlier findings could not be read')
    return null
  }
}

function mayHaveChanged({ finding, isPosted, isSettled }: StoredFinding): boolean {
  return isPosted && (finding.state !== 'resolved' || !isSettled)
}

/**
 * A thread that a person resolved dismisses its finding, and so does an answer in it, but not to a critical one: an author
 * can't talk that away, and one without any rights in the repository can't resolve it away. Threads that we resolved are those of findings that are stored as resolved; where the review that
 * did so broke off, it got that far or didn't.
 */
function judgeState(stored: StoredFinding, thread: Thread | undefined, pullRequest: PullRequest): FindingState {
  const { finding } = stored
  if (!mayHaveChanged(stored)) return finding.state
  if (finding.state === 'resolved') return thread?.resolved ? 'resolved' : 'open'
  if (thread === undefined) return finding.state
  // We ourselves say nothing more there, also where people and we share an account; other programs answer for nobody.
  const isAnswered = thread.resolved || thread.comments.slice(1).some(({ bot }) => !bot)
  const isSettled = finding.severity !== 'critical' || (thread.resolved && !isOutsider(thread.resolvedBy, pullRequest))
  return isAnswered && isSettled ? 'dismissed' : 'open'
}

/** Platforms let authors resolve threads on their pull requests, also those who may do nothing else in the repository. */
function isOutsider(login: string | null, { repo, author, head }: PullRequest): boolean {
  return head.repo?.toLowerCase() !== repo.toLowerCase() && login?.toLowerCase() === author.toLowerCase()
}

async function readSeenLines(db: Db, ref: PullRequestRef): Promise<Set<string>> {
  const row = await db
    .selectFrom('workflow_runs')
    .select('seen_lines')
    .where('repo', '=', ref.repo)
    .where('pr_number', '=', ref.number)
    .where('status', '=', 'completed')
    .where('seen_lines', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return decodeLines(row?.seen_lines ?? Buffer.alloc(0))
}

async function listStored(db: Db, ref: PullRequestRef): Promise<StoredFinding[]> {
  const rows = await db
    .selectFrom('findings')
    .innerJoin('workflow_runs', 'workflow_runs.id', 'findings.last_run_id')
    .selectAll('findings')
    .select('workflow_runs.status as last_run_status')
    .where('findings.repo', '=', ref.repo)
    .where('findings.pr_number', '=', ref.number)
    .orderBy('findings.id')
    .execute()
  return rows.map((row) => ({
    isPosted: row.placement === 'inline' || row.comment_url !== null,
    isSettled: row.last_run_status === 'completed',
    finding: {
      reviewer: row.reviewer,
      rule: row.rule,
      path: row.path,
      side: row.side,
      startLine: row.start_line,
      endLine: row.end_line,
      quote: row.quote,
      severity: row.severity,
      category: row.category,
      title: row.title,
      body: row.body,
      suggestion: row.suggestion,
      evidence: row.evidence,
      ...(row.rests_on && { restsOn: row.rests_on }),
      confidence: row.confidence,
      fingerprint: row.fingerprint,
      anchorHash: row.anchor_hash,
      state: row.state,
      reopened: row.reopened,
      placement: row.placement,
      verified: row.verified,
    },
  }))
}
