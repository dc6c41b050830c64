// Runs programs from a small process: a fork of a process with a database copies large page tables.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ProgramRun {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** The standard input; empty by default. */
  readonly input?: Uint8Array | string
}

/** The output of a program and its exit code: -1 if a signal ended it. */
export interface ProgramResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

type Answer = { readonly id: number } & (
  | { readonly result: ProgramResult }
  | { readonly error: string }
)

interface Runner {
  readonly child: ChildProcess
  readonly waiting: Map<number, PromiseWithResolvers<ProgramResult>>
}

/** One runner per process, for the lifetime of that process. */
let runner: Runner | undefined
let lastRunId = 0

/** Runs a program to its end, with any exit code. Throws if it can't be started. */
export function runProgram(run: ProgramRun): Promise<ProgramResult> {
  runner ??= startRunner()
  const { child, waiting } = runner
  const id = ++lastRunId
  const result = Promise.withResolvers<ProgramResult>()
  waiting.set(id, result)
  child.channel?.ref()
  child.send({ ...run, id })
  return result.promise
}

function startRunner(): Runner {
  const child = fork(fileURLToPath(new URL('./program-runner-process.ts', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [],
    env: {},
  })
  const waiting: Runner['waiting'] = new Map()
  child.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) child.channel?.unref()
    if ('error' in answer) asked?.reject(new Error(answer.error))
    else asked?.resolve({ ...answer.result, stdout: Buffer.from(answer.result.stdout) })
  })
  child.once('exit', () => {
    for (const asked of waiting.values())
      asked.reject(new Error('The process that starts programs has ended.'))
    runner = undefined
  })
  // Only pending programs keep this process alive.
  child.unref()
  return { child, waiting }
}
