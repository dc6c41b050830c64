// Checks the data folder and the disk that it is on.
import { stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeProbe } from '../../config/data-folder.ts'
import { type Observation, ok, problem, warning } from './check.ts'

const megabyte = 1024 * 1024
/** Below this the service stops taking deliveries. */
const minFreeBytes = 64 * megabyte
const lowFreeBytes = 1024 * megabyte

/** Whether it is there, can be written to, and only by us. */
export async function checkDataFolder(folder: string): Promise<Observation> {
  const found = await statOrNull(folder)
  if (found === null) return checkParent(folder)
  if (!found.isDirectory())
    return problem(`${folder} is no folder.`, 'Name another one in DATA_DIR.')
  const fault = await tryToWrite(folder)
  if (fault !== null) {
    const remedy = 'Give it to the user that the service runs as, or name another one in DATA_DIR.'
    return problem(`${folder} can't be written to (${fault}).`, remedy)
  }
  if ((found.mode & 0o077) !== 0) {
    return warning(
      `${folder} is open to other users, and holds keys and code.`,
      `chmod 700 ${folder}`,
    )
  }
  return ok(`${folder} can be written to, by its owner only.`)
}

async function checkParent(folder: string): Promise<Observation> {
  const parent = await findExisting(folder)
  const fault = await tryToWrite(parent)
  if (fault === null)
    return ok(`${folder} isn't there yet: the service makes it at its first start.`)
  const remedy =
    'Make it, owned by the user that the service runs as, or name another one in DATA_DIR.'
  return problem(`${folder} isn't there, and can't be made in ${parent} (${fault}).`, remedy)
}

/** What the system has against it; null for nothing. */
async function tryToWrite(folder: string): Promise<string | null> {
  try {
    await writeProbe(folder)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** Whether there is room where the folder is, or is to be. */
export async function checkDisk(folder: string): Promise<Observation> {
  const { bavail, bsize } = await statfs(await findExisting(folder))
  return assessFreeSpace(bavail * bsize, folder)
}

/** @param freeBytes for users without privileges */
export function assessFreeSpace(freeBytes: number, folder: string): Observation {
  const amount = `${describeSize(freeBytes)} are free where ${folder} is`
  if (freeBytes >= lowFreeBytes) return ok(`${amount}.`)
  const remedy = `Make room: ${join(folder, 'mirrors')} is a cache and may be deleted.`
  if (freeBytes >= minFreeBytes) return warning(`Only ${amount}.`, remedy)
  return problem(`Only ${amount}: deliveries can't be stored.`, remedy)
}

function describeSize(bytes: number): string {
  const megabytes = Math.floor(bytes / megabyte)
  return megabytes < 1024 ? `${megabytes} MB` : `${Math.floor(megabytes / 1024)} GB`
}

async function findExisting(folder: string): Promise<string> {
  let path = folder
  while (path !== dirname(path) && (await statOrNull(path)) === null) path = dirname(path)
  return path
}

async function statOrNull(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}
