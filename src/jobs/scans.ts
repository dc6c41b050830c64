// Claims, leases and ends of repository scans. All times are the database's clock.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RunStatus } from '../db/schema.ts'
import { LeaseLostError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { announce } from '../events/listing.ts'
import { codeIndexVersion } from '../languages/code-index.ts'
import {
  type ClaimOptions,
  type ClaimResult,
  clampFutureTimes,
  countAttempts,
  findClaimObstacle,
  isOverdue,
  leaseEnd,
  type RequeueOptions,
} from './leases.ts'
import type { Notifications } from './queue.ts'

/** A claimed scan. Worker and fence together identify the claim. */
export interface ClaimedScan {
  readonly repo: RepositoryName
  readonly worker: string
  readonly fence: number
  /** 1 for the first attempt; attempts that lost their worker don't count. */
  readonly attempt: number
  /** A user requested it, so it also runs if nothing was pushed since the last scan. */
  readonly thorough: boolean
}

/** The stored state of a scan. */
export interface ScanState {
  readonly repo: RepositoryName
  readonly status: RunStatus
  /** `done` of `total` units of this step are finished. */
  readonly step: string
  readonly done: number
  readonly total: number
  /** The commit that was scanned last. */
  readonly commit: string | null
  /** The project description in the memory is true of this commit. */
  readonly described: string | null
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly error: string | null
}

/** An expression that announces each row of `changed` to the live streams on commit. */
const announceUpdatedScan = announce(
  sql`(select summary from (select repo, status as scan, step, done, total) as summary)`,
)

interface UpdatedScan {
  readonly status: RunStatus
  readonly fence: number
  readonly attempts: number
  readonly thorough: boolean
}

/** Updates one scan and announces its new state. Returns undefined if no row matched. */
async function updateScan(
  tx: Db,
  statement: RawBuilder<unknown>,
): Promise<UpdatedScan | undefined> {
  const { rows } = await sql<UpdatedScan>`
    with changed as (${statement} returning *)
    select status, fence, attempts, thorough, ${announceUpdatedScan} from changed`.execute(tx)
  return rows[0]
}

/**
 * Requests a scan in the caller's transaction. A pending or running scan serves all requests.
 *
 * @param options `evenIfRunning`: a running scan may have missed something, so another one follows;
 *   `thorough`: scan even if nothing was pushed, after a running scan that isn't thorough
 */
export async function requestScan(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  repo: RepositoryName,
  { evenIfRunning = false, thorough = false }: { evenIfRunning?: boolean; thorough?: boolean } = {},
): Promise<void> {
  // The first scan of a repository is always thorough.
  await sql`
    insert into scans (repo, status, thorough) values (${repo}, 'pending', true)
    on conflict do nothing`.execute(tx)
  const current = await tx
    .selectFrom('scans')
    .select(['status', 'thorough'])
    .where('repo', '=', repo)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (current.status !== 'processing') {
    await updateScan(
      tx,
      sql`
      update scans set status = 'pending', thorough = thorough or ${thorough},
        attempts = 0, losses = 0, retry_at = null, requested_at = now(),
        started_at = null, finished_at = null, error = null, error_code = null
      where repo = ${repo}`,
    )
    await notifications.scans.notify(tx, [repo])
  } else if (evenIfRunning || (thorough && !current.thorough)) {
    await sql`
      update scans set wanted_again = true, wanted_thorough = wanted_thorough or ${thorough}
      where repo = ${repo}`.execute(tx)
  }
}

/** Requests a scan of a repository that never had one, in the caller's transaction. */
export async function ensureScanRequested(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  repo: RepositoryName,
): Promise<void> {
  const known = await tx
    .selectFrom('scans')
    .select('repo')
    .where('repo', '=', repo)
    .executeTakeFirst()
  if (known === undefined) await requestScan(tx, notifications, repo)
}

/** The host's id of the repository that was scanned under this name; null if unknown. */
export async function findScannedRepositoryId(
  tx: Db,
  repo: RepositoryName,
): Promise<string | null> {
  const row = await tx
    .selectFrom('scans')
    .select('platform_repo_id')
    .where(sql<string>`lower(repo)`, '=', repo.toLowerCase())
    .where('platform_repo_id', 'is not', null)
    .executeTakeFirst()
  return row?.platform_repo_id ?? null
}

/**
 * Saves which repository is scanned under a name.
 *
 * @param options `isNew`: another repository had the name before; its commits are cleared
 */
export async function saveScannedRepositoryId(
  tx: Db,
  { repo, platformRepoId }: { repo: RepositoryName; platformRepoId: string },
  { isNew }: { isNew: boolean },
): Promise<void> {
  const clearCommits = sql`, commit_sha = null, described_sha = null, asks_models = null`
  await sql`
    update scans set platform_repo_id = ${platformRepoId} ${isNew ? clearCommits : sql``}
    where repo = ${repo}`.execute(tx)
}

/** Returns those of these repositories that have a scan in any state. */
export async function findScannedRepositories(
  tx: Db,
  repos: readonly RepositoryName[],
): Promise<RepositoryName[]> {
  if (repos.length === 0) return []
  const rows = await tx.selectFrom('scans').select('repo').where('repo', 'in', repos).execute()
  return rows.map(({ repo }) => repo)
}

/** Reads the scan of a repository; undefined if there never was one. */
export async function readScan(db: Db, repo: RepositoryName): Promise<ScanState | undefined> {
  const row = await db.selectFrom('scans').selectAll().where('repo', '=', repo).executeTakeFirst()
  if (row === undefined) return undefined
  const { status, step, done, total, commit_sha: commit, described_sha: described, error } = row
  const times = {
    requestedAt: row.requested_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }
  return { repo, status, step, done, total, commit, described, ...times, error }
}

/**
 * Claims a scan: it becomes `processing` under a lease. A scan whose lease has expired is taken
 * over.
 */
export async function claimScan(
  db: Db,
  repo: RepositoryName,
  options: ClaimOptions,
): Promise<ClaimResult<ClaimedScan>> {
  const { worker } = options
  return db.transaction().execute(async (tx): Promise<ClaimResult<ClaimedScan>> => {
    const existing = await tx
      .selectFrom('scans')
      .select(['status', 'attempts', 'losses'])
      .select(sql<boolean>`coalesce(lease_until > now(), false)`.as('held'))
      .select(
        sql<number>`coalesce(extract(epoch from retry_at - now()), 0)::float8`.as('wait_seconds'),
      )
      .where('repo', '=', repo)
      .where('status', 'in', ['pending', 'processing'])
      .forUpdate()
      .executeTakeFirst()
    if (existing === undefined) return { kind: 'settled' }
    const obstacle = findClaimObstacle(existing)
    if (obstacle) return obstacle
    const { attempt, losses, isExhausted } = countAttempts(existing, options)
    if (isExhausted) {
      await endAsExhausted(tx, repo, losses)
      return { kind: 'exhausted' }
    }
    const claimed = await updateScan(
      tx,
      sql`
      update scans set status = 'processing', worker = ${worker}, attempts = attempts + 1,
        losses = ${losses}, fence = fence + 1, lease_until = ${leaseEnd(options.leaseSeconds)},
        retry_at = null, started_at = coalesce(started_at, now())
      where repo = ${repo}`,
    )
    const { fence, thorough } = claimed as UpdatedScan
    return { kind: 'claimed', run: { repo, worker, fence, attempt, thorough } }
  })
}

/** Extends the lease. Throws LeaseLostError if another worker holds the scan. */
export async function extendScanLease(
  db: Db,
  scan: ClaimedScan,
  leaseSeconds: number,
): Promise<void> {
  const extended = await db
    .updateTable('scans')
    .set({ lease_until: leaseEnd(leaseSeconds) })
    .where(heldBy(scan))
    .returning('repo')
    .execute()
  if (extended.length === 0) throw new LeaseLostError()
}

/** Throws LeaseLostError if another worker holds the scan or its lease has expired. */
export async function assertScanLease(db: Db, scan: ClaimedScan): Promise<void> {
  const held = await db
    .selectFrom('scans')
    .select('repo')
    .where(heldBy(scan))
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!held) throw new LeaseLostError()
}

