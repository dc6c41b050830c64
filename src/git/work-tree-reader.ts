// Reads files of a work tree as they are on the disk: no links, no pipes or devices, never more than a bound.
import { constants } from 'node:fs'
import { lstat, open, readlink, realpath } from 'node:fs/promises'

/** What git would make a larger file of is binary anyway. */
export const maxWorkTreeFileBytes = 8 * 1024 * 1024

/** A file as git would commit it, or why it isn't read. */
export type WorkTreeFile =
  | { readonly mode: '100644' | '100755' | '120000'; readonly content: Buffer }
  | { readonly problem: string; readonly matters: boolean }

export type ReadWorkTreeFile = (path: Buffer) => Promise<WorkTreeFile>

const changedMeanwhile: WorkTreeFile = { problem: 'changed while it was looked at', matters: true }
const notARegularFile: WorkTreeFile = { problem: 'neither a file nor a link', matters: false }

/**
 * Makes the reader of a work tree. Of a symbolic link it gives the name that it holds, as git commits it. What lies
 * behind a folder that is a link, inside the tree or out of it, isn't read.
 */
export function createWorkTreeReader(workTree: string): ReadWorkTreeFile {
  const root = Buffer.from(`${workTree.replace(/\/$/, '')}/`)
  const folders = new Map<string, Promise<boolean>>()
  const isPlainFolder = (folder: Buffer) => {
    const key = folder.toString('latin1')
    const known = folders.get(key) ?? hasNoSymlinks(folder)
    folders.set(key, known)
    return known
  }
  return async (path) => {
    const whole = Buffer.concat([root, path])
    try {
      if (!(await isPlainFolder(whole.subarray(0, Math.max(1, whole.lastIndexOf(0x2f))))))
        return changedMeanwhile
      const found = await lstat(whole)
      if (found.isSymbolicLink())
        return { mode: '120000', content: await readlink(whole, { encoding: 'buffer' }) }
      return found.isFile() ? await readRegular(whole) : notARegularFile
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
        ? changedMeanwhile
        : { problem: `not readable (${code ?? 'unknown error'})`, matters: true }
    }
  }
}

async function hasNoSymlinks(folder: Buffer): Promise<boolean> {
  return folder.equals(await realpath(folder, { encoding: 'buffer' }))
}

/** Opened so that neither a link nor a pipe that took the file's place does harm. */
async function readRegular(path: Buffer): Promise<WorkTreeFile> {
  await using file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  )
  const found = await file.stat()
  if (!found.isFile()) return notARegularFile
  if (found.size > maxWorkTreeFileBytes) return { problem: 'larger than 8 MB', matters: true }
  const buffer = Buffer.allocUnsafe(found.size)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return {
    mode: (found.mode & 0o100) === 0 ? '100644' : '100755',
    content: buffer.subarray(0, length),
  }
}
