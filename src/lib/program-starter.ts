// Starts programs by a small process: to fork a large one takes tens of milliseconds, in which nothing else goes on.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { StarterAnswer, StarterRequest } from './program-starter-process.ts'
import {
  type ProgramStart,
  type RunningProgram,
  type StartProgram,
  startHere,
} from './running-program.ts'

export interface ProgramStarter extends AsyncDisposable {
  readonly start: StartProgram
}

/**
 * Makes a starter. Its process begins with the first program; should it be lost, so are its programs, and the next one begins another.
 *
 * @param folder for its socket; nobody should clear it of what is old. Where its path is too long for one, programs are started from here
 */
export function createProgramStarter(folder: string): ProgramStarter {
  let current: Promise<Starter | undefined> | undefined
  let isClosed = false
  const open = () => {
    const opening = openStarter(folder, () => {
      if (current === opening) current = undefined
    })
    return opening
  }
  return {
    async start(program) {
      if (isClosed) throw new Error('The starter of programs is closed.')
      current ??= open()
      const starter = await current
      return starter === undefined ? startHere(program) : starter.start(program)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await (await current)?.end()
    },
  }
}

interface Starter {
  readonly start: StartProgram
  end(): Promise<void>
}

interface Waiting {
  settle(answer: StarterAnswer): void
  /** The starter is gone, and the program with it. */
  lose(): void
}

/** @returns undefined where there can be none */
async function openStarter(folder: string, onLost: () => void): Promise<Starter | undefined> {
  const child = fork(new URL('./program-starter-process.ts', import.meta.url), [folder], {
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
  child.on('message', (answer: StarterAnswer) => {
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
    start: (program) => startBy(child, { path, waiting, id: ++lastId, program }),
    async end() {
      child.ref()
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

interface Start {
  readonly path: string
  readonly waiting: Map<number, Waiting>
  readonly id: number
  readonly program: ProgramStart
}

/** The program's input and output are sockets between it and this process: the starter only passes them on. */
async function startBy(
  child: ChildProcess,
  { path, waiting, id, program }: Start,
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
  const request: StarterRequest = { kind: 'start', id, ...program }
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
      const end: StarterRequest = { kind: 'kill', id }
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
