// Tells which files differ between two commits, and which of them were renamed.
import { GitError } from '../domain/errors.ts'
import type { BareRepository } from './list-tree.ts'
import { isSafePath, pathFromBytes } from './path-encoding.ts'
import { runGit } from './run-git.ts'

/** A file that differs. */
export interface TreeChange {
  /** `type`: a file became a link, a submodule, or the other way round. */
  readonly status: 'added' | 'modified' | 'removed' | 'renamed' | 'type'
  readonly path: string
  /** Of a renamed one. */
  readonly previousPath: string | null
  readonly kind: 'file' | 'symlink' | 'submodule'
  /** Now; zeros for a removed one. */
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
 * @param limits more changes than `maxChanges`, or what takes git too long, come to undefined
 */
export async function compareTrees(
  { runtime: host, gitDirectory }: BareRepository,
  before: string,
  after: string,
  limits: { maxChanges: number; signal?: AbortSignal | undefined },
): Promise<readonly TreeChange[] | undefined> {
  try {
    const { stdout, cut } = await runGit(host, {
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
    const changes = cut ? undefined : readChanges(stdout)
    return changes && changes.length <= limits.maxChanges ? changes : undefined
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** `:<mode> <mode> <oid> <oid> <status>` NUL `<path>` NUL, and of a rename a second path (git-diff-tree(1)). */
function readChanges(raw: Buffer): TreeChange[] {
  const fields: Buffer[] = []
  for (let start = 0; start < raw.length; ) {
    const end = raw.indexOf(0, start)
    fields.push(raw.subarray(start, end))
    start = end + 1
  }
  const changes: TreeChange[] = []
  for (let at = 0; at < fields.length; ) {
    const [, mode = '', , oid = '', letter = ''] = fields[at++]!.toString('latin1').split(' ')
    const status = statuses[letter[0] ?? ''] ?? 'modified'
    const previous = status === 'renamed' ? fields[at++] : undefined
    const name = fields[at++] ?? Buffer.alloc(0)
    if (!isSafePath(name)) continue
    const previousPath = previous === undefined ? null : pathFromBytes(previous)
    changes.push({
      status,
      path: pathFromBytes(name),
      previousPath,
      kind: kinds[mode] ?? 'file',
      oid,
    })
  }
  return changes
}
