// Creates the data folder if necessary, and checks early that files can be stored in it.
import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../domain/errors.ts'

/**
 * Creates the folder with access for its owner only, if it is missing, and checks that a file in it
 * can be flushed to the disk.
 *
 * @param folder an absolute path
 * @throws ConfigError with the reason of the operating system
 */
export async function ensureDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await writeProbe(folder)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const problem = syscall === 'mkdir' ? "can't be made" : "can't be written to"
    const remedy = 'name another one in DATA_DIR, or see to its disk and its owner'
    throw new ConfigError(`The data folder ${folder} ${problem} (${code}): ${remedy}.`)
  }
}

/**
 * Creates each folder by a separate call. A recursive `mkdir` never ends below a folder such as
 * `/proc` that accepts no folders, because Node takes its ENOENT for a missing parent.
 */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder))
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the folder first.
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

/** Writes a file, because permissions don't show a full or read-only disk, and removes it again. */
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
