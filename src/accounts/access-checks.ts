// Whether people may still see at the platform what they connected: whose turn it is to be asked for, and what came of it.
//
// Of a person's records of one repository the newest stands for all, also when it has ended: its reviews may be seen still.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { TokenHolder } from './users.ts'

/** A check that was taken up. */
export interface AccessCheck {
  readonly installationId: number
  readonly user: TokenHolder & { readonly userId: number; readonly login: string }
  readonly repo: RepositoryName
  /** Null in records from before it was written down. */
  readonly platformRepoId: string | null
  /** Names this claim: a check that was taken up anew since isn't settled by it. */
  readonly claim: Date
}

/** What the platform says to the person's own token. */
export type AccessCheckResult =
  | 'seen'
  /** There is no such repository for it. */
  | 'hidden'
  /** Nobody was asked, or there was no answer. */
  | 'unknown'

/** Whose checks are taken up: everybody's who could look at something now, or a person's, also of one repository alone. */
export type AccessCheckTarget = 'all' | { readonly userId: number; readonly repo?: RepositoryName }

/** Ample for a check; what a dead process took up is taken up again after it. */
const claimSeconds = 60
/** What wasn't confirmed for so long is hidden: until then the owner of a token that came to its end can sign in anew unnoticed. */
const unconfirmedMinutes = 60
/** Where somebody had an answer this recently, the platform answers. */
const recentAnswerMinutes = 20
/** So long passes from the last round before an outage, at least, until something counts as unconfirmed by it. */
const outageMinutes = 45
/** Between a person's checks in the long run: GitHub allows a token 5,000 calls an hour, and reviews need them. */
const minCheckIntervalSeconds = 6

/**
 * Takes up checks that are due, those that wait longest first: nobody else gets them for a while.
 *
 * @param input `overdueSeconds`: only those that were due so long ago
 */
export async function claimAccessChecks(
  db: Db,
  input: { people: AccessCheckTarget; limit: number; overdueSeconds?: number },
): Promise<AccessCheck[]> {
  const { rows } = await sql<
    TokenHolder & { [K in 'id' | 'user_id']: number } & Record<'login' | 'repo', string> & {
        platform_repo_id: string | null
        claim: Date
      }
  >`
    with due as (
      select id from installations i
      where access_check_due <= now() - make_interval(secs => ${input.overdueSeconds ?? 0}) and ${matchesTarget(input.people)}
        and ${isNewest}
      order by access_check_due
      limit ${input.limit}
      for update skip locked
    )
    update installations i
    -- As exact as a Date is.
    set access_check_due = date_trunc('milliseconds', now() + make_interval(secs => ${claimSeconds}))
    from due, users u
    where i.id = due.id and u.id = i.user_id
    returning i.id, i.user_id, u.login, u.platform, u.platform_user_id, u.encrypted_token,
      i.repo_full_name as repo, i.platform_repo_id, i.access_check_due as claim`.execute(db)
  return rows.map(
    ({
      id: installationId,
      user_id: userId,
      platform_repo_id: platformRepoId,
      repo,
      claim,
      ...user
    }) => ({
      installationId,
      user: { ...user, userId },
      repo,
      platformRepoId,
      claim,
    }),
  )
}

/** Of a person's records of one repository. */
const isNewest = sql`not exists (
  select from installations newer
  where newer.user_id = i.user_id and lower(newer.repo_full_name) = lower(i.repo_full_name) and newer.id > i.id)`

function matchesTarget(people: AccessCheckTarget): RawBuilder<boolean> {
  if (people === 'all') {
    // Whoever has nothing to come in with sees nothing; signing in makes their checks due.
    return sql`exists (
      select from tokens t where t.user_id = i.user_id and t.revoked_at is null and t.expires_at > now())`
  }
  const { userId, repo } = people
  return repo === undefined
    ? sql`user_id = ${userId}`
    : sql`user_id = ${userId} and lower(repo_full_name) = ${repo.toLowerCase()}`
}

/** What a check changed. */
export interface AccessChange {
  readonly isVisible: boolean
  /** Whether the connection is there, seen or not. */
  readonly isActive: boolean
}

/**
 * Writes down what a check came to, in the caller's transaction. The next one is due after `minutes`, or later for
 * somebody with very many.
 *
 * @returns undefined where what is shown stays as it is
 */
