// Makes people administrators, takes that back, and signs people out everywhere.
import { type Actor, recordAudit } from '../../accounts/audit.ts'
import {
  describeAccount,
  findPerson,
  type Person,
  requireOtherAdministrator,
  revokeAllTokens,
  saveAdministrator,
} from '../../accounts/people.ts'
import type { Caller } from '../../accounts/tokens.ts'
import { lockAdministrators, maySignIn } from '../../accounts/users.ts'
import type { ServiceContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'

type PeopleContext = Pick<ServiceContext, 'db' | 'config'>

/** @throws RequestError `access_denied` */
export function requireAdministrator({ isAdmin }: Pick<Caller, 'isAdmin'>): void {
  if (!isAdmin) throw new RequestError('access_denied', 'For administrators only')
}

/** @throws RequestError `not_found` */
export async function requirePerson(db: Db, id: number): Promise<Person> {
  const person = await findPerson(db, id)
  if (person === undefined) throw new RequestError('not_found', 'There is no such person')
  return person
}

/**
 * Makes a person an administrator or takes that back. Doing it twice changes nothing more.
 *
 * @throws RequestError `access_denied` for a caller who is no administrator, `not_found`, and
 *   `conflict` if the person may not sign in, or no other administrator would remain
 */
export async function changeAdministrator(
  { db, config }: PeopleContext,
  caller: Actor & Pick<Caller, 'isAdmin'>,
  { id, isAdmin }: { id: number; isAdmin: boolean },
): Promise<void> {
  requireAdministrator(caller)
  await transactionWithRetry(db, async (tx) => {
    await lockAdministrators(tx)
    const person = await requirePerson(tx, id)
    if (person.isAdmin === isAdmin) return
    if (isAdmin && !maySignIn(config, person)) {
      throw new RequestError('conflict', `${person.login} may not sign in: see SIGN_IN_ALLOWED`)
    }
    if (!isAdmin) await requireOtherAdministrator(tx, config, person)
    await saveAdministrator(tx, id, isAdmin)
    const action = isAdmin ? 'administrator_added' : 'administrator_removed'
    await recordAudit(tx, caller, action, describeAccount(person))
  })
}

/**
 * Ends all sessions and revokes all API tokens of a person. Everyone can do that to themselves.
 *
 * @returns how many were valid
 * @throws RequestError `access_denied` for the account of another person, `not_found`
 */
export async function signOutEverywhere(
  { db }: Pick<PeopleContext, 'db'>,
  caller: Caller,
  id: number,
): Promise<number> {
  if (id !== caller.userId) requireAdministrator(caller)
  return transactionWithRetry(db, async (tx) => {
    const person = await requirePerson(tx, id)
    const revoked = await revokeAllTokens(tx, id)
    await recordAudit(tx, caller, 'signed_out_everywhere', describeAccount(person))
    return revoked
  })
}
