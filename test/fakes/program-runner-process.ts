// Starts programs for a larger process until that process ends, see run-program.ts.
import { execFile } from 'node:child_process'
import type { ProgramResult, ProgramRun } from './run-program.ts'

process.on('message', (run: ProgramRun & { id: number }) => {
  const options = {
    cwd: run.cwd,
    env: run.env,
    encoding: 'buffer',
    maxBuffer: Number.POSITIVE_INFINITY,
  } as const
  const child = execFile(run.program, run.args as string[], options, (error, stdout, stderr) => {
    const unstarted = error !== null && child.pid === undefined
    const result: ProgramResult = {
      code: child.exitCode ?? -1,
      stdout,
      stderr: stderr.toString('utf8'),
    }
    // The requester has ended in the meantime.
    process.send?.(
      unstarted ? { id: run.id, error: error.message } : { id: run.id, result },
      () => {},
    )
  })
  // The exit code reports a program that ended without reading its input.
  child.stdin?.on('error', () => {}).end(run.input)
})
