// Starts programs, each in a process group that is killed as a whole.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface ProgramCommand {
  /** Is searched for on the PATH of `env`. */
  readonly program: string
  readonly args: readonly string[]
  /** The whole environment; nothing is inherited from this process. */
  readonly env: Readonly<Record<string, string>>
}

export interface RunningProgram {
  /** Its errors are ignored, because the exit code shows that a program ended without reading. */
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /**
   * Resolves to the exit code once the program has ended and its output is read, and to null when a
   * signal ended it. Never rejects.
   */
  readonly closed: Promise<number | null>
  /** Kills its process group, and discards unread output. */
  kill(): void
}

/** Starts a program. Rejects with the system's error when that fails. */
export type SpawnProgram = (command: ProgramCommand) => Promise<RunningProgram>

/** The started program is a child of this process. */
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

/** Reads the next chunk of an output; undefined at its end, and after `kill`. */
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

/** Kills the process group of a child that still runs. */
export function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) signalGroup(pid, 'SIGKILL')
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The process group has ended already.
  }
}
