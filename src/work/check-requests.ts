// Stores what people and merge queues request of the check on a commit, until a worker answers it.
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { CheckRequest } from '../platforms/platform-app.ts'
import { enqueue } from './work-items.ts'

export interface DeliveredCheckRequest {
  readonly source: string
  readonly deliveryId: string | null
  readonly repo: RepositoryName
  readonly request: CheckRequest
}

/** Stores requests and their work in the caller's transaction. Skips repeated deliveries. */
export async function saveCheckRequests(
  tx: Db,
  delivered: readonly DeliveredCheckRequest[],
): Promise<void> {
  if (delivered.length === 0) return
  const saved = await tx
    .insertInto('checkRequests')
    .values(delivered.map(toRow))
    .onConflict((conflict) => conflict.columns(['source', 'deliveryId']).doNothing())
    .returning(['id', 'repo'])
    .execute()
  await enqueue(
    tx,
    saved.map(({ id: number, repo }) => ({ kind: 'check' as const, repo, number })),
  )
}

function toRow({ source, deliveryId, repo, request }: DeliveredCheckRequest) {
  const { kind, headSha } = request
  const more =
    request.kind === 'merge_group'
      ? { number: request.number }
      : { senderId: request.sender.id, senderLogin: request.sender.login }
  return { source, deliveryId, repo, kind, headSha, ...more }
}

/** Reads a request by its id; undefined if there is none. */
export async function readCheckRequest(db: Db, id: number): Promise<CheckRequest | undefined> {
  const row = await db
    .selectFrom('checkRequests')
    .select(['kind', 'headSha', 'number', 'senderId', 'senderLogin'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { kind, headSha, number, senderId, senderLogin } = row
  return kind === 'merge_group'
    ? { kind, headSha, number }
    : { kind, headSha, sender: { id: senderId ?? '', login: senderLogin ?? '' } }
}
