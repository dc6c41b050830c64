// Stores which channels have to be notified of the new critical findings of a review.
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'

/** A review whose new critical findings a channel wasn't notified of so far. */
export interface Notification {
  readonly id: number
  /** It includes the current attempt. */
  readonly attempts: number
  readonly repo: RepositoryName
  readonly number: number
  readonly title: string
  readonly author: string
  /** The event under which the page shows the pull request; null if there is none. */
  readonly eventId: number | null
  /** Those that are still open. */
  readonly findings: readonly CriticalFinding[]
}

interface CriticalFinding {
  readonly title: string
  readonly path: string
  readonly startLine: number
}

/** Longer than sending takes. After it, the notifications of a lost worker are sent again. */
const claimSeconds = 120

/**
 * Requests notifications if the run was the first to report a critical finding that is open. Call
 * it in the transaction that saves the findings.
 */
export async function requestNotifications(
  tx: Db,
  run: PullRequestRef & { readonly id: number },
): Promise<void> {
  await sql`
    insert into notifications (channel_id, run_id, due_at)
    select c.id, ${run.id}, case
      when c.digest_hour is null then now()
      else today.due + case when today.due > now() then interval '0' else interval '1 day' end
    end
    from notification_channels c join users u on u.id = c.user_id
    cross join lateral (
      select (date_trunc('day', now() at time zone 'UTC') + make_interval(hours => c.digest_hour))
        at time zone 'UTC' as due
    ) today
    where c.confirmed_at is not null
      and (c.repo is null or lower(c.repo) = lower(${run.repo}))
      and (u.is_admin or exists (
        select from installations i
        where i.user_id = u.id and lower(i.repo_full_name) = lower(${run.repo})
          and i.is_active and i.access_lost_at is null))
      and exists (
        select from findings f
        where f.repo = ${run.repo} and f.pr_number = ${run.number} and f.first_run_id = ${run.id}
          and ${isOpenAndCritical})
    on conflict do nothing`.execute(tx)
}

const isOpenAndCritical = sql<SqlBool>`f.severity = 'critical' and f.state = 'open'`

/** Lists channels that have due notifications, the longest due first. */
export async function listDueChannels(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('notifications')
    .select('channelId')
    .where('dueAt', '<=', sql<Date>`now()`)
    .groupBy('channelId')
    .orderBy(sql`min(due_at)`)
    .limit(limit)
    .execute()
  return rows.map(({ channelId }) => channelId)
}

/** Claims the due notifications of a channel, so that no other worker sends them. */
export async function claimNotifications(
  db: Db,
  channelId: number,
  limit: number,
): Promise<Notification[]> {
  const { rows } = await sql<Notification>`
    with claimed as (
      update notifications
      set attempts = attempts + 1, due_at = now() + make_interval(secs => ${claimSeconds})
      where due_at <= now() and id in (
        select id from notifications where channel_id = ${channelId} and due_at <= now()
        order by id limit ${limit} for update skip locked)
      returning id, attempts, run_id
    )
    select n.id, n.attempts, r.repo, r.pr_number as number, p.title, p.author,
      p.listed_event_id as event_id,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'title', f.title, 'path', f.path, 'startLine', f.start_line) order by f.id)
        from findings f
        where f.repo = r.repo and f.pr_number = r.pr_number and f.first_run_id = r.id
          and ${isOpenAndCritical}
      ), '[]') as findings
    from claimed n
    join workflow_runs r on r.id = n.run_id
    join pull_requests p on p.repo = r.repo and p.number = r.pr_number
    order by n.id`.execute(db)
  return rows
}

/** Deletes notifications that were sent or are no longer wanted. */
export async function deleteNotifications(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('notifications').where('id', 'in', ids).execute()
}

/** Makes claimed notifications due again after a time. */
export async function delayNotifications(
  db: Db,
  ids: readonly number[],
  seconds: number,
): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('notifications')
    .set({ dueAt: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('id', 'in', ids)
    .execute()
}
