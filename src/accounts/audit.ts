// The audit log: what people and the operator did.
import type { Db } from '../db/database.ts'
import type { AuditAction } from '../db/schema.ts'

/** Writes one entry, in the transaction of what it tells of. */
export async function recordAudit(
  tx: Db,
  who: { userId: number; login: string },
  action: AuditAction,
  subject = '',
): Promise<void> {
  await tx.insertInto('audit_log').values({ user_id: who.userId, login: who.login, action, subject }).execute()
}
