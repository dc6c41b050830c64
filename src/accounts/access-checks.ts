// Checks whether people may still see the repositories that they connected, and stores the results.
//
// A person's newest record of a repository decides for all of their records, even if it has ended,
// because reviews of an ended installation may still be visible.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { isRepository } from './installations.ts'
import type { TokenHolder } from './users.ts'

/** A check that a worker has claimed. */
export interface AccessCheck {
  readonly installationId: number
  readonly user: TokenHolder & { readonly userId: number; readonly login: string }
  readonly repo: RepositoryName
  /** Null in records from before the id was stored. */
  readonly platformRepoId: string | null
  /**
   * The claim's due time. A result is only stored if no other worker has claimed the check since.
   */
  readonly claim: Date
}

/** What the platform responded to a call with the person's own token. */
export type AccessCheckResult =
  | 'seen'
  /** The token sees no such repository. */
  | 'hidden'
  /** No call was made, or it failed. */
  | 'unknown'

/** Selects the checks of everyone with a valid token, or of one person, or of their repository. */
type AccessCheckTarget = 'all' | { readonly userId: number; readonly repo?: RepositoryName }

/** Longer than a check takes. Afterwards another process may claim the check of a dead one. */
const claimSeconds = 60
/**
 * Access unconfirmed for this long is hidden, so a person with an expired token must sign in again.
 */
const unconfirmedMinutes = 60
/** The platform counts as available if any check got a response within this time. */
const recentAnswerMinutes = 20
/**
 * Added to the check interval, so that access confirmed before an outage survives it for this long.
 */
const outageMinutes = 45
/**
 * Minimum average interval per person: GitHub allows a token 5,000 calls an hour for everything.
 */
const minCheckIntervalSeconds = 6

/**
 * Claims checks that are due, those that are due longest first, so that no other worker gets them.
 *
 * @param input `platform` is the host of the people; `overdueSeconds` restricts the checks to those
 *   that were due at least that long ago
 */
export async function claimAccessChecks(
  db: Db,
  input: { platform: string; people: AccessCheckTarget; limit: number; overdueSeconds?: number },
): Promise<AccessCheck[]> {
  const { rows } = await sql<
    TokenHolder & { [K in 'id' | 'userId']: number } & Record<'login' | 'repo', string> & {
        platformRepoId: string | null
        claim: Date
      }
  >`
    with due as (
      select id from installations i
      where access_check_due <= now() - make_interval(secs => ${input.overdueSeconds ?? 0})
        and ${matchesTarget(input.people)}
        and ${isNewest}
        and ${isOfHost(input.platform)}
      order by access_check_due
      limit ${input.limit}
      for update skip locked
    )
    update installations i
    -- A Date has no microseconds, and the claim is compared with this value.
    set access_check_due =
      date_trunc('milliseconds', now() + make_interval(secs => ${claimSeconds}))
    from due, users u
    where i.id = due.id and u.id = i.user_id
    returning i.id, i.user_id, u.login, u.platform, u.platform_user_id, u.encrypted_token,
      i.repo_full_name as repo, i.platform_repo_id, i.access_check_due as claim`.execute(db)
  return rows.map((row) => {
    const { id, userId, platformRepoId, repo, claim, ...user } = row
    return { installationId: id, user: { ...user, userId }, repo, platformRepoId, claim }
  })
}

const isNewest = sql`not exists (
  select from installations newer
  where newer.user_id = i.user_id and lower(newer.repo_full_name) = lower(i.repo_full_name)
    and newer.id > i.id)`

/** The operator belongs to no host, and sees what the App was installed for. */
const isOfHost = (platform: string) => sql`exists (
  select from users where users.id = i.user_id and users.platform = ${platform})`

function matchesTarget(people: AccessCheckTarget): RawBuilder<boolean> {
  if (people === 'all') {
    // A person without a valid token sees nothing, and signing in makes their checks due.
    return sql`exists (
      select from tokens t
      where t.user_id = i.user_id and t.revoked_at is null and t.expires_at > now())`
  }
  const { userId, repo } = people
  return repo === undefined
    ? sql`user_id = ${userId}`
    : sql`user_id = ${userId} and ${isRepository(repo)}`
}

interface AccessChange {
  readonly isVisible: boolean
  /** Whether the installation is active, visible or not. */
  readonly isActive: boolean
}

