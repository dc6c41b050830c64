// Shows a check as the status of a commit, where the host or the token can't show more.

import type { Connection } from '../http/connection.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { send } from '../http/request.ts'
import type { Access, Check, ReviewProgress } from '../platform.ts'

const maxDescriptionLength = 140

/**
 * POST /repos/{owner}/{repo}/statuses/{sha}. The newest status of a context replaces older ones.
 */
export async function postStatus(
  connection: Connection,
  access: Access,
  check: Check,
  signal?: AbortSignal,
): Promise<void> {
  const body = {
    state: toStatusState(check.state),
    context: check.name,
    description: check.title.slice(0, maxDescriptionLength).toWellFormed(),
    target_url: check.url,
  }
  const call = buildRepositoryCall(access, `/statuses/${encodeRef(check.sha)}`, signal, {
    method: 'POST',
    body,
    beforeWrite: check.beforeWrite,
  })
  await send(connection, call)
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
