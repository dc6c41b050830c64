// Stores and lists deliveries that led to no event: duplicates, ignored and refused ones.
import { sql } from 'kysely'
import type { Scope } from '../accounts/scope.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type * as contract from '../contract/review-endpoints.ts'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** Why a delivery led to no event. */
export type UnusedReason =
  | 'duplicate'
  | 'disconnected'
  | 'irrelevant'
  | 'app_level'
  | 'invalid_signature'
  | 'from_web_page'
  | 'too_large'
  | 'malformed'

/** What became of a delivery for that reason, and the text that explains it. */
const reasons: Readonly<
  Record<UnusedReason, { outcome: 'duplicate' | 'ignored' | 'refused'; text: string }>
> = {
  duplicate: { outcome: 'duplicate', text: 'Its review was requested already.' },
  disconnected: { outcome: 'ignored', text: 'The repository is disconnected.' },
  irrelevant: { outcome: 'ignored', text: 'It requests nothing.' },
  app_level: { outcome: 'ignored', text: 'It was sent for an App, to the address of webhooks.' },
  invalid_signature: {
    outcome: 'refused',
    text: 'Its signature was missing or made with another secret.',
  },
  from_web_page: { outcome: 'refused', text: 'It was unsigned, and sent by a web page.' },
  too_large: { outcome: 'refused', text: 'It was too large.' },
  malformed: { outcome: 'refused', text: 'Its body was no JSON object.' },
}

/** One verified delivery, or the count of unverified ones. */
export interface UnusedDelivery {
  readonly reason: UnusedReason
  /** Null if it is unknown, or named by a delivery that nobody verified and not connected. */
  readonly repo: RepositoryName | null
  /** Null for unverified ones, of which nothing that their sender wrote is kept. */
  readonly verified: {
    readonly deliveryId: string | null
    readonly eventType: string
    readonly prNumber: number | null
  } | null
  readonly count: number
}

/** Stores deliveries; unverified ones are added to those of the same day, reason and repository. */
export async function saveUnusedDeliveries(
  db: Db,
  source: string,
  deliveries: readonly UnusedDelivery[],
): Promise<void> {
  const column = <Value>(read: (one: UnusedDelivery) => Value) => deliveries.map(read)
  await sql`
    insert into unused_deliveries as u (
      source, outcome, reason, repo, delivery_id, event_type, pr_number, count, day)
    select ${source}, new.*,
      case when event_type is null then (now() at time zone 'UTC')::date end
    from unnest(
      ${column(({ reason }) => reasons[reason].outcome)}::text[],
      ${column(({ reason }) => reason)}::text[],
      ${column(({ repo }) => repo)}::text[],
      ${column(({ verified }) => verified?.deliveryId ?? null)}::text[],
      ${column(({ verified }) => verified?.eventType ?? null)}::text[],
      ${column(({ verified }) => verified?.prNumber ?? null)}::int[],
      ${column(({ count }) => count)}::int[]
    ) as new (outcome, reason, repo, delivery_id, event_type, pr_number, count)
    on conflict (day, reason, (coalesce(repo, ''))) where day is not null do update
    set count = least(u.count::bigint + excluded.count, 2147483647), last_at = now()`.execute(db)
}

const keptDays = 7
/** For each repository, so that none pushes out those of others. */
const maxRowsPerRepository = 1000

/** Deletes old rows, and those of repositories with too many. */
export async function pruneUnusedDeliveries(db: Db): Promise<void> {
  await sql`
    delete from unused_deliveries
    where last_at < now() - make_interval(days => ${sql.lit(keptDays)}) or id in (
      select id from (
        select id, row_number() over (
          partition by day is null, lower(repo) order by id desc) as place
        from unused_deliveries
      ) as placed where place > ${sql.lit(maxRowsPerRepository)})`.execute(db)
}

type DeliveryEntry = ResponseRecord<typeof contract.listDeliveries>['deliveries'][number]

/** Lists the newest unused deliveries. Those without a repository are only in the scope `all`. */
export async function listUnusedDeliveries(
  db: Db,
  {
    scope,
    limit,
    before = Number.MAX_SAFE_INTEGER,
  }: {
    readonly scope: Scope
    readonly limit: number
    /** Selects rows with a smaller id. */
    readonly before: number | undefined
  },
): Promise<DeliveryEntry[]> {
  const isVisible =
    scope === 'all'
      ? sql`true`
      : sql`lower(repo) = any(${scope.map((repo) => repo.toLowerCase())}::text[])`
  const { rows } = await sql<Omit<DeliveryEntry, 'error'> & { reason: UnusedReason }>`
    select id, delivery_id, coalesce(event_type, 'unknown') as event_type, source,
      repo as repo_name, pr_number, 'unused' as status, outcome, count - 1 as duplicates,
      created_at, last_at as processed_at, reason
    from unused_deliveries where id < ${before} and ${isVisible}
    order by id desc ${limitRows(limit)}`.execute(db)
  return rows.map(({ reason, ...row }) => ({ ...row, error: reasons[reason].text }))
}