/**
 * Stores the result of a check, in the caller's transaction. Schedules the next check after
 * `minutes`, or later for a person with very many installations.
 *
 * @returns undefined when visibility is unchanged, or another worker has claimed the check since
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
  const { rows } = await sql<{ wasLost: boolean; isLost: boolean; isActive: boolean }>`
    with before as (
      select id, access_lost_at,
        (select count(*) from installations own where own.user_id = i.user_id) as own_count
      from installations i
      where id = ${check.installationId} and access_check_due = ${check.claim}
      for update
    )
    update installations i set
      access_check_due = now() + make_interval(
        secs => greatest(${minutes * 60}, ${sql.lit(minCheckIntervalSeconds)} * own_count)),
      access_confirmed_at =
        case when ${finding === 'seen'} then now() else access_confirmed_at end,
      access_lost_at = case when ${isLost} then coalesce(i.access_lost_at, now()) end
    from before where i.id = before.id
    returning ${wasLost} as was_lost, i.access_lost_at is not null as is_lost, is_active`.execute(
    tx,
  )
  const [row] = rows
  return row === undefined || row.wasLost === row.isLost
    ? undefined
    : { isVisible: row.wasLost, isActive: row.isActive }
}

/**
 * Postpones a person's checks because the platform limits the rate of their token. What they can
 * see is checked again at the latest when it becomes unconfirmed.
 *
 * @param input `minutes` is the interval between checks
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

/**
 * The time when access becomes unconfirmed. It grows with the interval, so an outage hides nothing.
 */
function unconfirmedAt(minutes: number): RawBuilder<Date> {
  const after = Math.max(unconfirmedMinutes, minutes + outageMinutes)
  return sql`coalesce(access_confirmed_at, created_at) + make_interval(mins => ${after})`
}

/** Repositories that a person sees although the platform hasn't confirmed it for too long. */
interface UnconfirmedAccess {
  readonly records: readonly {
    readonly id: number
    readonly repo: RepositoryName
    readonly isActive: boolean
  }[]
  /** Whether the platform responded to any check recently. */
  readonly isAnswering: boolean
  /** Whether no one else has checks whose responses could show that the platform is available. */
  readonly isAlone: boolean
}

/** Finds the unconfirmed access of a person of a host, optionally to one repository. */
export async function findUnconfirmedAccess(
  db: Db,
  platform: string,
  target: { readonly userId: number; readonly repo?: RepositoryName },
  minutes: number,
): Promise<UnconfirmedAccess> {
  const { rows: records } = await sql<UnconfirmedAccess['records'][number]>`
    select id, repo_full_name as repo, is_active from installations i
    where ${matchesTarget(target)} and ${isNewest} and access_lost_at is null
      and ${unconfirmedAt(minutes)} <= now()`.execute(db)
  if (records.length === 0) return { records, isAnswering: false, isAlone: false }
  const { rows } = await sql<Pick<UnconfirmedAccess, 'isAnswering' | 'isAlone'>>`
    select
      exists (
        select from installations i
        where ${isOfHost(platform)}
          and access_confirmed_at > now() - make_interval(mins => ${recentAnswerMinutes})
      ) as is_answering,
      not exists (
        select from installations i
        where user_id <> ${target.userId} and ${isOfHost(platform)} and ${matchesTarget('all')}
      ) as is_alone`.execute(db)
  return { records, ...rows[0]! }
}

/**
 * Hides an installation. Returns false if it is hidden already or was confirmed in the meantime.
 */
export async function hideUnconfirmedAccess(tx: Db, id: number, minutes: number): Promise<boolean> {
  const { rows } = await sql`
    update installations set access_lost_at = now()
    where id = ${id} and access_lost_at is null and ${unconfirmedAt(minutes)} <= now()
    returning id`.execute(tx)
  return rows.length > 0
}

/** Advances checks that were scheduled with a longer interval than the one configured now. */
export async function shortenAccessCheckDelays(db: Db, minutes: number): Promise<void> {
  await sql`
    update installations set access_check_due = now() + make_interval(mins => ${minutes})
    where access_check_due > now() + make_interval(mins => ${minutes})`.execute(db)
}

/** Makes a person's checks due unless they were just confirmed, because their token has changed. */
export async function makeAccessChecksDue(tx: Db, userId: number): Promise<void> {
  await sql`
    update installations set access_check_due = now()
    where user_id = ${userId} and (
      access_lost_at is not null or access_confirmed_at is null
        or access_confirmed_at < now() - interval '1 minute'
    )`.execute(tx)
}

/** Records that the platform just showed the repository to the person, without a check. */
export async function confirmAccess(tx: Db, installationId: number): Promise<void> {
  await tx
    .updateTable('installations')
    .set({ accessConfirmedAt: sql`now()`, accessLostAt: null })
    .where('id', '=', installationId)
    .execute()
}
