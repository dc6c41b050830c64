// A snapshot of a git repository at one commit, read from its objects: nothing is ever checked out.
import { GitError } from '../domain/errors.ts'
import { listTree } from './list-tree.ts'
import { ObjectReader } from './object-reader.ts'
import { isSafePath, pathToBytes } from './path-encoding.ts'
import type { GitRuntime } from './run-git.ts'
import { searchCommit } from './search-commit.ts'
import type { Snapshot, TreeEntry } from './snapshot.ts'

const MEBIBYTE = 1024 * 1024
const MAX_TREE_BYTES = 64 * MEBIBYTE
const maxFiles = 1_000_000

/** What a tree object says about one name. */
interface NamedObject {
  readonly mode: string
  readonly oid: string
}

/**
 * Makes a snapshot of a commit that the repository in `gitDirectory` has.
 *
 * @param shared reads the repository's objects for several snapshots; who made it disposes of it
 */
export function createGitSnapshot(
  host: GitRuntime,
  gitDirectory: string,
  sha: string,
  shared?: ObjectReader,
): Snapshot {
  const objects = shared ?? new ObjectReader(host, gitDirectory)
  const trees = new Map<string, Promise<ReadonlyMap<string, NamedObject>>>()
  // Weakly held: thousands of reviews wait for their models, and would each hold all files of a repository meanwhile.
  let listed: WeakRef<readonly TreeEntry[]> | undefined

  const readTree = (name: string) => {
    const known = trees.get(name)
    if (known !== undefined) return known
    const tree = readTreeObject(objects, name)
    trees.set(name, tree)
    tree.catch(() => trees.delete(name))
    return tree
  }

  const find = async (path: Buffer): Promise<NamedObject | undefined> => {
    if (!isSafePath(path)) return undefined
    let found: NamedObject | undefined = { mode: '40000', oid: `${sha}^{tree}` }
    for (const name of path.toString('latin1').split('/')) {
      if (found?.mode !== '40000') return undefined
      found = (await readTree(found.oid)).get(name)
    }
    return found
  }

  return {
    sha,
    async readFile(path, options = {}) {
      const file = await find(pathToBytes(path))
      if (!file?.mode.startsWith('100')) return undefined
      const maxBytes = options.maxBytes ?? MEBIBYTE
      const size = (await objects.info(file.oid))?.size
      if (size === undefined) throw new GitError(`${printable(path)} is missing from the mirror.`)
      if (size > maxBytes)
        throw new GitError(`${printable(path)} has ${size} bytes, more than ${maxBytes}.`)
      return objects.contents(file.oid)
    },
    async listFiles({ prefix, signal } = {}) {
      const entries = listed?.deref() ?? (await listFiles(host, gitDirectory, sha, signal))
      listed = new WeakRef(entries)
      const folder = prefix?.replace(/\/+$/, '') ?? ''
      return folder === '' ? entries : entries.filter(({ path }) => path.startsWith(`${folder}/`))
    },
    search: (pattern, options = {}) =>
      searchCommit({ runtime: host, gitDirectory, sha }, pattern, options),
    // A shared one goes on for the others.
    [Symbol.asyncDispose]: () =>
      shared === undefined ? objects[Symbol.asyncDispose]() : shared.closeIdle(),
  }
}

/**
 * Reads a tree object. Paths are looked up by these bytes, name by name: git's own `<commit>:<path>` can't say
 * every name, and doesn't tell a symbolic link from a file.
 */
async function readTreeObject(
  objects: ObjectReader,
  name: string,
): Promise<ReadonlyMap<string, NamedObject>> {
  const info = await objects.info(name)
  if (info?.type !== 'tree') throw new GitError('The commit is not in the mirror.')
  if (info.size > MAX_TREE_BYTES)
    throw new GitError('A folder of the repository has too many entries.')
  const bytes = (await objects.contents(info.oid)) ?? Buffer.alloc(0)
  const oidLength = info.oid.length / 2
  const entries = new Map<string, NamedObject>()
  // `<mode> <name>\0<binary object id>`, one after the other (gitformat-pack, object types).
  for (let position = 0; position < bytes.length; ) {
    const space = bytes.indexOf(0x20, position)
    const end = bytes.indexOf(0, space)
    const mode = bytes.toString('latin1', position, space)
    position = end + 1 + oidLength
    entries.set(bytes.toString('latin1', space + 1, end), {
      mode,
      oid: bytes.toString('hex', end + 1, position),
    })
  }
  return entries
}

async function listFiles(
  host: GitRuntime,
  gitDirectory: string,
  sha: string,
  signal: AbortSignal | undefined,
): Promise<readonly TreeEntry[]> {
  const { entries, cut } = await listTree({ runtime: host, gitDirectory }, sha, {
    maxEntries: maxFiles,
    signal,
  })
  if (cut) throw new GitError('The repository has too many files to list.')
  return entries
}

function printable(path: string): string {
  return path.slice(0, 300).replaceAll(/\p{Cc}/gu, '\uFFFD')
}
