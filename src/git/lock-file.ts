// A lock that holds between processes: a file that names its holder and is kept fresh.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { GitError } from '../domain/errors.ts'

const HEARTBEAT_MS = 10_000
/** A holder that didn't touch its lock for so long is gone, wherever it ran. */
const STALE_MS = 60_000

/** Who holds a lock. `started` tells a process from a later one with the same id; empty where it isn't known. */
interface Holder {
  readonly host: string
  readonly pid: number
  readonly started: string
  readonly token: string
}

/**
 * Takes a lock, waiting at most `waitMs` for it. Locks of dead processes are taken over. The folder must exist.
 * Throws a retryable `GitError` when it stays taken, and the signal's reason when that is aborted.
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
  for (let pause = 10; !(await tryLock(path, holder)); pause = Math.min(pause * 2, 200)) {
    options.signal?.throwIfAborted()
    if (await removeStale(path)) continue
    if (performance.now() > deadline)
      throw new GitError('The mirror of the repository is in use.', { retryable: true })
    await pauseFor(pause, options.signal)
  }
  const heartbeat = setInterval(() => void touch(path), HEARTBEAT_MS)
  heartbeat.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat)
      // Someone may have taken it over while this process was stopped.
      if ((await readHolder(path))?.token === holder.token) await rm(path, { force: true })
    },
  }
}

/** Ends early with the signal's own reason. */
async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/** The lock appears with its holder in it: one that names none would hold until it is stale. */
async function tryLock(path: string, holder: Holder): Promise<boolean> {
  const aside = `${path}.${holder.token}`
  try {
    await writeFile(aside, JSON.stringify(holder), { mode: 0o600 })
    await link(aside, path)
    return true
  } catch (error) {
    if (isFileError(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(aside, { force: true })
  }
}

/** Takes a dead holder's lock away. Returns whether there is reason to try at once. */
async function removeStale(path: string): Promise<boolean> {
  const holder = await readHolder(path)
  if (!(await isStale(path, holder))) return false
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return true
    throw error
  }
  const moved = await readHolder(aside)
  // Another process was quicker and holds it by now: give it back.
  if (moved?.token !== holder?.token) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
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
  return (
    started === undefined || (holder.started !== '' && started !== '' && started !== holder.started)
  )
}

/** When a process of this machine started, in a form only fit for comparing; undefined when there is none. */
function readProcessStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isFileError(error, 'ESRCH')) return undefined
  }
  try {
    // proc(5): field 22 is the start time; the second field, the name, may hold spaces and brackets.
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
