// CPU time of processes, as Linux counts it: unlike the time on the clock it doesn't suffer much from neighbours.
import { readdirSync, readFileSync } from 'node:fs'

/** Of all threads of a process since it began, without its children, in milliseconds; 0 where it is gone. */
export function readCpuTime(pid: number): number {
  const threads = list(`/proc/${pid}/task`).map((id) => {
    const [onCpu = '0'] = read(`/proc/${pid}/task/${id}/schedstat`).split(' ')
    return Number(onCpu) / 1e6
  })
  return threads.reduce((sum, each) => sum + each, 0)
}

/** Empty where the process or the thread has just ended, and where there is no such thing. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
