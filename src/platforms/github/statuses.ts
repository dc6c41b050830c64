// The state shown on a commit.
import type { Access, CommitStatus } from '../platform.ts'
import { encodeRef, makeCall } from './repository.ts'
import { type Connection, send } from './request.ts'

const descriptionLength = 140

/** POST /repos/{owner}/{repo}/statuses/{sha}. The newest of a context is the one that counts: safe to repeat. */
export async function ensureStatus(
  connection: Connection,
  access: Access,
  status: CommitStatus,
  signal?: AbortSignal,
): Promise<void> {
  const body = {
    state: status.state,
    context: status.context,
    description: status.description.slice(0, descriptionLength).toWellFormed(),
    target_url: status.url,
  }
  await send(connection, makeCall(access, `/statuses/${encodeRef(status.sha)}`, signal, { method: 'POST', body }))
}
