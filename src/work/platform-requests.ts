// Stores what people and merge queues request of checks and pull requests, until a worker answers.
import type { Db } from '../db/database.ts'
import { toJson } from '../db/sql-values.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { enqueue } from './work-items.ts'

export interface DeliveredRequest {
  readonly source: string
  readonly deliveryId: string | null
  readonly repo: RepositoryName
  readonly request: PlatformRequest
}

/** Stores requests and their work in the caller's transaction. Skips repeated deliveries. */
export async function savePlatformRequests(
  tx: Db,
  delivered: readonly DeliveredRequest[],
): Promise<void> {
  if (delivered.length === 0) return
  const saved = await tx
    .insertInto('platformRequests')
    .values(delivered.map(toRow))
    .onConflict((conflict) => conflict.columns(['source', 'deliveryId']).doNothing())
    .returning(['id', 'repo'])
    .execute()
  await enqueue(
    tx,
    saved.map(({ id: number, repo }) => ({ kind: 'request' as const, repo, number })),
  )
}

function toRow({ source, deliveryId, repo, request }: DeliveredRequest) {
  return { source, deliveryId, repo, request: toJson(request) }
}

/** Reads a request by its id; undefined if there is none. */
export async function readPlatformRequest(
  db: Db,
  id: number,
): Promise<PlatformRequest | undefined> {
  const row = await db
    .selectFrom('platformRequests')
    .select('request')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.request
}
