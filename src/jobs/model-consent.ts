// Whether a repository lets models be asked about it, as its last scan found: what has no working copy at hand goes by that.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Notifications } from './queue.ts'
import { type ClaimedScan, requestScan } from './scans.ts'

/** @returns null where no scan has looked yet */
export async function readModelConsent(db: Db, repo: RepositoryName): Promise<boolean | null> {
  const row = await db
    .selectFrom('scans')
    .select('asks_models')
    .where('repo', '=', repo)
    .executeTakeFirst()
  return row?.asks_models ?? null
}

/** Writes down what a scan found; nothing where the scan isn't ours any more. */
export async function saveModelConsent(
  db: Db,
  { repo, fence }: ClaimedScan,
  asksModels: boolean,
): Promise<void> {
  await db
    .updateTable('scans')
    .set({ asks_models: asksModels })
    .where('repo', '=', repo)
    .where('fence', '=', fence)
    .where(sql<boolean>`asks_models is distinct from ${asksModels}`)
    .execute()
}

/** At one start. */
const maxEmbeddingScans = 1000

/** Asks for scans of repositories that have memories which this embedder hasn't seen, though models may be asked about them. */
export async function requestEmbeddingScans(
  tx: Db,
  notifications: Pick<Notifications, 'scans'>,
  embedder: string,
): Promise<void> {
  const { rows } = await sql<{ repo: RepositoryName }>`
    select repo from scans s
    where status = 'completed' and commit_sha is not null and asks_models is distinct from false and exists (
      select from memories m
      where m.repo = s.repo and m.ended_at is null
        and not exists (select from memory_vectors v where v.memory_id = m.id and v.embedder = ${embedder}))
    limit ${sql.lit(maxEmbeddingScans)}`.execute(tx)
  for (const { repo } of rows) await requestScan(tx, notifications, repo)
}
