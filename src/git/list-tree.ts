// Lists the files of a commit from git's output stream, up to a limit.

import type { TreeEntry } from '../domain/snapshot.ts'
import { isSafePath, pathFromBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'

export interface BareRepository {
  readonly runtime: GitRuntime
  readonly gitDirectory: string
}

export interface SizedTreeEntry extends TreeEntry {
  /** The size is in bytes; it is 0 for submodules. */
  readonly size: number
}

interface ListedTree<Entry> {
  /** The files sorted by the bytes of their paths. */
  readonly entries: readonly Entry[]
  /** The commit has more files. */
  readonly cut: boolean
}

interface ListLimits {
  /** The listing ends after this number of files. */
  readonly maxEntries: number
  readonly signal?: AbortSignal | undefined
}

/** The kind of a file with this mode. */
export function kindOfMode(mode: string): TreeEntry['kind'] {
  if (mode === '120000') return 'symlink'
  return mode === '160000' ? 'submodule' : 'file'
}

/** Lists files without their sizes, for which git has to look up every object. */
export function listTree(
  repository: BareRepository,
  sha: string,
  limits: ListLimits,
): Promise<ListedTree<TreeEntry>> {
  return listEntries(repository, ['--end-of-options', sha], limits, readEntry)
}

/** Lists files with their sizes. */
export function listSizedTree(
  repository: BareRepository,
  sha: string,
  limits: ListLimits,
): Promise<ListedTree<SizedTreeEntry>> {
  return listEntries(repository, ['-l', '--end-of-options', sha], limits, readSizedEntry)
}

async function listEntries<Entry>(
  { runtime, gitDirectory }: BareRepository,
  options: readonly string[],
  limits: ListLimits,
  read: (line: Buffer) => Entry | undefined,
): Promise<ListedTree<Entry>> {
  const entries: Entry[] = []
  let incompleteEntry: Buffer = Buffer.alloc(0)
  const consume = (chunk: Buffer) => {
    const bytes = incompleteEntry.length === 0 ? chunk : Buffer.concat([incompleteEntry, chunk])
    let start = 0
    let end = bytes.indexOf(0)
    while (end !== -1) {
      if (entries.length >= limits.maxEntries) return 'enough'
      const entry = read(bytes.subarray(start, end))
      if (entry !== undefined) entries.push(entry)
      start = end + 1
      end = bytes.indexOf(0, start)
    }
    incompleteEntry = bytes.subarray(start)
    return 'more'
  }
  const { cut } = await runGit(runtime, {
    gitDirectory,
    args: ['ls-tree', '-r', '-z', '--full-tree', ...options],
    timeoutMs: 60_000,
    consume,
    ...(limits.signal && { signal: limits.signal }),
  })
  return { entries, cut }
}

/**
 * Parses `<mode> <type> <oid>`, a padded size if it is listed, a tab and the name. Splits by
 * position, because a repository may have a million of these lines.
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
    kind: kindOfMode(head.slice(0, 6)),
    oid: head.slice(oidStart, oidEnd === -1 ? undefined : oidEnd),
  }
}

function readSizedEntry(line: Buffer): SizedTreeEntry | undefined {
  const entry = readEntry(line)
  if (entry === undefined) return undefined
  const tab = line.indexOf(0x09)
  const size = Number(line.toString('latin1', line.lastIndexOf(0x20, tab) + 1, tab)) || 0
  return { ...entry, size }
}
