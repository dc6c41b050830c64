// Lists the files of a commit, as they come out of git: however many there are, no more than wanted are held.
import { isSafePath, pathFromBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'
import type { TreeEntry } from './snapshot.ts'

/** A bare repository, and the git that reads it. */
export interface BareRepository {
  readonly runtime: GitRuntime
  readonly gitDirectory: string
}

export interface ListedTree {
  /** Sorted by path, by bytes. */
  readonly entries: readonly TreeEntry[]
  /** There are more. */
  readonly cut: boolean
}

const kinds: Readonly<Record<string, TreeEntry['kind']>> = {
  '120000': 'symlink',
  '160000': 'submodule',
}

/** @param limits `maxEntries`: after so many the listing ends */
export async function listTree(
  { runtime: host, gitDirectory }: BareRepository,
  sha: string,
  limits: { maxEntries: number; signal?: AbortSignal | undefined },
): Promise<ListedTree> {
  const entries: TreeEntry[] = []
  let rest: Buffer = Buffer.alloc(0)
  const consume = (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      if (entries.length >= limits.maxEntries) return 'enough'
      const entry = readEntry(bytes.subarray(start, end))
      if (entry !== undefined) entries.push(entry)
      start = end + 1
    }
    rest = bytes.subarray(start)
    return 'more'
  }
  const { cut } = await runGit(host, {
    gitDirectory,
    args: ['ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', sha],
    timeoutMs: 60_000,
    consume,
    ...(limits.signal && { signal: limits.signal }),
  })
  return { entries, cut }
}

/** `<mode> <type> <oid> <size, padded>`, a tab, the name. There are many: they are taken apart at once. */
function readEntry(line: Buffer): TreeEntry | undefined {
  const tab = line.indexOf(0x09)
  const name = line.subarray(tab + 1)
  // A tree made by hand can hold `..`: whoever joins such a path would leave the tree.
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
