// Stores whether a repository's settings allow models, for code that has no working copy at hand.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { requestScan } from './scans.ts'
import { type Claim, isHeld } from './work-items.ts'

/** @returns null if no scan has read the settings yet */
export async function readModelConsent(db: Db, repo: RepositoryName): Promise<boolean | null> {
  const row = await db
    .selectFrom('scans')
    .select('asksModels')
    .where('repo', '=', repo)
    .executeTakeFirst()
  return row?.asksModels ?? null
}

/** Saves what a scan read from the settings; does nothing if the scan lost its lease. */
export async function saveModelConsent(db: Db, claim: Claim, asksModels: boolean): Promise<void> {
  await db
    .updateTable('scans')
    .set({ asksModels })
    .where('repo', '=', claim.repo)
    .where(isHeld(claim))
    .where(sql<boolean>`asks_models is distinct from ${asksModels}`)
    .execute()
}

/** The limit applies to each start of a worker. */
const maxEmbeddingScans = 1000

/** Requests scans of repositories with memories that have no vectors of this embedder yet. */
export async function requestEmbeddingScans(tx: Db, embedder: string): Promise<void> {
  const { rows } = await sql<{ repo: RepositoryName }>`
    select repo from scans s
    where status = 'completed' and commit_sha is not null
      and asks_models is distinct from false and exists (
      select from memories m
      where m.repo = s.repo and m.ended_at is null and not exists (
        select from memory_vectors v where v.memory_id = m.id and v.embedder = ${embedder}))
    limit ${sql.lit(maxEmbeddingScans)}`.execute(tx)
  for (const { repo } of rows) await requestScan(tx, repo)
}
