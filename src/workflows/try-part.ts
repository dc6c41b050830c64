// Runs a part of a periodic task, so that its failure stops no other part.
import type { AppContext } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/**
 * Runs `work` for a repository. Expected errors are only logged, because a later round repeats it.
 *
 * @throws unexpected errors, and the reason of the signal when it is aborted
 */
export async function tryPart(
  { log }: Pick<AppContext, 'log'>,
  repo: RepositoryName,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof UmpireError)) throw error
    log.debug({ err: error, repo }, 'A check failed; a later round repeats it')
  }
}
