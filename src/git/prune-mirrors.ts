// Deletes the least recently used mirrors when their folder exceeds its size limit.
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { acquireLock } from './lock-file.ts'
import { mirrorLockPath } from './mirror.ts'
import { discardMirror } from './mirror-folder.ts'

interface PruneReport {
  readonly removed: readonly string[]
  /** The remaining mirrors have this size. */
  readonly bytes: number
}

/** No review takes longer. */
const idleMs = 2 * 60 * 60_000

/**
 * Removes the least recently used mirrors until the others have at most `maxBytes`. Mirrors that
 * were used within `idleMs` or are being fetched into stay, because a review may be reading them.
 */
export async function pruneMirrors(directory: string, maxBytes: number): Promise<PruneReport> {
  const names = await readdir(directory).catch(() => [])
  await removeLeftovers(directory, names)
  const mirrorNames = names.filter((name) => name.endsWith('.git'))
  const mirrors = await measureMirrors(directory, mirrorNames)
  mirrors.sort((a, b) => a.usedAt - b.usedAt)
  const idleSince = Date.now() - idleMs
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

/** Removes mirrors that a process was deleting when it ended. */
async function removeLeftovers(directory: string, names: readonly string[]): Promise<void> {
  const leftovers = names.filter((name) => name.endsWith('.git.old'))
  await Promise.all(
    leftovers.map((name) => rm(join(directory, name), { recursive: true, force: true })),
  )
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
    // Another process may have removed the mirror in the meantime.
    if (folder === undefined) continue
    const bytes = await measureFolder(path).catch(() => 0)
    mirrors.push({ name, path, usedAt: folder.mtimeMs, bytes })
  }
  return mirrors
}

async function removeMirror(path: string, idleSince: number): Promise<boolean> {
  try {
    await using _lock = await acquireLock(mirrorLockPath(path), { waitMs: 0 })
    if ((await stat(path)).mtimeMs > idleSince) return false
    await discardMirror(path)
    return true
  } catch (error) {
    // The lock is in use, so a fetch into this mirror is running.
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
