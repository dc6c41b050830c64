// Saves and lists the findings of a pull request, which are kept over all of its runs.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Finding } from '../domain/finding.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { selectFindings } from './select-findings.ts'

/** The run that found them. */
interface FindingRun extends PullRequestRef {
  readonly id: number
}

export interface StoredFinding {
  /** Includes its dismissal as it was recorded. */
  readonly finding: Finding
  /** It may have a thread on the pull request. */
  readonly isPosted: boolean
  /** The review that saved it last was completed. */
  readonly isSettled: boolean
}

/** PostgreSQL accepts at most 65,535 parameters in a statement. */
const maxRowsPerInsert = 500

/**
 * Saves the findings of a run. The URL of a comment stays if it isn't given.
 *
 * @param commentUrls by fingerprint
 */
export async function saveFindings(
  tx: Db,
  run: FindingRun,
  findings: readonly Finding[],
  commentUrls: ReadonlyMap<string, string | null> = new Map(),
): Promise<void> {
  const rows = findings.map((finding) =>
    findingRow(run, finding, commentUrls.get(finding.fingerprint) ?? null),
  )
  for (let start = 0; start < rows.length; start += maxRowsPerInsert) {
    await upsertFindings(tx, rows.slice(start, start + maxRowsPerInsert))
  }
}

async function upsertFindings(tx: Db, rows: ReturnType<typeof findingRow>[]): Promise<void> {
  await tx
    .insertInto('findings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['repo', 'pr_number', 'fingerprint']).doUpdateSet((eb) => ({
        last_run_id: eb.ref('excluded.last_run_id'),
        path: eb.ref('excluded.path'),
        start_line: eb.ref('excluded.start_line'),
        end_line: eb.ref('excluded.end_line'),
        quote: eb.ref('excluded.quote'),
        anchor_hash: eb.ref('excluded.anchor_hash'),
        severity: eb.ref('excluded.severity'),
        title: eb.ref('excluded.title'),
        body: eb.ref('excluded.body'),
        suggestion: eb.ref('excluded.suggestion'),
        evidence: eb.ref('excluded.evidence'),
        rests_on: eb.ref('excluded.rests_on'),
        verified: eb.ref('excluded.verified'),
        confidence: eb.ref('excluded.confidence'),
        state: eb.ref('excluded.state'),
        removed: eb.ref('excluded.removed'),
        reopened: eb.ref('excluded.reopened'),
        placement: eb.ref('excluded.placement'),
        comment_url: sql`coalesce(excluded.comment_url, findings.comment_url)`,
        resolved_at: sql`
          case when excluded.state = 'resolved' then coalesce(findings.resolved_at, now()) end`,
      })),
    )
    .execute()
}

function findingRow(run: FindingRun, finding: Finding, commentUrl: string | null) {
  return {
    repo: run.repo,
    pr_number: run.number,
    fingerprint: finding.fingerprint,
    first_run_id: run.id,
    last_run_id: run.id,
    reviewer: finding.reviewer,
    rule: finding.rule,
    path: finding.path,
    side: finding.side,
    start_line: finding.startLine,
    end_line: finding.endLine,
    quote: finding.quote,
    anchor_hash: finding.anchorHash,
    severity: finding.severity,
    category: finding.category,
    title: finding.title,
    body: finding.body,
    suggestion: finding.suggestion,
    evidence: JSON.stringify(finding.evidence),
    rests_on: finding.citation ? JSON.stringify(finding.citation) : null,
    confidence: finding.confidence,
    verified: finding.verified,
    state: finding.state,
    removed: finding.removed ?? false,
    reopened: finding.reopened,
    placement: finding.placement,
    comment_url: commentUrl,
    resolved_at: finding.state === 'resolved' ? new Date() : null,
  }
}

/** Lists all findings of a pull request with their valid dismissals, the oldest first. */
export async function listStoredFindings(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<StoredFinding[]> {
  const rows = await selectFindings(db)
    .innerJoin('workflow_runs as r', 'r.id', 'f.last_run_id')
    .selectAll('f')
    .select(['d.login as dismissed_by', 'd.via', 'd.reason'])
    .select('r.status as last_run_status')
    .where('f.repo', '=', repo)
    .where('f.pr_number', '=', number)
    .orderBy('f.id')
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
      ...(row.rests_on && { citation: row.rests_on }),
      confidence: row.confidence,
      fingerprint: row.fingerprint,
      anchorHash: row.anchor_hash,
      state: row.state,
      ...(row.dismissed_by !== null && {
        dismissal: { login: row.dismissed_by, via: row.via ?? 'thread', reason: row.reason ?? '' },
      }),
      removed: row.removed,
      reopened: row.reopened,
      placement: row.placement,
      verified: row.verified,
    },
  }))
}

/** Whether a later run than this one saved findings of the pull request. */
export async function hasFindingsSince(
  db: Db,
  { repo, number }: PullRequestRef,
  runId: number,
): Promise<boolean> {
  const newer = await db
    .selectFrom('findings')
    .select('id')
    .where('repo', '=', repo)
    .where('pr_number', '=', number)
    .where('last_run_id', '>', runId)
    .limit(1)
    .executeTakeFirst()
  return newer !== undefined
}