export async function settleAccessCheck(
  tx: Db,
  check: AccessCheck,
  { finding, minutes }: { finding: AccessCheckResult; minutes: number },
): Promise<AccessChange | undefined> {
  const wasLost = sql`before.access_lost_at is not null`
  const isLost = {
    seen: sql`false`,
    hidden: sql`true`,
    unknown: wasLost,
  }[finding]
  const { rows } = await sql<{ was_lost: boolean; is_lost: boolean; is_active: boolean }>`
    with before as (
      select id, access_lost_at, (select count(*) from installations own where own.user_id = i.user_id) as own_count
      from installations i where id = ${check.installationId} and access_check_due = ${check.claim}
      for update
    )
    update installations i set
      access_check_due = now() + make_interval(secs => greatest(${minutes * 60}, ${sql.lit(minCheckIntervalSeconds)} * own_count)),
      access_confirmed_at = case when ${finding === 'seen'} then now() else access_confirmed_at end,
      access_lost_at = case when ${isLost} then coalesce(i.access_lost_at, now()) end
    from before where i.id = before.id
    returning ${wasLost} as was_lost, i.access_lost_at is not null as is_lost, is_active`.execute(
    tx,
  )
  const [row] = rows
  return row === undefined || row.was_lost === row.is_lost
    ? undefined
    : { isVisible: row.was_lost, isActive: row.is_active }
}

/**
 * Leaves a person's checks alone for a while: the platform takes no more from their token. What they see is looked at again
 * as soon as it counts as unconfirmed.
 *
 * @param input `minutes` between checks
 */
export async function postponeAccessChecks(
  db: Db,
  userId: number,
  { seconds, leastSeconds, minutes }: { seconds: number; leastSeconds: number; minutes: number },
): Promise<void> {
  const then = sql`now() + make_interval(secs => ${Math.ceil(Math.max(seconds, leastSeconds))})`
  const soon = sql`now() + make_interval(secs => ${leastSeconds})`
  await sql`
    update installations
    set access_check_due = greatest(access_check_due, case
      when access_lost_at is null then least(${then}, greatest(${soon}, ${unconfirmedAt(minutes)}))
      else ${then} end)
    where user_id = ${userId}`.execute(db)
}

/** When what a record shows counts as unconfirmed. Where checks are far apart, this is later: an outage hides nothing. */
function unconfirmedAt(minutes: number): RawBuilder<Date> {
  const after = Math.max(unconfirmedMinutes, minutes + outageMinutes)
  return sql`coalesce(access_confirmed_at, created_at) + make_interval(mins => ${after})`
}

/** What a person sees though the platform hasn't confirmed it for long. */
export interface UnconfirmedAccess {
  readonly records: readonly {
    readonly id: number
    readonly repo: RepositoryName
    readonly isActive: boolean
  }[]
  /** The platform gave somebody an answer a short while ago. */
  readonly isAnswering: boolean
  /** There is nobody else who could have had one. */
  readonly isAlone: boolean
}

/** Finds what a person sees, or of it one repository, without that it was confirmed. */
export async function findUnconfirmedAccess(
  db: Db,
  people: { readonly userId: number; readonly repo?: RepositoryName },
  minutes: number,
): Promise<UnconfirmedAccess> {
  const { rows: records } = await sql<UnconfirmedAccess['records'][number]>`
    select id, repo_full_name as repo, is_active as "isActive" from installations i
    where ${matchesTarget(people)} and ${isNewest} and access_lost_at is null and ${unconfirmedAt(minutes)} <= now()`.execute(
    db,
  )
  if (records.length === 0) return { records, isAnswering: false, isAlone: false }
  const { rows } = await sql<Pick<UnconfirmedAccess, 'isAnswering' | 'isAlone'>>`
    select
      exists (select from installations where access_confirmed_at > now() - make_interval(mins => ${recentAnswerMinutes}))
        as "isAnswering",
      not exists (select from installations i where user_id <> ${people.userId} and ${matchesTarget('all')}) as "isAlone"`.execute(
    db,
  )
  return { records, ...rows[0]! }
}

/** Hides what a record shows, in the caller's transaction. False where it is hidden already, or was confirmed since. */
export async function hideUnconfirmedAccess(tx: Db, id: number, minutes: number): Promise<boolean> {
  const { rows } = await sql`
    update installations set access_lost_at = now()
    where id = ${id} and access_lost_at is null and ${unconfirmedAt(minutes)} <= now() returning id`.execute(
    tx,
  )
  return rows.length > 0
}

/** Brings checks forward that are further away than the configuration has it now: it may have been another before. */
export async function shortenAccessCheckDelays(db: Db, minutes: number): Promise<void> {
  await sql`
    update installations set access_check_due = now() + make_interval(mins => ${minutes})
    where access_check_due > now() + make_interval(mins => ${minutes})`.execute(db)
}

/** Makes a person's checks due that didn't succeed just now: what an earlier token was told counts no more. */
export async function makeAccessChecksDue(tx: Db, userId: number): Promise<void> {
  await sql`
    update installations set access_check_due = now()
    where user_id = ${userId} and (
      access_lost_at is not null or access_confirmed_at is null or access_confirmed_at < now() - interval '1 minute'
    )`.execute(tx)
}

/** Writes down, outside of any check, that the platform showed the repository to the person just now. */
export async function confirmAccess(tx: Db, installationId: number): Promise<void> {
  await tx
    .updateTable('installations')
    .set({ access_confirmed_at: sql`now()`, access_lost_at: null })
    .where('id', '=', installationId)
    .execute()
}