/** Saves the current step and its progress. Throws LeaseLostError like `extendScanLease`. */
export async function saveScanProgress(
  db: Db,
  scan: ClaimedScan,
  { step, done, total }: { step: string; done: number; total: number },
): Promise<void> {
  const changed = await updateScan(
    db,
    sql`update scans set step = ${step}, done = ${done}, total = ${total} where ${heldBy(scan)}`,
  )
  if (changed === undefined) throw new LeaseLostError()
}

export interface ScanOutcome {
  readonly status: 'completed' | 'failed'
  /** The scanned commit; undefined if none was scanned. */
  readonly commit?: string | undefined
  /** The commit that the memory describes now; undefined if the description wasn't updated. */
  readonly described?: string | undefined
  readonly error?: string
  readonly errorCode?: string
}

/**
 * Ends a scan in the caller's transaction; it becomes pending again if another scan was requested
 * meanwhile. Throws LeaseLostError if another worker holds it: the transaction must roll back.
 */
export async function endScan(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  scan: ClaimedScan,
  { status, commit, described, error, errorCode }: ScanOutcome,
): Promise<void> {
  const changed = await updateScan(
    tx,
    sql`
    update scans set
      status = case when wanted_again then 'pending' else ${status} end,
      attempts = case when wanted_again then 0 else attempts end,
      losses = case when wanted_again then 0 else losses end,
      finished_at = now(), lease_until = null, worker = null,
      thorough = wanted_thorough, wanted_again = false, wanted_thorough = false,
      step = '', done = 0, total = 0, commit_sha = coalesce(${commit ?? null}, commit_sha),
      described_sha = coalesce(${described ?? null}, described_sha),
      error = ${error ?? null}, error_code = ${errorCode ?? null}
    where ${heldBy(scan)}`,
  )
  if (changed === undefined) throw new LeaseLostError()
  if (changed.status === 'pending') await notifications.scans.notify(tx, [scan.repo])
}

