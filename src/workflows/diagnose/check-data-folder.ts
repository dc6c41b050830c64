// Checks the data directory and the free space of its disk.
import { stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeProbe } from '../../config/data-folder.ts'
import { type Observation, ok, problem, warning } from './check.ts'

const megabyte = 1024 * 1024
/** The service rejects deliveries when less is free. */
const minFreeBytes = 64 * megabyte
const lowFreeBytes = 1024 * megabyte

/** Checks whether the directory exists and only its owner can use it. */
export async function checkDataFolder(directory: string): Promise<Observation> {
  const found = await statOrNull(directory)
  if (found === null) return checkParent(directory)
  if (!found.isDirectory())
    return problem(`${directory} is not a directory.`, 'Set DATA_DIR to another directory.')
  const errorCode = await tryToWrite(directory)
  if (errorCode !== null) {
    const remedy = 'Make the user of the service its owner, or set DATA_DIR to another directory.'
    return problem(`${directory} can't be written to (${errorCode}).`, remedy)
  }
  if ((found.mode & 0o077) !== 0) {
    return warning(
      `${directory} contains keys and code, and other users can access it.`,
      `chmod 700 ${directory}`,
    )
  }
  return ok(`${directory} can be written to, by its owner only.`)
}

async function checkParent(directory: string): Promise<Observation> {
  const parent = await findExisting(directory)
  const errorCode = await tryToWrite(parent)
  if (errorCode === null)
    return ok(`${directory} doesn't exist yet: the service creates it at its first start.`)
  const remedy = 'Create it for the user of the service, or set DATA_DIR to another directory.'
  return problem(`${directory} can't be created in ${parent} (${errorCode}).`, remedy)
}

/** Returns the system's error code, or null if the directory can be written to. */
async function tryToWrite(directory: string): Promise<string | null> {
  try {
    await writeProbe(directory)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** Checks the free space of the disk that the directory is on, or will be on. */
export async function checkDisk(directory: string): Promise<Observation> {
  const { bavail, bsize } = await statfs(await findExisting(directory))
  return assessFreeSpace(bavail * bsize, directory)
}

/** @param freeBytes the free space for unprivileged users */
export function assessFreeSpace(freeBytes: number, directory: string): Observation {
  const amount = `${describeSize(freeBytes)} are free where ${directory} is`
  if (freeBytes >= lowFreeBytes) return ok(`${amount}.`)
  const remedy = `Free some space: ${join(directory, 'mirrors')} is a cache and may be deleted.`
  if (freeBytes >= minFreeBytes) return warning(`Only ${amount}.`, remedy)
  return problem(`Only ${amount}: deliveries can't be stored.`, remedy)
}

function describeSize(bytes: number): string {
  const megabytes = Math.floor(bytes / megabyte)
  return megabytes < 1024 ? `${megabytes} MB` : `${Math.floor(megabytes / 1024)} GB`
}

async function findExisting(directory: string): Promise<string> {
  let path = directory
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
