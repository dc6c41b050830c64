// Scans: who brings what is known of a repository up to date, for how long, and how it ends. All times are the database's clock.
import { type RawBuilder, sql } from 'kysely'
import { codeIndexVersion } from '../code/code-index.ts'
import type { Db } from '../db/database.ts'
import type { RunStatus } from '../db/schema.ts'
import { LeaseLostError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { announce } from '../events/listing.ts'
import {
  type ClaimOptions,
  type ClaimResult,
  clampFutureTimes,
  countAttempts,
  isOverdue,
  leaseEnd,
  type RequeueOptions,
} from './leases.ts'
import type { Notifications } from './queue.ts'

/** A claimed scan. Worker and fence tell this claim from all others. */
export interface ClaimedScan {
  readonly repo: RepositoryName
  readonly worker: string
  readonly fence: number
  /** 1 for the first try; those that lost their worker don't count. */
  readonly attempt: number
  /** A person asked for it: also where nothing was pushed since the last one. */
  readonly thorough: boolean
}

/** How a scan stands. */
export interface ScanState {
  readonly repo: RepositoryName
  readonly status: RunStatus
  /** What it is doing, and how much of that is done. */
  readonly step: string
  readonly done: number
  readonly total: number
  /** That was scanned last. */
  readonly commit: string | null
  /** A commit of which the memory's description of the project is true. */
  readonly described: string | null
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly error: string | null
}

/** An expression that announces each row of `changed` to the live streams, when the transaction commits. */
const announceUpdatedScan = announce(
  sql`(select told from (select repo, status as scan, step, done, total) as told)`,
)

/** What is read of a scan that was changed. */
interface UpdatedScan {
  readonly status: RunStatus
  readonly fence: number
  readonly attempts: number
  readonly thorough: boolean
}

/** Changes one scan, and announces how it stands now. Undefined where there is none such. */
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
 * Asks for a scan of a repository, in the caller's transaction. One that waits, or runs, does for all who ask.
 *
 * @param options `evenIfRunning`: there is something that a running one may not have seen, so another one follows it;
 *   `thorough`: also where nothing was pushed since; it follows a running one that isn't
 */
export async function requestScan(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  repo: RepositoryName,
  { evenIfRunning = false, thorough = false }: { evenIfRunning?: boolean; thorough?: boolean } = {},
): Promise<void> {
  // The first one leaves nothing out.
  await sql`insert into scans (repo, status, thorough) values (${repo}, 'pending', true) on conflict do nothing`.execute(
    tx,
  )
  const running = await tx
    .selectFrom('scans')
    .select(['status', 'thorough'])
    .where('repo', '=', repo)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (running.status !== 'processing') {
    await updateScan(
      tx,
      sql`
      update scans set status = 'pending', thorough = thorough or ${thorough}, attempts = 0, losses = 0, retry_at = null,
        requested_at = now(), started_at = null, finished_at = null, error = null, error_code = null
      where repo = ${repo}`,
    )
    await notifications.scans.notify(tx, [repo])
  } else if (evenIfRunning || (thorough && !running.thorough)) {
    await sql`
      update scans set wanted_again = true, wanted_thorough = wanted_thorough or ${thorough} where repo = ${repo}`.execute(
      tx,
    )
  }
}

/** Asks for a scan of a repository that never had one, in the caller's transaction. */
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

/** The platform's id of the repository of which something is known under a name; null where nobody has asked for it. */
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
 * Writes down which repository it is that is scanned under a name.
 *
 * @param options `isNew`: another one had the name; its commits don't count any more
 */
export async function saveScannedRepositoryId(
  tx: Db,
  { repo, platformRepoId }: { repo: RepositoryName; platformRepoId: string },
  { isNew }: { isNew: boolean },
): Promise<void> {
  const another = sql`, commit_sha = null, described_sha = null, asks_models = null`
  await sql`update scans set platform_repo_id = ${platformRepoId} ${isNew ? another : sql``} where repo = ${repo}`.execute(
    tx,
  )
}

/** Of these repositories, those that were scanned once, or are to be. */
export async function findScannedRepositories(
  tx: Db,
  repos: readonly RepositoryName[],
): Promise<RepositoryName[]> {
  if (repos.length === 0) return []
  const rows = await tx.selectFrom('scans').select('repo').where('repo', 'in', repos).execute()
  return rows.map(({ repo }) => repo)
}

/** How the scan of a repository stands; undefined where there never was one. */
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

/** Takes up a repository's scan: it becomes `processing` under a lease. One whose lease ended is taken over. */
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
    if (existing.status === 'processing' && existing.held) return { kind: 'busy' }
    if (existing.status === 'pending' && existing.wait_seconds > 0) {
      return { kind: 'later', seconds: existing.wait_seconds }
    }
    const { attempt, losses, isExhausted } = countAttempts(existing, options)
    if (isExhausted) {
      await endAsExhausted(tx, repo, losses)
      return { kind: 'exhausted' }
    }
    const claimed = await updateScan(
      tx,
      sql`
      update scans set status = 'processing', worker = ${worker}, attempts = attempts + 1, losses = ${losses},
        fence = fence + 1, lease_until = ${leaseEnd(options.leaseSeconds)}, retry_at = null, started_at = coalesce(started_at, now())
      where repo = ${repo}`,
    )
    const { fence, thorough } = claimed as UpdatedScan
    return { kind: 'claimed', run: { repo, worker, fence, attempt, thorough } }
  })
}

