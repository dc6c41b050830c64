// Measures the duration and the peak memory of a command and its children. Linux only.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { listDescendants, readFileOrEmpty } from './processes.ts'

export interface CommandMeasurement {
  readonly milliseconds: number
  /** Sum of the peaks of concurrent processes, in bytes. */
  readonly peakBytes: number
}

/** Interval between memory samples. Shorter processes are missed. */
const sampleIntervalMs = 50

/** Runs a command. Rejects unless it exits with 0. */
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
      if (code !== 0) reject(new Error(`${command} ${args.join(' ')} exited with ${code}.`))
      else resolve({ milliseconds: performance.now() - start, peakBytes })
    })
  })
}

/** Peak memory of a process and its running descendants, in bytes (`VmHWM` of proc(5)). */
export function readPeakMemory(pid: number): number {
  const peaks = [pid, ...listDescendants(pid)].map((one) => {
    return (
      Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileOrEmpty(`/proc/${one}/status`))?.[1] ?? 0) * 1024
    )
  })
  return peaks.reduce((sum, bytes) => sum + bytes, 0)
}

/** Resets the peak that `readPeakMemory` reads (proc(5), clear_refs). */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
