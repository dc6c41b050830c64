// Counts what became of the findings of each rule.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'
import {
  findingOutcome,
  joinDismissal,
  joinReviewed,
  meansWrong,
} from '../events/finding-outcomes.ts'

/** What became of the findings of a rule, each finding once over all runs of its pull request. */
export interface RuleOutcome {
  readonly rule: string
  readonly reported: number
  readonly fixed: number
  readonly dismissed: number
  /** How many of the dismissed ones were wrong, as far as their dismissals say. */
  readonly wrong: number
  /** In a pull request that is open. */
  readonly open: number
  /** In a pull request that was merged or closed with the finding. */
  readonly left: number
  /** The most frequent reasons of dismissals, without those that have none. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[]
}

const maxReasons = 5
const maxReasonLength = 200

/**
 * Counts the findings of rules in the scope, by rule. Suppressed findings count too, and those that
 * were replaced or withdrawn don't.
 */
export async function countRuleOutcomes(db: Db, scope: Scope): Promise<RuleOutcome[]> {
  const { rows } = await sql<RuleOutcome>`
    with found as (
      select f.rule, ${findingOutcome} as outcome, p.state = 'open' as is_open,
        ${meansWrong} as is_wrong,
        left(trim(d.reason), ${sql.lit(maxReasonLength)}) as reason
      from findings f ${joinReviewed}
      ${joinDismissal}
      where f.rule is not null and ${isInScope(scope, 'f.repo')}
    ), reported as materialized (
      select *, outcome in ('open', 'suppressed') as is_left from found
      where outcome not in ('replaced', 'withdrawn')
    ), reasons as (
      select rule, reason, count(*)::integer as count,
        row_number() over (partition by rule order by count(*) desc, reason) as position
      from reported where outcome = 'dismissed' and reason <> ''
      group by rule, reason
    )
    select rule, count(*)::integer as reported,
      count(*) filter (where outcome = 'fixed')::integer as fixed,
      count(*) filter (where outcome = 'dismissed')::integer as dismissed,
      count(*) filter (where outcome = 'dismissed' and is_wrong)::integer as wrong,
      count(*) filter (where is_left and is_open)::integer as open,
      count(*) filter (where is_left and not is_open)::integer as left,
      coalesce((
        select json_agg(json_build_object('reason', reason, 'count', count) order by position)
        from reasons
        where reasons.rule = reported.rule and position <= ${sql.lit(maxReasons)}
      ), '[]') as reasons
    from reported group by rule`.execute(db)
  return rows
}
