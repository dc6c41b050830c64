// Starts programs for a process that is large, see run-program.ts, until that one is gone.
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
    // Gone in the meantime: then nobody waits for it.
    process.send?.(
      unstarted ? { id: run.id, error: error.message } : { id: run.id, result },
      () => {},
    )
  })
  // A program that ended without reading its input is told by its exit code.
  child.stdin?.on('error', () => {}).end(run.input)
})
