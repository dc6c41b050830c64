// Reads process trees and CPU times on Linux (proc(5)). Other load hardly affects CPU times.
import { readdirSync, readFileSync } from 'node:fs'

/** CPU ms of all threads of a process without its children; 0 if it has exited. */
export function readCpuTime(pid: number): number {
  const threads = listDirectory(`/proc/${pid}/task`).map((id) => {
    const [onCpu = '0'] = readFileOrEmpty(`/proc/${pid}/task/${id}/schedstat`).split(' ')
    return Number(onCpu) / 1e6
  })
  return threads.reduce((sum, each) => sum + each, 0)
}

/** CPU ms of all running and exited descendants, with 10 ms precision each (proc(5), stat). */
export function readDescendantsCpuTime(pid: number): number {
  const ofEnded = (one: number) => readCpuTicks(one).slice(2)
  const all = [...ofEnded(pid), ...listDescendants(pid).flatMap(readCpuTicks)]
  // Linux reports hundredths of a second.
  return 10 * all.reduce((sum, each) => sum + each, 0)
}

/** Running descendants of a process. */
export function listDescendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of listDirectory('/proc').filter((each) => /^\d+$/.test(each)))
    parents.set(Number(name), Number(readFields(Number(name))[1]))
  const isBelow = (one: number | undefined): boolean =>
    one !== undefined && (one === pid || isBelow(parents.get(one)))
  return [...parents].filter(([, parent]) => isBelow(parent)).map(([child]) => child)
}

/** User and system time of a process and of its exited children. */
function readCpuTicks(pid: number): number[] {
  return [11, 12, 13, 14].map((field) => Number(readFields(pid)[field] ?? 0))
}

/** Fields from the third on, because the name before them may contain spaces. */
function readFields(pid: number): string[] {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The text of a file under /proc; empty if it does not exist. */
export function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
