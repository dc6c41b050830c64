// Deletes the account of a person, and replaces the name in the audit log.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { AuditAction } from '../db/schema.ts'
import { deletedLogin, type PersonName } from '../domain/deleted-person.ts'
import { operatorLogin } from './operator.ts'
import { describeAccount } from './people.ts'

/**
 * Deletes an account with its sessions, tokens and encrypted credentials. Its connections must have
 * ended. Their records stay under an account that stands for all deleted people: they decide until
 * when others may see the reviews of a repository.
 */
export async function deleteAccount(tx: Db, userId: number): Promise<void> {
  const { id: nobody } = await tx
    .insertInto('users')
    .values({
      platform: deletedPlatform,
      platformUserId: deletedLogin,
      login: deletedLogin,
      encryptedToken: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['platform', 'platformUserId']).doUpdateSet({ login: deletedLogin }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('installations')
    .set({ userId: nobody })
    .where('userId', '=', userId)
    .where('isActive', '=', false)
    .execute()
  // This deletes the sessions and tokens too.
  await tx.deleteFrom('users').where('id', '=', userId).execute()
}

/** No code host has this id. */
const deletedPlatform = 'deleted'

/** What they are about names the person, or may do so. */
const personalSubjects: readonly AuditAction[] = [
  'token_created',
  'token_revoked',
  'notifications_added',
  'notifications_removed',
]

/**
 * Replaces a person's name in the audit log, and deletes the names of their tokens, which people
 * choose freely, and their email addresses. What the operator did stays the operator's.
 *
 * @param userId the person's account; null without one
 */
export async function renameInAuditLog(
  tx: Db,
  { login, suffix }: PersonName,
  userId: number | null,
): Promise<void> {
  // People who act at the code host may have no account: the repository says at which one.
  await sql`
    update audit_log set
      login = case when login = ${operatorLogin} then login else ${deletedLogin} end,
      subject = case when action = any(${personalSubjects}::text[]) then '' else subject end
    where user_id = ${userId}
      or (user_id is null and lower(login) = ${login.toLowerCase()}
        and host_of(split_part(subject, '#', 1)) = ${suffix})`.execute(tx)
  if (userId === null) return
  const accountEnd = describeAccount({ id: userId, login: '' })
  await sql`
    update audit_log set subject = ${describeAccount({ id: userId, login: deletedLogin })}
    where subject like '% (account %' and right(subject, ${accountEnd.length}) = ${accountEnd}
  `.execute(tx)
}
