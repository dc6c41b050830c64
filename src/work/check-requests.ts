// Stores what people and merge queues request of checks and pull requests, until a worker answers.
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
  const sender = 'sender' in request ? request.sender : null
  return {
    ...{ source, deliveryId, repo, kind, headSha },
    number: 'number' in request ? request.number : null,
    subject: 'subject' in request ? request.subject : null,
    senderId: sender?.id ?? null,
    senderLogin: sender?.login ?? null,
  }
}

/** Reads a request by its id; undefined if there is none. */
export async function readCheckRequest(db: Db, id: number): Promise<CheckRequest | undefined> {
  const row = await db
    .selectFrom('checkRequests')
    .select(['kind', 'headSha', 'number', 'subject', 'senderId', 'senderLogin'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { kind, headSha, number, subject } = row
  const sender = { id: row.senderId ?? '', login: row.senderLogin ?? '' }
  switch (kind) {
    case 'merge_group':
      return { kind, headSha, number }
    case 'review':
    case 'dismiss_minor':
      return { kind, headSha, sender }
    default:
      return { kind, headSha, number: number ?? 0, subject: subject ?? '', sender }
  }
}
