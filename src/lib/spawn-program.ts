// Starts programs, each in a process group of its own, which is ended as a whole.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface ProgramCommand {
  /** Looked for on the PATH of `env`. */
  readonly program: string
  readonly args: readonly string[]
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface RunningProgram {
  /** Errors of it are nobody's: a program that ends without reading is told by its exit code. */
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Its exit code when it has ended and its output was read to the end; null where a signal ended it. Never rejects. */
  readonly closed: Promise<number | null>
  /** Ends it with all that it started, and what it said and nobody has read is lost. */
  kill(): void
}

/** Starts a program. Rejects with the error of the system where that fails. */
export type SpawnProgram = (start: ProgramCommand) => Promise<RunningProgram>

/** Starts it as a child of this process. */
export const spawnProgram: SpawnProgram = async ({ program, args, env }) => {
  const child = spawn(program, args, {
    cwd: '/',
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const closed = once(child, 'close').then(([code]) => code as number | null)
  closed.catch(() => {})
  child.stdin.on('error', () => {})
  if (child.pid === undefined) await once(child, 'spawn')
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    closed,
    kill() {
      killGroup(child)
      for (const stream of child.stdio) stream?.destroy()
    },
  }
}

/** The next piece of an output; undefined at its end, and where the program was ended from here. */
export async function readChunk(
  output: AsyncIterator<Buffer, undefined>,
): Promise<Buffer | undefined> {
  try {
    return (await output.next()).value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') return undefined
    throw error
  }
}

/** Ends a child, and whatever it started, where it still runs. */
export function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
