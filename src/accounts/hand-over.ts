// Hands the connections of a person that the App receives over to the operator's account.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** What becomes of a person's connections when the account is deleted. */
export interface ConnectionPlan {
  readonly repo: RepositoryName
  /**
   * `ends`: nobody else connected it, so it isn't reviewed any more. `continues`: others connected
   * it. `handed_over`: the App reviews it, so the operator's account takes the connection over.
   */
  readonly outcome: 'ends' | 'continues' | 'handed_over'
}

/** Plans what becomes of the active connections of a person, by name. */
export async function planConnections(db: Db, userId: number): Promise<ConnectionPlan[]> {
  const { rows } = await sql<ConnectionPlan>`
    select repo_full_name as repo, case
      when exists (
        select from installations other
        where lower(other.repo_full_name) = lower(own.repo_full_name)
          and other.user_id <> own.user_id and other.is_active
      ) then 'continues'
      when webhook_id = 0 then 'handed_over'
      else 'ends' end as outcome
    from installations own
    where user_id = ${userId} and is_active
    order by lower(repo_full_name) collate "C"`.execute(db)
  return rows
}

/** Makes the operator the owner of a person's connection. */
export async function handOverConnection(
  tx: Db,
  { repo, userId, operatorId }: { repo: RepositoryName; userId: number; operatorId: number },
): Promise<void> {
  await sql`
    update installations set user_id = ${operatorId}
    where user_id = ${userId} and is_active and webhook_id = 0
      and lower(repo_full_name) = ${repo.toLowerCase()}`.execute(tx)
}
