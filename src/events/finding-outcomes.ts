// What became of findings, as the insights and the list of findings show it.
import { type RawBuilder, sql } from 'kysely'
import type { FindingOutcome } from '../contract/enums.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/**
 * The outcome of a finding `f`, with its valid dismissal `d` or nulls. A dismissal counts before
 * the verdict is decided again, because a merge may come first.
 */
export const findingOutcome: RawBuilder<FindingOutcome> = sql`
  case when f.state = 'dismissed' or f.state = 'open' and d.login is not null then 'dismissed'
    when f.state = 'resolved' then f.resolution
    when f.placement = 'held_back' then 'suppressed' else 'open' end`

/** Leaves out findings of reviews that weren't completed, because they weren't posted. */
export const joinReviewed = sql`
  join pull_requests p on p.repo = f.repo and p.number = f.pr_number
    and f.first_run_id <= p.reviewed_run_id`

export const joinDismissal = sql`
  left join dismissals d on d.repo = f.repo and d.pr_number = f.pr_number
    and d.fingerprint = f.fingerprint and d.reopened = f.reopened`

/** Whether a dismissal `d` means that the finding was wrong. Without a kind, it may be. */
export const meansWrong: RawBuilder<boolean> = sql`
  coalesce(d.kind, 'false_positive') = 'false_positive'`

/**
 * Counts the outcomes of a pull request's findings again, for the insights. Call it after findings
 * or dismissals changed, in the same transaction. Findings of a review that wasn't posted are left
 * out, and so are those that were replaced or withdrawn.
 */
export async function countOutcomes(tx: Db, { repo, number }: PullRequestRef): Promise<void> {
  await sql`
    update pull_requests p set fixed_count = n.fixed, dismissed_count = n.dismissed,
      open_count = n.open, open_critical_count = n.critical
    from (
      select count(*) filter (where outcome = 'fixed') as fixed,
        count(*) filter (where outcome = 'dismissed') as dismissed,
        count(*) filter (where outcome in ('open', 'suppressed')) as open,
        count(*) filter (where outcome in ('open', 'suppressed') and severity = 'critical')
          as critical
      from (
        select f.severity, ${findingOutcome} as outcome
        from findings f
        ${joinReviewed}
        ${joinDismissal}
        where f.repo = ${repo} and f.pr_number = ${number}
      ) as known
    ) as n
    where p.repo = ${repo} and p.number = ${number}`.execute(tx)
}
