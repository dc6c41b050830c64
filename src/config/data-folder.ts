// The data folder: made where it is missing, and found out early where nothing can be kept there.
import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../domain/errors.ts'

/**
 * Makes the folder where it is missing, open to its owner only, and sees that a file in it reaches the disk.
 *
 * @param folder an absolute path
 * @throws ConfigError that says what the system has against it
 */
export async function ensureDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await writeProbe(folder)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const fault = syscall === 'mkdir' ? "can't be made" : "can't be written to"
    throw new ConfigError(
      `The data folder ${folder} ${fault} (${code}): name another one in DATA_DIR, or see to its disk and its owner.`,
    )
  }
}

/**
 * Each folder by its own call. `mkdir` with `recursive` never ends below a folder that is there and takes no folders, such as
 * `/proc`: it takes the ENOENT for a missing parent, again and again.
 */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder))
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(folder))) throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Permissions don't say all: the disk may be full, or mounted for reading only. Leaves nothing behind. */
export async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, `.check-${randomBytes(6).toString('hex')}`)
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile('umpire')
    await file.sync()
  } finally {
    await rm(path, { force: true }).catch(() => undefined)
  }
}
