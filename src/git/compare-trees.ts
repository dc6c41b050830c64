// Lists the files that differ between two commits, with renames.
import { GitError } from '../domain/errors.ts'
import type { TreeEntry } from '../domain/snapshot.ts'
import { type BareRepository, kindOfMode } from './list-tree.ts'
import { isSafePath, pathFromBytes } from './path-encoding.ts'
import { type RawRecord, readRawRecords } from './raw-records.ts'
import { runGit } from './run-git.ts'

export interface TreeChange {
  /** `type`: a regular file, a link or a submodule became another of these. */
  readonly status: 'added' | 'modified' | 'removed' | 'renamed' | 'type'
  readonly path: string
  /** Null unless the file was renamed. */
  readonly previousPath: string | null
  readonly kind: TreeEntry['kind']
  /** The object id at the later commit; zeros for a removed file. */
  readonly oid: string
}

const statuses: Readonly<Record<string, TreeChange['status']>> = {
  A: 'added',
  M: 'modified',
  D: 'removed',
  R: 'renamed',
  T: 'type',
}

/**
 * Compares two commits that the repository has.
 *
 * @returns undefined if there are more than `maxChanges` changes, or git takes too long or fails
 */
export async function compareTrees(
  { runtime, gitDirectory }: BareRepository,
  before: string,
  after: string,
  limits: { maxChanges: number; signal?: AbortSignal | undefined },
): Promise<readonly TreeChange[] | undefined> {
  try {
    const { stdout, cut } = await runGit(runtime, {
      gitDirectory,
      args: [
        'diff-tree',
        '-r',
        '-z',
        '--raw',
        '--no-abbrev',
        '--find-renames',
        '-l1000',
        '--end-of-options',
        before,
        after,
      ],
      timeoutMs: 30_000,
      maxBytes: limits.maxChanges * 1000,
      ...(limits.signal && { signal: limits.signal }),
    })
    if (cut) return undefined
    const changes = readRawRecords(stdout).flatMap(toTreeChange)
    return changes.length <= limits.maxChanges ? changes : undefined
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

function toTreeChange({ status, mode, oid, path, oldPath }: RawRecord): TreeChange | [] {
  if (!isSafePath(path)) return []
  return {
    status: statuses[status] ?? 'modified',
    path: pathFromBytes(path),
    previousPath: oldPath ? pathFromBytes(oldPath) : null,
    kind: kindOfMode(mode),
    oid,
  }
}