/** Prolongs the lease. Throws LeaseLostError when the scan isn't ours any more. */
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

/** Throws LeaseLostError when the scan isn't ours any more or its lease ended. */
export async function assertScanLease(db: Db, scan: ClaimedScan): Promise<void> {
  const held = await db
    .selectFrom('scans')
    .select('repo')
    .where(heldBy(scan))
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!held) throw new LeaseLostError()
}

/** Tells what the scan is doing. Throws LeaseLostError as `extendScanLease`. */
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

/** How a scan ended. */
export interface ScanOutcome {
  readonly status: 'completed' | 'failed'
  /** That was scanned; undefined where none was. */
  readonly commit?: string | undefined
  /** Of which the memory's description is true now; undefined where nothing was described. */
  readonly described?: string | undefined
  readonly error?: string
  readonly errorCode?: string
}

/**
 * Ends a scan, in the caller's transaction; it waits again at once where another one was asked for meanwhile. Throws
 * LeaseLostError when it isn't ours any more: the transaction must roll back.
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

/** Gives a scan back, to be taken up again: after a fault with a delay, or at once when the worker stops. */
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

/** Repositories whose scan waits though nobody holds it, as `findStrandedPullRequests` has it. At most 1000. */
export async function findStrandedScans(db: Db, leaseSeconds: number): Promise<RepositoryName[]> {
  await clampFutureTimes(db, 'scans', leaseSeconds)
  const { rows } = await sql<{ repo: RepositoryName }>`
    select repo from scans
    where (status = 'processing' and lease_until < now())
       or (status = 'pending' and ${isOverdue(sql`coalesce(retry_at, requested_at)`, sql`requested_at`)})
    order by requested_at
    limit 1000`.execute(db)
  return rows.map(({ repo }) => repo)
}

/** Ends all leases at once. Only for a database that no other process can have open: whoever held them is dead. */
export async function endScanLeases(db: Db): Promise<void> {
  await db
    .updateTable('scans')
    .set({ lease_until: sql`now() - interval '1 second'` })
    .where('status', '=', 'processing')
    .execute()
}

/** At one start. */
const maxOutdatedScans = 1000

/**
 * Asks for the scans that nobody asked for: of repositories whose graph an older version of the program read, that were
 * connected before there were scans, or were scanned while a layer was turned off that is on now.
 */
export async function requestOutdatedScans(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  layers: { memory: boolean; graph: boolean },
): Promise<void> {
  const { rows } = await sql<{ repo: RepositoryName }>`
    select repo from code_graphs where facts_version < ${codeIndexVersion} and commit_sha is not null and ${layers.graph}
    union
    select repo_full_name from installations i
    where is_active and not exists (select from scans where repo = i.repo_full_name)
    union
    select repo from scans s
    where status = 'completed' and commit_sha is not null and (
      (${layers.memory} and described_sha is null)
      or (${layers.graph} and not exists (select from code_graphs g where g.repo = s.repo and g.commit_sha is not null)))
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
  return sql<boolean>`repo = ${repo} and worker = ${worker} and fence = ${fence} and status = 'processing'`
}
