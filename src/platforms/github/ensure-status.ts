// The state shown on a commit.
import type { Access, CommitStatus, ReviewProgress } from '../platform.ts'
import { buildRepositoryCall, encodeRef } from './repository-calls.ts'
import { type Connection, send } from './request.ts'

const maxDescriptionLength = 140

/** POST /repos/{owner}/{repo}/statuses/{sha}. The newest of a context is the one that counts: safe to repeat. */
export async function ensureStatus(
  connection: Connection,
  access: Access,
  status: CommitStatus,
  signal?: AbortSignal,
): Promise<void> {
  const body = {
    state: toStatusState(status.state),
    context: status.context,
    description: status.description.slice(0, maxDescriptionLength).toWellFormed(),
    target_url: status.url,
  }
  await send(
    connection,
    buildRepositoryCall(access, `/statuses/${encodeRef(status.sha)}`, signal, {
      method: 'POST',
      body,
    }),
  )
}

/**
 * A status has no neutral state: an end that the repository lets pass is a success, whose description names it. An error
 * is a review that says nothing about the change.
 */
function toStatusState(state: ReviewProgress): 'pending' | 'success' | 'failure' | 'error' {
  if (state === 'pending') return 'pending'
  if (!state.blocks) return 'success'
  return state.end === 'incomplete' || state.end === 'skipped' ? 'error' : 'failure'
}
