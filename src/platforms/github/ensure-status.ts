// Sets the state of a check that GitHub shows on a commit.
import type { Access, CommitStatus, ReviewProgress } from '../platform.ts'
import { buildRepositoryCall, encodeRef } from './repository-calls.ts'
import { type Connection, send } from './request.ts'

const maxDescriptionLength = 140

/**
 * POST /repos/{owner}/{repo}/statuses/{sha}. The newest status of a context replaces older ones.
 */
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
 * Maps the end of a review to a status, which has no neutral state. An end that doesn't block
 * merging is a success that the description qualifies; `error` means that no review took place.
 */
function toStatusState(state: ReviewProgress): 'pending' | 'success' | 'failure' | 'error' {
  if (state === 'pending') return 'pending'
  if (!state.blocks) return 'success'
  return state.end === 'incomplete' || state.end === 'skipped' ? 'error' : 'failure'
}
