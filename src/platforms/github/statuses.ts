// The state shown on a commit.
import type { Access, CommitStatus, ReviewState } from '../platform.ts'
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
    state: lowerState(status.state),
    context: status.context,
    description: status.description.slice(0, descriptionLength).toWellFormed(),
    target_url: status.url,
  }
  await send(
    connection,
    makeCall(access, `/statuses/${encodeRef(status.sha)}`, signal, { method: 'POST', body }),
  )
}

/**
 * A status has no neutral state: an end that the repository lets pass is a success, whose description names it. An error
 * is a review that says nothing about the change.
 */
function lowerState(state: ReviewState): 'pending' | 'success' | 'failure' | 'error' {
  if (state === 'pending') return 'pending'
  if (!state.blocks) return 'success'
  return state.end === 'incomplete' || state.end === 'skipped' ? 'error' : 'failure'
}
