// Stores which findings people dismissed, in the conversation on the pull request or in Umpire.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Dismissal, Finding, FindingState } from '../domain/finding.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import { countOutcomes, meansWrong } from './finding-outcomes.ts'
import { readFinding, selectFindings } from './select-findings.ts'

export interface DismissibleFinding {
  readonly state: FindingState
  /** How many times it reappeared after it was resolved. */
  readonly reopened: number
  /** Null if no one dismissed it. */
  readonly dismissal: Dismissal | null
}

export async function readDismissibleFinding(
  db: Db,
  { repo, number }: PullRequestRef,
  fingerprint: string,
): Promise<DismissibleFinding | undefined> {
  const row = await selectFindings(db)
    .where('f.repo', '=', repo)
    .where('f.prNumber', '=', number)
    .where('f.fingerprint', '=', fingerprint)
    .executeTakeFirst()
  return row && readFinding(row)
}

/** Lists the open minor findings of a pull request that nobody dismissed. */
export async function listOpenMinorFindings(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<{ fingerprint: string; reopened: number }[]> {
  const rows = await selectFindings(db)
    .where('f.repo', '=', repo)
    .where('f.prNumber', '=', number)
    .where('f.state', '=', 'open')
    .where('f.severity', '=', 'minor')
    .where('d.login', 'is', null)
    .orderBy('f.fingerprint')
    .execute()
  return rows.map(({ fingerprint, reopened }) => ({ fingerprint, reopened }))
}

/** Saves a dismissal that isn't made by resolving a thread. It replaces one that is. */
export async function saveDismissal(
  tx: Db,
  { repo, number }: PullRequestRef,
  dismissal: Omit<Dismissal, 'via'> & { readonly fingerprint: string; readonly reopened: number },
): Promise<void> {
  const { login, reason, kind } = dismissal
  await tx
    .insertInto('dismissals')
    .values({ repo, prNumber: number, via: 'api', ...dismissal })
    .onConflict((conflict) =>
      conflict
        .columns(['repo', 'prNumber', 'fingerprint', 'reopened'])
        .doUpdateSet({ via: 'api', login, reason, kind }),
    )
    .execute()
  // Its thread may have dismissed it before. The next verdict only posts what it dismisses itself.
  await tx
    .updateTable('findings')
    .set({ state: 'open' })
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('fingerprint', '=', dismissal.fingerprint)
    .where('state', '=', 'dismissed')
    .execute()
  await countOutcomes(tx, { repo, number })
}

/** Withdraws a dismissal that wasn't made by resolving a thread. */
export async function deleteDismissal(
  tx: Db,
  { repo, number }: PullRequestRef,
  fingerprint: string,
): Promise<void> {
  await tx
    .deleteFrom('dismissals')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('fingerprint', '=', fingerprint)
    .where('via', '=', 'api')
    .execute()
  await countOutcomes(tx, { repo, number })
}

/**
 * Replaces dismissals by threads. Those from the page stay until the finding is reopened, and those
 * of findings whose code is gone stay as history. Call it after the findings were saved.
 */
export async function replaceThreadDismissals(
  tx: Db,
  { repo, number }: PullRequestRef,
  findings: readonly Finding[],
): Promise<void> {
  const rows = findings.flatMap(({ fingerprint, reopened, state, dismissal }) =>
    state === 'dismissed' && dismissal?.via === 'thread'
      ? [{ repo, prNumber: number, fingerprint, reopened, ...dismissal }]
      : [],
  )
  await tx
    .deleteFrom('dismissals')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('via', '=', 'thread')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('findings as f')
          .select(sql`1`.as('one'))
          .whereRef('f.repo', '=', 'dismissals.repo')
          .whereRef('f.prNumber', '=', 'dismissals.prNumber')
          .whereRef('f.fingerprint', '=', 'dismissals.fingerprint')
          .where('f.state', '=', 'open'),
      ),
    )
    .execute()
  if (rows.length === 0) return
  await tx
    .insertInto('dismissals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['repo', 'prNumber', 'fingerprint', 'reopened'])
        .doUpdateSet((eb) => ({ login: eb.ref('excluded.login') }))
        .where('dismissals.via', '=', 'thread'),
    )
    .execute()
}

/** A dismissed finding of a rule. */
export interface RuleDismissal {
  readonly rule: string
  readonly number: number
  readonly path: string
}

/** Lists the rules that reported findings of a pull request. */
export async function listReportedRules(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<string[]> {
  const rows = await db
    .selectFrom('findings')
    .select('rule')
    .distinct()
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('rule', 'is not', null)
    .execute()
  return rows.flatMap(({ rule }) => rule ?? [])
}

/**
 * Lists the latest findings of these rules in a repository that were dismissed as wrong, `limit`
 * for each rule.
 */
export async function listRuleDismissals(
  db: Db,
  repo: RepositoryName,
  rules: readonly string[],
  limit: number,
): Promise<RuleDismissal[]> {
  const { rows } = await sql<RuleDismissal>`
    select asked.rule, number, path from unnest(${rules}::text[]) as asked (rule)
    cross join lateral (
      select pr_number as number, path from findings f
      where repo = ${repo} and rule = asked.rule and state = 'dismissed'
        -- Only dismissals by people with the right to dismiss count; older versions stored others.
        and exists (
          select from dismissals d
          where d.repo = f.repo and d.pr_number = f.pr_number and d.fingerprint = f.fingerprint
            and d.reopened = f.reopened and ${meansWrong})
      order by id desc limit ${limit}
    ) as dismissed`.execute(db)
  return rows
}
