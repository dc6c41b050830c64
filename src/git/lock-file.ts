// A lock between processes: a file that names its holder, with a heartbeat.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { GitError } from '../domain/errors.ts'
import { delay } from '../lib/abortable.ts'

const HEARTBEAT_MS = 10_000
/** After this time without a heartbeat the holder is taken for dead, on any machine. */
const STALE_MS = 60_000

/**
 * `started` distinguishes a process from a later one with the same id; it is empty if unknown.
 */
interface Holder {
  readonly host: string
  readonly pid: number
  readonly started: string
  readonly token: string
}

/**
 * Acquires a lock, waiting at most `waitMs` for it. Locks of dead processes are taken over. The
 * folder must exist. Throws a retryable `GitError` if the lock stays in use, and the signal's
 * reason when that is aborted.
 */
export async function acquireLock(
  path: string,
  options: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<AsyncDisposable> {
  const holder: Holder = {
    host: hostname(),
    pid: process.pid,
    started: readProcessStart(process.pid) ?? '',
    token: randomUUID(),
  }
  const deadline = performance.now() + options.waitMs
  let pauseMs = 10
  while (!(await tryLock(path, holder))) {
    options.signal?.throwIfAborted()
    const wasRemoved = await removeStale(path)
    if (!wasRemoved) {
      if (performance.now() > deadline)
        throw new GitError('The mirror of the repository is in use.', { retryable: true })
      await delay(pauseMs, options.signal)
    }
    pauseMs = Math.min(pauseMs * 2, 200)
  }
  const heartbeat = setInterval(() => void touch(path), HEARTBEAT_MS)
  heartbeat.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat)
      // Another process may have taken the lock over while this one was suspended.
      if ((await readHolder(path))?.token === holder.token) await rm(path, { force: true })
    },
  }
}

/** Links a complete file, because a lock without a holder would stay until it is stale. */
async function tryLock(path: string, holder: Holder): Promise<boolean> {
  const draft = `${path}.${holder.token}`
  try {
    await writeFile(draft, JSON.stringify(holder), { mode: 0o600 })
    await link(draft, path)
    return true
  } catch (error) {
    if (isFileError(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes a dead holder's lock. Returns whether the lock can be tried again immediately. */
async function removeStale(path: string): Promise<boolean> {
  const holder = await readHolder(path)
  if (!(await isStale(path, holder))) return false
  const movedPath = `${path}.${randomUUID()}`
  try {
    await rename(path, movedPath)
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return true
    throw error
  }
  const movedHolder = await readHolder(movedPath)
  // If another process acquired the lock in between, restore it.
  if (movedHolder?.token !== holder?.token) await link(movedPath, path).catch(() => undefined)
  await rm(movedPath, { force: true })
  return true
}

async function isStale(path: string, holder: Holder | undefined): Promise<boolean> {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  if (age > STALE_MS) return true
  if (holder?.host !== hostname()) return false
  const started = readProcessStart(holder.pid)
  if (started === undefined) return true
  const areKnown = holder.started !== '' && started !== ''
  return areKnown && started !== holder.started
}

/**
 * The start time of a process of this machine, only for comparing: empty if unknown, undefined if
 * there is no such process.
 */
function readProcessStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isFileError(error, 'ESRCH')) return undefined
  }
  try {
    // In proc(5) field 22 is the start time; field 2, the name, may contain spaces and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now).catch(() => undefined)
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
