// Reads a file that may be too large.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/** Reads a regular file; undefined if there is none, null if it is too large or damaged. */
export async function readBounded(
  snapshot: Pick<Snapshot, 'readFile'>,
  path: string,
  options?: { maxBytes?: number },
): Promise<Uint8Array | undefined | null> {
  try {
    return await snapshot.readFile(path, options)
  } catch (error) {
    if (error instanceof GitError && !error.retryable) return null
    throw error
  }
}
