// Lists the files of a commit from git's output stream, up to a limit.

import type { TreeEntry } from '../domain/snapshot.ts'
import { isSafePath, pathFromBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'

export interface BareRepository {
  readonly runtime: GitRuntime
  readonly gitDirectory: string
}

interface ListedTree {
  /** The files sorted by the bytes of their paths. */
  readonly entries: readonly TreeEntry[]
  /** The commit has more files. */
  readonly cut: boolean
}

const kinds: Readonly<Record<string, TreeEntry['kind']>> = {
  '120000': 'symlink',
  '160000': 'submodule',
}

/** @param limits `maxEntries`: the listing ends after this number of files */
export async function listTree(
  { runtime, gitDirectory }: BareRepository,
  sha: string,
  limits: { maxEntries: number; signal?: AbortSignal | undefined },
): Promise<ListedTree> {
  const entries: TreeEntry[] = []
  let incompleteEntry: Buffer = Buffer.alloc(0)
  const consume = (chunk: Buffer) => {
    const bytes = incompleteEntry.length === 0 ? chunk : Buffer.concat([incompleteEntry, chunk])
    let start = 0
    let end = bytes.indexOf(0)
    while (end !== -1) {
      if (entries.length >= limits.maxEntries) return 'enough'
      const entry = readEntry(bytes.subarray(start, end))
      if (entry !== undefined) entries.push(entry)
      start = end + 1
      end = bytes.indexOf(0, start)
    }
    incompleteEntry = bytes.subarray(start)
    return 'more'
  }
  const { cut } = await runGit(runtime, {
    gitDirectory,
    args: ['ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', sha],
    timeoutMs: 60_000,
    consume,
    ...(limits.signal && { signal: limits.signal }),
  })
  return { entries, cut }
}

/**
 * Parses `<mode> <type> <oid> <padded size>`, a tab and the name. Splits by position, because a
 * repository may have a million of these lines.
 */
function readEntry(line: Buffer): TreeEntry | undefined {
  const tab = line.indexOf(0x09)
  const name = line.subarray(tab + 1)
  // A crafted tree can contain `..`, and a path joined with it would leave the tree.
  if (!isSafePath(name)) return undefined
  const head = line.toString('latin1', 0, tab)
  const oidStart = head.indexOf(' ', head.indexOf(' ') + 1) + 1
  const oidEnd = head.indexOf(' ', oidStart)
  return {
    path: pathFromBytes(name),
    kind: kinds[head.slice(0, 6)] ?? 'file',
    oid: head.slice(oidStart, oidEnd),
    size: Number(head.slice(oidEnd)) || 0,
  }
}
