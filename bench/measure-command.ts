// Runs a command and says how long it took and how much memory it and its children had at most. Linux only.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { listDescendants, readFileOrEmpty } from './processes.ts'

export interface CommandMeasurement {
  readonly milliseconds: number
  /** The sum over the processes that ran together, each with its own most, in bytes. */
  readonly peakBytes: number
}

/** Between two looks at the memory: what comes and goes in between isn't seen, but for each process's own peak. */
const sampleIntervalMs = 50

/** Runs a command to its end; it must end with 0. */
export function measureCommand(
  [command, ...args]: readonly [string, ...string[]],
  options: { cwd: string; env: Record<string, string | undefined> },
): Promise<CommandMeasurement> {
  const start = performance.now()
  const child = spawn(command, args, { ...options, stdio: 'ignore' })
  let peakBytes = 0
  const look = () => {
    if (child.pid !== undefined) peakBytes = Math.max(peakBytes, readPeakMemory(child.pid))
  }
  const timer = setInterval(look, sampleIntervalMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(timer)
      if (code !== 0) reject(new Error(`${command} ${args.join(' ')} ended with ${code}.`))
      else resolve({ milliseconds: performance.now() - start, peakBytes })
    })
  })
}

/** Peak memory of a process and of all that descend from it and run now, in bytes (`VmHWM` of proc(5)). */
export function readPeakMemory(pid: number): number {
  const peaks = [pid, ...listDescendants(pid)].map((one) => {
    return (
      Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileOrEmpty(`/proc/${one}/status`))?.[1] ?? 0) * 1024
    )
  })
  return peaks.reduce((sum, bytes) => sum + bytes, 0)
}

/** Makes a process forget its peak: from now on `readPeakMemory` tells what it comes to from here (proc(5), clear_refs). */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
