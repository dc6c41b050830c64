// Repository scans: requests, how claimed work becomes one, its progress and its end.

import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import { LeaseLostError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { announce } from '../events/listing.ts'
import { codeIndexVersion } from '../languages/code-index.ts'
import {
  assertHeld,
  type Claim,
  enqueue,
  finish,
  isHeld,
  type RequeueOptions,
  requeue,
  type WorkFailure,
} from './work-items.ts'

/** A scan in progress, and the claim that permits to write it. */
export interface ClaimedScan extends Claim {
  /** A user requested it, so it also runs if nothing was pushed since the last scan. */
  readonly thorough: boolean
}

/** The stored state of a scan. */
export interface ScanState
  extends Pick<
    Row<'scans'>,
    | ('repo' | 'status' | 'step' | 'done' | 'total')
    | ('requestedAt' | 'startedAt' | 'finishedAt' | 'error')
  > {
  /** The commit that was scanned last. */
  readonly commit: string | null
  /** The project description in the memory is true of this commit. */
  readonly described: string | null
}

/** An expression that announces each row of `changed` to the live streams on commit. */
const announceUpdatedScan = announce(
  sql`(select summary from (select repo, status as scan, step, done, total) as summary)`,
)

/** Updates one scan and announces its new state. Returns undefined if no row matched. */
async function updateScan(
  tx: Db,
  statement: RawBuilder<unknown>,
): Promise<Pick<Row<'scans'>, 'status' | 'thorough'> | undefined> {
  const { rows } = await sql<Pick<Row<'scans'>, 'status' | 'thorough'>>`
    with changed as (${statement} returning *)
    select status, thorough, ${announceUpdatedScan} from changed`.execute(tx)
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
        requested_at = now(), started_at = null, finished_at = null,
        error = null, error_code = null
      where repo = ${repo}`,
    )
    await enqueue(tx, [{ kind: 'scan', repo, number: 0 }], { restart: true })
  } else if (evenIfRunning || (thorough && !current.thorough)) {
    await sql`
      update scans set wanted_again = true, wanted_thorough = wanted_thorough or ${thorough}
      where repo = ${repo}`.execute(tx)
  }
}

/** Requests a scan of a repository that never had one, in the caller's transaction. */
export async function ensureScanRequested(tx: Db, repo: RepositoryName): Promise<void> {
  const known = await tx
    .selectFrom('scans')
    .select('repo')
    .where('repo', '=', repo)
    .executeTakeFirst()
  if (known === undefined) await requestScan(tx, repo)
}

/** The host's id of the repository that was scanned under this name; null if unknown. */
export async function findScannedRepositoryId(
  tx: Db,
  repo: RepositoryName,
): Promise<string | null> {
  const row = await tx
    .selectFrom('scans')
    .select('platformRepoId')
    .where(sql<string>`lower(repo)`, '=', repo.toLowerCase())
    .where('platformRepoId', 'is not', null)
    .executeTakeFirst()
  return row?.platformRepoId ?? null
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
  return db
    .selectFrom('scans')
    .select(['repo', 'status', 'step', 'done', 'total', 'commitSha as commit'])
    .select(['describedSha as described', 'requestedAt', 'startedAt', 'finishedAt', 'error'])
    .where('repo', '=', repo)
    .executeTakeFirst()
}

/**
 * Begins the claimed scan of a repository. Returns null, and finishes the work, if none is
 * requested any more. Throws LeaseLostError like `assertHeld`.
 */
export async function beginScan(db: Db, claim: Claim): Promise<ClaimedScan | null> {
  return db.transaction().execute(async (tx) => {
    const begun = await updateScan(
      tx,
      sql`
      update scans set status = 'processing', started_at = coalesce(started_at, now())
      where repo = ${claim.repo} and status in ('pending', 'processing')`,
    )
    await assertHeld(tx, claim)
    if (begun !== undefined) return { ...claim, thorough: begun.thorough }
    await finish(tx, claim)
    return null
  })
}

/** Saves the current step and its progress. Throws LeaseLostError like `assertHeld`. */
export async function saveScanProgress(
  db: Db,
  scan: ClaimedScan,
  { step, done, total }: { step: string; done: number; total: number },
): Promise<void> {
  const changed = await updateScan(
    db,
    sql`
    update scans set step = ${step}, done = ${done}, total = ${total}
    where repo = ${scan.repo} and ${isHeld(scan)}`,
  )
  if (changed === undefined) throw new LeaseLostError()
}

export interface ScanOutcome {
  readonly status: 'completed' | 'failed'
  /** The scanned commit; undefined if none was scanned. */
  readonly commit?: string | undefined
  /** The commit that the memory describes now; undefined if the description wasn't updated. */
  readonly described?: string | undefined
  readonly failure?: WorkFailure
}

/**
 * Ends a scan in the caller's transaction; it becomes pending again if another scan was requested
 * meanwhile. Throws LeaseLostError if another worker holds it: the transaction must roll back.
 */
export async function endScan(
  tx: Db,
  claim: Claim,
  { status, commit, described, failure }: ScanOutcome,
): Promise<void> {
  const ended = await updateScan(
    tx,
    sql`
    update scans set
      status = case when wanted_again then 'pending' else ${status} end,
      finished_at = now(),
      thorough = wanted_thorough, wanted_again = false, wanted_thorough = false,
      step = '', done = 0, total = 0, commit_sha = coalesce(${commit ?? null}, commit_sha),
      described_sha = coalesce(${described ?? null}, described_sha),
      error = ${failure?.message ?? null}, error_code = ${failure?.code ?? null}
    where repo = ${claim.repo}`,
  )
  await finish(tx, claim, { again: ended?.status === 'pending' })
}

/** Returns a scan to the queue in the caller's transaction, as `requeue` does. */
export async function requeueScan(tx: Db, claim: Claim, options: RequeueOptions): Promise<void> {
  const { failure } = options
  await updateScan(
    tx,
    sql`
    update scans set status = 'pending',
      error = ${failure?.message ?? null}, error_code = ${failure?.code ?? null}
    where repo = ${claim.repo}`,
  )
  await requeue(tx, claim, options)
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
  for (const { repo } of rows) await requestScan(tx, repo)
}
