// Counts the findings of all pull requests by the values of each filter.
import { type RawBuilder, sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { countFindings as countFindingsEndpoint } from '../contract/finding-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { findingOutcome, joinDismissal, joinReviewed } from './finding-outcomes.ts'
import { type FindingFilter, isSelected } from './list-findings.ts'

type FindingCounts = ResponseRecord<typeof countFindingsEndpoint>

const maxValues = 100

/**
 * Each filter is left out of the counts of its own values, so that another one can be chosen. The
 * findings are read once, and counted by all values together, of which there are few combinations.
 *
 * @param scopes all repositories that the caller can see, and the chosen ones
 */
export async function countFindings(
  db: Db,
  { scope, chosen }: { scope: Scope; chosen: Scope },
  { days, mergedDays, search, ...filter }: FindingFilter,
): Promise<FindingCounts> {
  const matches = { ...matchEach(filter), repo: isInScope(chosen) }
  const countValues = (name: keyof typeof matches, values: RawBuilder<unknown>) => {
    const others = Object.entries(matches).filter(([other]) => other !== name)
    return sql`(
      select ${sql.lit(name)} as name, ${values}, sum(count)::integer as count from found
      where ${sql.join(
        others.map(([, condition]) => condition),
        sql` and `,
      )}
      group by 2, 3 order by 4 desc, 2, 3 ${limitRows(maxValues)})`
  }
  const { rows } = await sql<CountRow>`
    with found as materialized (
      select f.repo, p.author, f.severity, f.category, f.rule, ${findingOutcome} as outcome,
        count(*) as count
      from findings f
      ${joinReviewed}
      ${joinDismissal}
      where ${isInScope(scope, 'f.repo')} ${isSelected({ days, mergedDays, search })}
      group by 1, 2, 3, 4, 5, 6
    )
    ${sql.join(
      [
        ...plainFilters.map((name) =>
          countValues(name, sql`${sql.ref(name)} as value, null as category`),
        ),
        countValues('rule', sql`rule as value, case when rule is null then category end`),
      ],
      sql` union all `,
    )}`.execute(db)
  const valuesOf = (filter: string) => rows.filter(({ name }) => name === filter)
  return {
    repo: valuesOf('repo'),
    author: valuesOf('author'),
    severity: valuesOf('severity'),
    outcome: valuesOf('outcome'),
    rule: valuesOf('rule').map(({ value: rule, category, count }) => ({ rule, category, count })),
  } as FindingCounts
}

interface CountRow {
  readonly name: string
  readonly value: string | null
  readonly category: string | null
  readonly count: number
}

const plainFilters = ['repo', 'author', 'severity', 'outcome'] as const

/** Conditions of groups. Rules and categories are one filter: what reported the finding. */
function matchEach({ severity, rule, category, by, outcomes, author }: FindingFilterOfGroups) {
  const isSame = (column: string, value: string | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`
  const isBy = by === undefined ? sql`true` : sql`(rule is null) = ${by === 'model'}`
  return {
    author: isSame('author', author),
    severity: isSame('severity', severity),
    outcome: outcomes === undefined ? sql`true` : sql`outcome = any(${outcomes}::text[])`,
    rule: sql`${isSame('rule', rule)} and ${isSame('category', category)} and ${isBy}`,
  }
}

type FindingFilterOfGroups = Omit<FindingFilter, 'days' | 'mergedDays' | 'search'>
