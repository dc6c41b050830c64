// What Linux says of processes (proc(5)): who descends from whom, and their CPU time, which unlike the time on the clock
// doesn't suffer much from neighbours.
import { readdirSync, readFileSync } from 'node:fs'

/** Of all threads of a process since it began, without its children, in milliseconds; 0 where it is gone. */
export function readCpuTime(pid: number): number {
  const threads = listDirectory(`/proc/${pid}/task`).map((id) => {
    const [onCpu = '0'] = readFileOrEmpty(`/proc/${pid}/task/${id}/schedstat`).split(' ')
    return Number(onCpu) / 1e6
  })
  return threads.reduce((sum, each) => sum + each, 0)
}

/**
 * Of all that a process started, and of what that started, whether it runs still or has ended: exact to 10 ms each, in
 * milliseconds (proc(5), stat).
 */
export function readDescendantsCpuTime(pid: number): number {
  const ofEnded = (one: number) => readCpuTicks(one).slice(2)
  const all = [...ofEnded(pid), ...listDescendants(pid).flatMap(readCpuTicks)]
  // In hundredths of a second on every Linux.
  return 10 * all.reduce((sum, each) => sum + each, 0)
}

/** The processes that descend from a process and run now. */
export function listDescendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of listDirectory('/proc').filter((each) => /^\d+$/.test(each)))
    parents.set(Number(name), Number(readFields(Number(name))[1]))
  const isBelow = (one: number | undefined): boolean =>
    one !== undefined && (one === pid || isBelow(parents.get(one)))
  return [...parents].filter(([, parent]) => isBelow(parent)).map(([child]) => child)
}

/** User and system time of a process, and the same of its children that have ended. */
function readCpuTicks(pid: number): number[] {
  return [11, 12, 13, 14].map((field) => Number(readFields(pid)[field] ?? 0))
}

/** From the third field on: the name before it, in brackets, may hold blanks. */
function readFields(pid: number): string[] {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The text of a file under /proc: empty where the process or the thread has just ended, and where there is no such thing. */
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
