// Whether a process that a test knows by its number still runs. Linux only.
import { readFileSync } from 'node:fs'

/** What ended and was fetched by nobody has a number still, and runs no more. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
