// A snapshot of a repository at one commit, read from git's objects without a checkout.
import { GitError } from '../domain/errors.ts'
import type { Snapshot, TreeEntry } from '../domain/snapshot.ts'
import { listTree } from './list-tree.ts'
import { ObjectReader } from './object-reader.ts'
import { isSafePath, pathToBytes, printable } from './path-encoding.ts'
import type { GitRuntime } from './run-git.ts'
import { searchCommit } from './search-commit.ts'

const MEBIBYTE = 1024 * 1024
const MAX_TREE_BYTES = 64 * MEBIBYTE
const maxFiles = 1_000_000

interface TreeObjectEntry {
  readonly mode: string
  readonly oid: string
}

/**
 * Creates a snapshot of a commit that the repository in `gitDirectory` has.
 *
 * @param shared reader of the repository's objects for several snapshots, disposed of by its owner
 */
export function createGitSnapshot(
  runtime: GitRuntime,
  gitDirectory: string,
  sha: string,
  shared?: ObjectReader,
): Snapshot {
  const objects = shared ?? new ObjectReader(runtime, gitDirectory)
  const trees = new Map<string, Promise<ReadonlyMap<string, TreeObjectEntry>>>()
  // Thousands of reviews may wait for their models; a strong reference would keep the file list of
  // each in memory meanwhile.
  let cachedEntries: WeakRef<readonly TreeEntry[]> | undefined

  const readTree = (name: string) => {
    const cached = trees.get(name)
    if (cached !== undefined) return cached
    const tree = readTreeObject(objects, name)
    trees.set(name, tree)
    tree.catch(() => trees.delete(name))
    return tree
  }

  const findEntry = async (path: Buffer): Promise<TreeObjectEntry | undefined> => {
    if (!isSafePath(path)) return undefined
    let entry: TreeObjectEntry | undefined = { mode: '40000', oid: `${sha}^{tree}` }
    for (const name of path.toString('latin1').split('/')) {
      const isFolder = entry?.mode === '40000'
      if (entry === undefined || !isFolder) return undefined
      const tree = await readTree(entry.oid)
      entry = tree.get(name)
    }
    return entry
  }

  return {
    sha,
    async readFile(path, options = {}) {
      const file = await findEntry(pathToBytes(path))
      if (!file?.mode.startsWith('100')) return undefined
      const maxBytes = options.maxBytes ?? MEBIBYTE
      const size = (await objects.info(file.oid))?.size
      if (size === undefined) throw new GitError(`${printable(path)} is missing from the mirror.`)
      if (size > maxBytes)
        throw new GitError(`${printable(path)} has ${size} bytes, more than ${maxBytes}.`)
      return objects.contents(file.oid)
    },
    async listFiles({ prefix, signal } = {}) {
      const entries =
        cachedEntries?.deref() ?? (await listFiles(runtime, gitDirectory, sha, signal))
      cachedEntries = new WeakRef(entries)
      const folder = prefix?.replace(/\/+$/, '') ?? ''
      return folder === '' ? entries : entries.filter(({ path }) => path.startsWith(`${folder}/`))
    },
    search: (pattern, options = {}) =>
      searchCommit({ runtime, gitDirectory, sha }, pattern, options),
    // Other snapshots still use a shared reader.
    [Symbol.asyncDispose]: () =>
      shared === undefined ? objects[Symbol.asyncDispose]() : shared.closeIdle(),
  }
}

/**
 * Reads the entries of a tree object by name (as Latin-1). git's own `<commit>:<path>` can't
 * express every name, and doesn't distinguish a symbolic link from a file.
 */
async function readTreeObject(
  objects: ObjectReader,
  name: string,
): Promise<ReadonlyMap<string, TreeObjectEntry>> {
  const info = await objects.info(name)
  if (info?.type !== 'tree') throw new GitError('The commit is not in the mirror.')
  if (info.size > MAX_TREE_BYTES)
    throw new GitError('A folder of the repository has too many entries.')
  const bytes = (await objects.contents(info.oid)) ?? Buffer.alloc(0)
  const oidLength = info.oid.length / 2
  const entries = new Map<string, TreeObjectEntry>()
  // A tree is a sequence of `<mode> <name>\0<binary object id>`.
  let start = 0
  while (start < bytes.length) {
    const space = bytes.indexOf(0x20, start)
    const nul = bytes.indexOf(0, space)
    const end = nul + 1 + oidLength
    const mode = bytes.toString('latin1', start, space)
    const entryName = bytes.toString('latin1', space + 1, nul)
    entries.set(entryName, { mode, oid: bytes.toString('hex', nul + 1, end) })
    start = end
  }
  return entries
}

async function listFiles(
  runtime: GitRuntime,
  gitDirectory: string,
  sha: string,
  signal: AbortSignal | undefined,
): Promise<readonly TreeEntry[]> {
  const { entries, cut } = await listTree({ runtime, gitDirectory }, sha, {
    maxEntries: maxFiles,
    signal,
  })
  if (cut) throw new GitError('The repository has too many files to list.')
  return entries
}
