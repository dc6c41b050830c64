// Shows a check as the status of a commit, which GitLab makes a job of a pipeline.
// https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
import { PlatformError } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import { encodeRef } from '../http/repository-calls.ts'
import type { Access, Check, ReviewProgress } from '../platform.ts'
import { sendWrite } from './project-calls.ts'

const maxDescriptionLength = 140

/**
 * POST /projects/{id}/statuses/{sha}. GitLab refuses to set the state that a status has, which is
 * what was wanted.
 */
export async function postStatus(
  connection: Connection,
  access: Access,
  check: Check,
  signal?: AbortSignal,
): Promise<void> {
  const body = {
    state: toState(check.state),
    name: check.name,
    description: check.title.slice(0, maxDescriptionLength).toWellFormed(),
    target_url: check.url,
  }
  const { beforeWrite } = check
  const write = { method: 'POST', body, beforeWrite, signal } as const
  try {
    await sendWrite(connection, access, `/statuses/${encodeRef(check.sha)}`, write)
  } catch (error) {
    if (!isRepeated(error)) throw error
  }
}

function isRepeated(error: unknown): boolean {
  const isRefusal = error instanceof PlatformError && error.status === 400
  return isRefusal && /cannot transition status/i.test(error.message)
}

/**
 * There is no neutral state, and `skipped` and `canceled` don't block merging everywhere. So an end
 * is a success or a failure, which the description qualifies.
 */
function toState(state: ReviewProgress): 'running' | 'success' | 'failed' {
  if (state === 'pending') return 'running'
  return state.blocks ? 'failed' : 'success'
}
