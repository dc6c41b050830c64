// Stores and lists the audit log: the actions of people and of the operator.
import { sql } from 'kysely'
import type { listAudit as listAuditEndpoint } from '../contract/audit-endpoints.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { AuditAction } from '../db/schema.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { isInScope, type Scope } from './scope.ts'
import type { Caller } from './tokens.ts'
import { findUserByPlatformId } from './users.ts'

type AuditEntry = ResponseRecord<typeof listAuditEndpoint>['entries'][number]

/** A person who acts. */
export interface Actor {
  /** Null for a person at the platform who never signed in. */
  readonly userId: number | null
  readonly login: string
}

/** Finds who acts at the platform, by the account there. */
export async function findActor(
  db: Db,
  platform: string,
  { id, login }: { readonly id: string; readonly login: string },
): Promise<Actor> {
  const user = await findUserByPlatformId(db, platform, id)
  return { userId: user?.userId ?? null, login }
}

/** Records an action, in the transaction that performs it. */
export async function recordAudit(
  tx: Db,
  who: Actor,
  action: AuditAction,
  subject = '',
): Promise<void> {
  await tx
    .insertInto('auditLog')
    .values({ userId: who.userId, login: who.login, action, subject })
    .execute()
}

/** Whether a person performed an action at least `times` times in the last hour. */
export async function hasRepeatedAction(
  db: Db,
  userId: number,
  action: AuditAction,
  times: number,
): Promise<boolean> {
  const limit = sql.lit(times)
  const { rows } = await sql<{ recent: boolean }>`
    select count(*) filter (where created_at > now() - interval '1 hour') >= ${limit} as recent
    from (
      select created_at from audit_log
      where user_id = ${userId} and action = ${action}
      order by id desc limit ${limit}
    ) as latest`.execute(db)
  return rows[0]?.recent ?? false
}

/** Bounds the work of counting: others rarely write as many commands within an hour. */
const maxCountedEntries = 1000

/** Counts the commands that a person wrote in a repository in the last hour. */
export async function countRecentCommands(
  db: Db,
  login: string,
  repo: RepositoryName,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from (
      select * from audit_log order by id desc limit ${sql.lit(maxCountedEntries)}
    ) as latest
    where login = ${login} and starts_with(action, 'command_')
      and starts_with(subject, ${`${repo}#`}) and created_at > now() - interval '1 hour'`.execute(
    db,
  )
  return rows[0]!.count
}

/**
 * Lists a person's actions, newest first; for an administrator the actions of all people. Says what
 * they were about as it is now, where the caller still sees the repository.
 *
 * @param input `before` is an exclusive upper bound of ids
 */
export async function listAudit(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  input: { scope: Scope; before: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  const { scope, before = Number.MAX_SAFE_INTEGER, limit } = input
  const isOwn = caller.isAdmin ? sql`true` : sql`user_id = ${caller.userId}`
  const { rows } = await sql<AuditEntry>`
    with listed as materialized (
      select id, created_at, login, action, subject,
        substring(subject from '^([^#[:space:]]+)') as repo,
        substring(subject from '^[^#[:space:]]+#([0-9]{1,9})( |$)')::integer as number,
        substring(subject from ' (.*)$') as detail
      from audit_log where ${isOwn} and id < ${before}
      order by id desc ${limitRows(limit)}
    )
    select listed.id, listed.created_at, listed.login, listed.action, listed.subject,
      p.listed_event_id as review_id, coalesce(f.title, m.text) as title, d.reason
    from listed
    left join pull_requests p on p.repo = listed.repo and p.number = listed.number
      and ${isInScope(scope, 'p.repo')}
    left join findings f on f.repo = p.repo and f.pr_number = p.number
      and f.fingerprint = listed.detail
    left join dismissals d on d.repo = f.repo and d.pr_number = f.pr_number
      and d.fingerprint = f.fingerprint and d.reopened = f.reopened
      and listed.action = 'finding_dismissed'
    left join memories m on listed.number is null and starts_with(listed.action, 'memory_')
      and m.id = ${memoryId} and m.repo = listed.repo and ${isInScope(scope, 'm.repo')}
    order by listed.id desc`.execute(db)
  return rows
}

/** Other details are not cast, because that would fail. */
const memoryId = sql`substring(listed.detail from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid`
