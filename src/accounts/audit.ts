// The audit log: what people and the operator did.
import type { Db } from '../db/database.ts'
import type { AuditAction } from '../db/schema.ts'
import type { Caller } from './tokens.ts'

/** Something that was done. */
export interface AuditEntry {
  readonly id: number
  readonly createdAt: Date
  /** The username as it was then. */
  readonly login: string
  readonly action: AuditAction
  readonly subject: string
}

/** Writes one entry, in the transaction of what it tells of. */
export async function recordAudit(
  tx: Db,
  who: { userId: number; login: string },
  action: AuditAction,
  subject = '',
): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({ user_id: who.userId, login: who.login, action, subject })
    .execute()
}

/**
 * What a person did, the newest first; for an administrator what everybody did.
 *
 * @param input entries with an id below `before`, `limit` at most
 */
export async function listAudit(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  input: { before: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  let query = db.selectFrom('audit_log').select(['id', 'created_at', 'login', 'action', 'subject'])
  if (!caller.isAdmin) query = query.where('user_id', '=', caller.userId)
  if (input.before !== undefined) query = query.where('id', '<', input.before)
  const rows = await query.orderBy('id', 'desc').limit(input.limit).execute()
  return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }))
}
