// Starts programs by a small process: to fork a large one takes tens of milliseconds, in which nothing else goes on.
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
 * Makes a starter. Its process begins with the first program; should it be lost, so are its programs, and the next one begins another.
 *
 * @param folder for its socket; nobody should clear it of what is old. Where its path is too long for one, programs are started from here
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
      if (isClosed) throw new Error('The starter of programs is closed.')
      current ??= open()
      const starter = await current
      return starter === undefined ? spawnProgram(program) : starter.start(program)
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

interface Waiting {
  settle(answer: SpawnerResponse): void
  /** The starter is gone, and the program with it. */
  lose(): void
}

/** @returns undefined where there can be none */
async function openSpawnerProcess(
  folder: string,
  onLost: () => void,
): Promise<SpawnerProcess | undefined> {
  const child = fork(new URL('./program-spawner-process.ts', import.meta.url), [folder], {
    // It outlives what a terminal tells this process, which may still need it: it ends when this process does.
    detached: true,
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const gone = once(child, 'exit').catch(() => {})
  const waiting = new Map<number, Waiting>()
  const ready = Promise.withResolvers<string | undefined>()
  child.on('message', (answer: SpawnerResponse) => {
    if (answer.kind === 'ready') ready.resolve(answer.path)
    else waiting.get(answer.id)?.settle(answer)
  })
  void gone.then(() => {
    ready.resolve(undefined)
    for (const one of waiting.values()) one.lose()
  })
  const path = await ready.promise
  child.unref()
  child.channel?.unref()
  if (path === undefined) return undefined
  void gone.then(onLost)
  let lastId = 0
  return {
    start: (program) => spawnThrough(child, { path, waiting, id: ++lastId, program }),
    async end() {
      child.ref()
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

interface SpawnTask {
  readonly path: string
  readonly waiting: Map<number, Waiting>
  readonly id: number
  readonly program: ProgramCommand
}

/** The program's input and output are sockets between it and this process: the starter only passes them on. */
async function spawnThrough(
  child: ChildProcess,
  { path, waiting, id, program }: SpawnTask,
): Promise<RunningProgram> {
  const started = Promise.withResolvers<void>()
  let isRunning = false
  const sockets = (['stdin', 'stdout', 'stderr'] as const).map((stream) => {
    const socket = connect(path).on('error', (cause) => {
      // Once it runs, what is wrong with one is told by its end.
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
    waiting.delete(id)
    if (waiting.size === 0) child.channel?.unref()
    for (const socket of isKilled ? sockets : [stdin]) socket.destroy()
    exited.resolve(code)
  }
  child.channel?.ref()
  waiting.set(id, {
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
    ...{ stdin, stdout, stderr },
    closed: Promise.all([exited.promise, closing(stdout), closing(stderr)]).then(([code]) => code),
    kill() {
      isKilled = true
      const end: SpawnerRequest = { kind: 'kill', id }
      // Were its outputs closed first, it could end by that, as if by itself.
      if (waiting.has(id) && child.connected) child.send(end, () => {})
      else for (const socket of sockets) socket.destroy()
    },
  }
}

function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}
