// Checks whether the process with a given id still runs. Linux only.
import { readFileSync } from 'node:fs'

/** A zombie process still has an id but no longer runs. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
