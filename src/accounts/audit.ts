// Stores and lists the audit log: the actions of people and of the operator.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { AuditAction, Row } from '../db/schema.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Caller } from './tokens.ts'
import { findUserByPlatformId } from './users.ts'

type AuditEntry = Omit<Row<'auditLog'>, 'userId'>

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
 * Lists a person's actions, newest first; for an administrator the actions of all people.
 *
 * @param input `before` is an exclusive upper bound of ids
 */
export async function listAudit(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  input: { before: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  let query = db.selectFrom('auditLog').select(['id', 'createdAt', 'login', 'action', 'subject'])
  if (!caller.isAdmin) query = query.where('userId', '=', caller.userId)
  if (input.before !== undefined) query = query.where('id', '<', input.before)
  return query.orderBy('id', 'desc').limit(input.limit).execute()
}
