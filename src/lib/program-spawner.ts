// Starts programs from a small helper process, because forking a large one blocks it for long.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { SpawnerRequest, SpawnerResponse } from './program-spawner-process.ts'
import {
  type ProgramCommand,
  type RunningProgram,
  type SpawnProgram,
  spawnProgram,
} from './spawn-program.ts'

export interface ProgramSpawner extends AsyncDisposable {
  readonly spawn: SpawnProgram
}

/**
 * Makes a spawner. The helper process starts with the first program. When it dies, its programs
 * end, and the next program starts another one.
 *
 * @param folder holds the socket, so old files in it must not be cleaned up. When its path is too
 *   long for a socket, programs are started from this process.
 */
export function createProgramSpawner(folder: string): ProgramSpawner {
  let current: Promise<SpawnerProcess | undefined> | undefined
  let isClosed = false
  const open = () => {
    const opening = openSpawnerProcess(folder, () => {
      if (current === opening) current = undefined
    })
    return opening
  }
  return {
    async spawn(program) {
      if (isClosed) throw new Error('The program spawner is closed.')
      current ??= open()
      const spawner = await current
      return spawner === undefined ? spawnProgram(program) : spawner.start(program)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await (await current)?.end()
    },
  }
}

interface SpawnerProcess {
  readonly start: SpawnProgram
  end(): Promise<void>
}

interface PendingProgram {
  settle(answer: SpawnerResponse): void
  /** Called when the helper process has died, and the program with it. */
  lose(): void
}

/** @returns undefined when no helper process can run */
async function openSpawnerProcess(
  folder: string,
  onLost: () => void,
): Promise<SpawnerProcess | undefined> {
  const child = fork(new URL('./program-spawner-process.ts', import.meta.url), [folder], {
    // Signals from a terminal must not end it before this process, which may still need it.
    detached: true,
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit').catch(() => {})
  const pending = new Map<number, PendingProgram>()
  const ready = Promise.withResolvers<string | undefined>()
  child.on('message', (answer: SpawnerResponse) => {
    if (answer.kind === 'ready') ready.resolve(answer.path)
    else pending.get(answer.id)?.settle(answer)
  })
  void exited.then(() => {
    ready.resolve(undefined)
    for (const program of pending.values()) program.lose()
  })
  const path = await ready.promise
  child.unref()
  child.channel?.unref()
  if (path === undefined) return undefined
  void exited.then(onLost)
  let lastId = 0
  return {
    start: (program) => {
      lastId += 1
      return spawnThrough(child, { path, pending, id: lastId, program })
    },
    async end() {
      child.ref()
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

interface SpawnTask {
  readonly path: string
  readonly pending: Map<number, PendingProgram>
  readonly id: number
  readonly program: ProgramCommand
}

/** Starts a program whose input and output are sockets to this process. */
async function spawnThrough(
  child: ChildProcess,
  { path, pending, id, program }: SpawnTask,
): Promise<RunningProgram> {
  const started = Promise.withResolvers<void>()
  let isRunning = false
  const sockets = (['stdin', 'stdout', 'stderr'] as const).map((stream) => {
    const socket = connect(path).on('error', (cause) => {
      // Once the program is running, a failed socket is seen as its end.
      if (isRunning) return
      started.reject(new Error('The process that starts programs can not be reached.', { cause }))
      child.kill('SIGKILL')
    })
    socket.write(`${id} ${stream}\n`)
    return socket
  }) as [Socket, Socket, Socket]
  const [stdin, stdout, stderr] = sockets
  const exited = Promise.withResolvers<number | null>()
  let isKilled = false
  const end = (code: number | null) => {
    pending.delete(id)
    if (pending.size === 0) child.channel?.unref()
    for (const socket of isKilled ? sockets : [stdin]) socket.destroy()
    exited.resolve(code)
  }
  child.channel?.ref()
  pending.set(id, {
    settle(answer) {
      if (answer.kind === 'started') {
        isRunning = true
        started.resolve()
      }
      if (answer.kind === 'exited') end(answer.code)
      if (answer.kind === 'failed') {
        started.reject(
          Object.assign(new Error(answer.message), { code: answer.code, syscall: answer.syscall }),
        )
        end(null)
      }
    },
    lose() {
      started.reject(new Error('The process that starts programs was lost.'))
      for (const socket of sockets) socket.destroy()
      end(null)
    },
  })
  const request: SpawnerRequest = { kind: 'start', id, ...program }
  child.send(request, () => {})
  try {
    await started.promise
  } catch (error) {
    for (const socket of sockets) socket.destroy()
    throw error
  }
  return {
    stdin,
    stdout,
    stderr,
    closed: Promise.all([exited.promise, waitForClose(stdout), waitForClose(stderr)]).then(
      ([code]) => code,
    ),
    kill() {
      isKilled = true
      const killRequest: SpawnerRequest = { kind: 'kill', id }
      // Closing its outputs first could end it with an exit code, as if it wasn't killed.
      if (pending.has(id) && child.connected) child.send(killRequest, () => {})
      else for (const socket of sockets) socket.destroy()
    },
  }
}

function waitForClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}