/** Returns a scan to the queue: with a delay after a failure, or at once when the worker stops. */
export async function requeueScan(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  scan: ClaimedScan,
  { delaySeconds, countsAsAttempt, error, errorCode }: RequeueOptions,
): Promise<void> {
  const changed = await updateScan(
    tx,
    sql`
    update scans set status = 'pending', worker = null, lease_until = null,
      retry_at = now() + make_interval(secs => ${delaySeconds}), put_back_at = now(),
      attempts = attempts - ${countsAsAttempt ? 0 : 1},
      error = ${error ?? null}, error_code = ${errorCode ?? null}
    where ${heldBy(scan)}`,
  )
  if (changed === undefined) throw new LeaseLostError()
  await notifications.scans.notify(tx, [scan.repo], delaySeconds)
}

/**
 * Lists at most 1,000 repositories whose scan no worker holds, as `findStrandedPullRequests` does.
 */
export async function findStrandedScans(db: Db, leaseSeconds: number): Promise<RepositoryName[]> {
  await clampFutureTimes(db, 'scans', leaseSeconds)
  const { rows } = await sql<{ repo: RepositoryName }>`
    select repo from scans
    where (status = 'processing' and lease_until < now())
      or (status = 'pending'
        and ${isOverdue(sql`coalesce(retry_at, requested_at)`, sql`requested_at`)})
    order by requested_at
    limit 1000`.execute(db)
  return rows.map(({ repo }) => repo)
}

/**
 * Ends all leases at once. Only for a database that no other process can have open: their holders
 * are gone.
 */
export async function endScanLeases(db: Db): Promise<void> {
  await db
    .updateTable('scans')
    .set({ lease_until: sql`now() - interval '1 second'` })
    .where('status', '=', 'processing')
    .execute()
}

/** The limit applies to each start of a worker. */
const maxOutdatedScans = 1000

/**
 * Requests the scans that an upgrade or a changed configuration makes necessary: of repositories
 * with an outdated code graph, of connections that are older than scans, and of repositories that
 * lack a layer that is enabled now.
 */
export async function requestOutdatedScans(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  layers: { memory: boolean; graph: boolean },
): Promise<void> {
  const { rows } = await sql<{ repo: RepositoryName }>`
    select repo from code_graphs
    where facts_version < ${codeIndexVersion} and commit_sha is not null and ${layers.graph}
    union
    select repo_full_name from installations i
    where is_active and not exists (select from scans where repo = i.repo_full_name)
    union
    select repo from scans s
    where status = 'completed' and commit_sha is not null and (
      (${layers.memory} and described_sha is null)
      or (${layers.graph} and not exists (
        select from code_graphs g where g.repo = s.repo and g.commit_sha is not null)))
    limit ${sql.lit(maxOutdatedScans)}`.execute(tx)
  for (const { repo } of rows) await requestScan(tx, notifications, repo)
}

async function endAsExhausted(tx: Db, repo: RepositoryName, losses: number): Promise<void> {
  await updateScan(
    tx,
    sql`
    update scans set status = 'failed', finished_at = now(), lease_until = null, worker = null,
      wanted_again = false, wanted_thorough = false, thorough = false,
      error = coalesce(error, ${`Its worker was lost ${losses} times.`}),
      error_code = coalesce(error_code, 'attempts_exhausted')
    where repo = ${repo}`,
  )
}

function heldBy({ repo, worker, fence }: ClaimedScan) {
  return sql<boolean>`
    repo = ${repo} and worker = ${worker} and fence = ${fence} and status = 'processing'`
}
