// Lists the files that differ between two commits, with renames.
import { GitError } from '../domain/errors.ts'
import type { BareRepository } from './list-tree.ts'
import { isSafePath, pathFromBytes } from './path-encoding.ts'
import { runGit } from './run-git.ts'

export interface TreeChange {
  /** `type`: a regular file, a link or a submodule became another of these. */
  readonly status: 'added' | 'modified' | 'removed' | 'renamed' | 'type'
  readonly path: string
  /** Null unless the file was renamed. */
  readonly previousPath: string | null
  readonly kind: 'file' | 'symlink' | 'submodule'
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
const kinds: Readonly<Record<string, TreeChange['kind']>> = {
  '120000': 'symlink',
  '160000': 'submodule',
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
    const changes = readChanges(stdout)
    return changes.length <= limits.maxChanges ? changes : undefined
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/**
 * Parses `:<mode> <mode> <oid> <oid> <status>` NUL `<path>` NUL; a rename has the new path as a
 * second one (git-diff-tree(1), raw output format).
 */
function readChanges(raw: Buffer): TreeChange[] {
  const fields = splitFields(raw)
  const changes: TreeChange[] = []
  let position = 0
  while (position < fields.length) {
    const record = readRecord(fields[position]!)
    const pathCount = record.status === 'renamed' ? 2 : 1
    const paths = fields.slice(position + 1, position + 1 + pathCount)
    position += 1 + pathCount
    const path = paths[pathCount - 1]
    if (path === undefined || !isSafePath(path)) continue
    const previousPath = pathCount === 2 ? pathFromBytes(paths[0]!) : null
    changes.push({ ...record, path: pathFromBytes(path), previousPath })
  }
  return changes
}

function readRecord(bytes: Buffer): Pick<TreeChange, 'status' | 'kind' | 'oid'> {
  const [, mode = '', , oid = '', statusField = ''] = bytes.toString('latin1').split(' ')
  // A rename's status has its similarity behind the letter: `R097`.
  const status = statuses[statusField.slice(0, 1)] ?? 'modified'
  return { status, kind: kinds[mode] ?? 'file', oid }
}

function splitFields(raw: Buffer): Buffer[] {
  const fields: Buffer[] = []
  let start = 0
  while (start < raw.length) {
    const end = raw.indexOf(0, start)
    fields.push(raw.subarray(start, end))
    start = end + 1
  }
  return fields
}
