// Keeps the folder of mirrors within its size.
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { acquireLock } from './lock-file.ts'
import { mirrorLockPath } from './mirror.ts'

/** What was pruned, and how many bytes the mirrors have now. */
export interface PruneReport {
  readonly removed: readonly string[]
  readonly bytes: number
}

/**
 * Removes the mirrors that were used longest ago until the others have at most `maxContentBytes`. Those used within
 * `idleMs` (default two hours, more than a review may take) or being fetched into stay: someone may be reading.
 */
export async function pruneMirrors(
  directory: string,
  maxBytes: number,
  options: { idleMs?: number } = {},
): Promise<PruneReport> {
  const names = await readdir(directory).catch(() => [])
  // What a process left that ended while it was pruning.
  const left = names.filter((name) => name.endsWith('.git.old'))
  await Promise.all(left.map((name) => rm(join(directory, name), { recursive: true, force: true })))
  const mirrors = await measureMirrors(
    directory,
    names.filter((name) => name.endsWith('.git')),
  )
  mirrors.sort((a, b) => a.usedAt - b.usedAt)
  const idleSince = Date.now() - (options.idleMs ?? 2 * 60 * 60_000)
  const removed: string[] = []
  let bytes = mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0)
  for (const mirror of mirrors) {
    if (bytes <= maxBytes) break
    if (!(await removeMirror(mirror.path, idleSince))) continue
    removed.push(mirror.name)
    bytes -= mirror.bytes
  }
  return { removed, bytes }
}

interface MeasuredMirror {
  readonly name: string
  readonly path: string
  readonly usedAt: number
  readonly bytes: number
}

async function measureMirrors(
  directory: string,
  names: readonly string[],
): Promise<MeasuredMirror[]> {
  const mirrors: MeasuredMirror[] = []
  for (const name of names) {
    const path = join(directory, name)
    const folder = await stat(path).catch(() => undefined)
    // Another process may have removed it meanwhile.
    if (folder === undefined) continue
    mirrors.push({
      name,
      path,
      usedAt: folder.mtimeMs,
      bytes: await measureFolder(path).catch(() => 0),
    })
  }
  return mirrors
}

async function removeMirror(path: string, idleSince: number): Promise<boolean> {
  try {
    await using _lock = await acquireLock(mirrorLockPath(path), { waitMs: 0 })
    if ((await stat(path)).mtimeMs > idleSince) return false
    const aside = `${path}.old`
    await rm(aside, { recursive: true, force: true })
    await rename(path, aside)
    await rm(aside, { recursive: true, force: true })
    return true
  } catch (error) {
    // Somebody is fetching into it.
    if (error instanceof GitError) return false
    throw error
  }
}

async function measureFolder(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += file?.size ?? 0
  }
  return bytes
}
