// Counts what became of the findings of each rule.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'

/** What became of the findings of a rule, each finding once over all runs of its pull request. */
export interface RuleOutcome {
  readonly rule: string
  readonly reported: number
  /** The cause is gone. */
  readonly fixed: number
  readonly dismissed: number
  /** In a pull request that is open. */
  readonly open: number
  /** In a pull request that was merged or closed with the finding. */
  readonly left: number
  /** The most frequent reasons of dismissals, without those that have none. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[]
}

const maxReasons = 5
const maxReasonLength = 200

/** Counts the findings of rules in the scope, by rule. Suppressed findings count too. */
export async function countRuleOutcomes(db: Db, scope: Scope): Promise<RuleOutcome[]> {
  const { rows } = await sql<RuleOutcome>`
    with found as materialized (
      select f.repo, f.pr_number, f.fingerprint, f.reopened, f.rule, f.state,
        p.state = 'open' as is_open
      from findings f join pull_requests p on p.repo = f.repo and p.number = f.pr_number
      where f.rule is not null and ${isInScope(scope, 'f.repo')}
    ), reasons as (
      select rule, reason, count(*)::integer as count,
        row_number() over (partition by rule order by count(*) desc, reason) as position
      from (
        select found.rule, left(trim(d.reason), ${sql.lit(maxReasonLength)}) as reason
        from found join dismissals d using (repo, pr_number, fingerprint, reopened)
        where found.state = 'dismissed' and trim(d.reason) <> ''
      ) as given
      group by rule, reason
    )
    select rule, count(*)::integer as reported,
      count(*) filter (where state = 'resolved')::integer as fixed,
      count(*) filter (where state = 'dismissed')::integer as dismissed,
      count(*) filter (where state = 'open' and is_open)::integer as open,
      count(*) filter (where state = 'open' and not is_open)::integer as left,
      coalesce((
        select json_agg(json_build_object('reason', reason, 'count', count) order by position)
        from reasons
        where reasons.rule = found.rule and position <= ${sql.lit(maxReasons)}
      ), '[]') as reasons
    from found group by rule`.execute(db)
  return rows
}
