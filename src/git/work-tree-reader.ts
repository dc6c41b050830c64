// Reads regular files and links of a work tree from the disk, up to a size limit.
import { constants } from 'node:fs'
import { lstat, open, readlink, realpath } from 'node:fs/promises'

/** git treats larger files as binary (`core.bigFileThreshold`). */
const maxWorkTreeFileBytes = 8 * 1024 * 1024

/** A file as git would commit it, or the reason why it isn't read. */
type WorkTreeFile =
  | { readonly mode: '100644' | '100755' | '120000'; readonly content: Buffer }
  | { readonly problem: string; readonly matters: boolean }

export type ReadWorkTreeFile = (path: Buffer) => Promise<WorkTreeFile>

const changedMeanwhile: WorkTreeFile = { problem: 'changed while it was looked at', matters: true }
const notARegularFile: WorkTreeFile = { problem: 'neither a file nor a link', matters: false }

/**
 * Creates a reader of a work tree. The content of a symbolic link is its target, as git commits it.
 * Files in a folder that is a link, to the inside or outside of the tree, aren't read.
 */
export function createWorkTreeReader(workTree: string): ReadWorkTreeFile {
  const root = Buffer.from(`${workTree.replace(/\/$/, '')}/`)
  const folders = new Map<string, Promise<boolean>>()
  const isPlainFolder = (folder: Buffer) => {
    const key = folder.toString('latin1')
    const result = folders.get(key) ?? hasNoSymlinks(folder)
    folders.set(key, result)
    return result
  }
  return async (path) => {
    const fullPath = Buffer.concat([root, path])
    const folder = fullPath.subarray(0, Math.max(1, fullPath.lastIndexOf(0x2f)))
    try {
      return (await isPlainFolder(folder)) ? await readEntry(fullPath) : changedMeanwhile
    } catch (error) {
      return toProblem(error)
    }
  }
}

async function readEntry(path: Buffer): Promise<WorkTreeFile> {
  const stats = await lstat(path)
  if (stats.isSymbolicLink())
    return { mode: '120000', content: await readlink(path, { encoding: 'buffer' }) }
  return stats.isFile() ? readRegular(path) : notARegularFile
}

function toProblem(error: unknown): WorkTreeFile {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return changedMeanwhile
  return { problem: `not readable (${code})`, matters: true }
}

async function hasNoSymlinks(folder: Buffer): Promise<boolean> {
  return folder.equals(await realpath(folder, { encoding: 'buffer' }))
}

/** Opens the file so that a link or a pipe that has replaced it can neither redirect nor block. */
async function readRegular(path: Buffer): Promise<WorkTreeFile> {
  await using file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  )
  const stats = await file.stat()
  if (!stats.isFile()) return notARegularFile
  if (stats.size > maxWorkTreeFileBytes) return { problem: 'larger than 8 MB', matters: true }
  const buffer = Buffer.allocUnsafe(stats.size)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return {
    mode: (stats.mode & 0o100) === 0 ? '100644' : '100755',
    content: buffer.subarray(0, length),
  }
}
