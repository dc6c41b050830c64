// The helper process of program-spawner.ts, which ends with its parent and kills all programs.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { killGroup, type ProgramCommand } from './spawn-program.ts'

export type SpawnerRequest =
  | ({ readonly kind: 'start'; readonly id: number } & ProgramCommand)
  | { readonly kind: 'kill'; readonly id: number }

export type SpawnerResponse =
  /** Has the socket to connect to for each stream of a program, with a line `<id> <stream>`. */
  | { readonly kind: 'ready'; readonly path: string }
  /** The program now reads its input. */
  | { readonly kind: 'started'; readonly id: number }
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly message: string
      readonly code: string
      readonly syscall: string
    }
  | { readonly kind: 'exited'; readonly id: number; readonly code: number | null }

interface PendingProgram {
  start?: ProgramCommand
  stdin?: Socket
  stdout?: Socket
  stderr?: Socket
}

const pendingPrograms = new Map<number, PendingProgram>()
const running = new Map<number, ChildProcess>()
const header = /^(\d+) (stdin|stdout|stderr)\n$/

const parent = process.argv[2]!
mkdirSync(parent, { recursive: true, mode: 0o700 })
// mkdtemp makes the folder accessible only to this user.
const folder = mkdtempSync(join(parent, 'programs-'))
const path = join(folder, 'socket')
const server = createServer((socket) => {
  socket.on('error', () => socket.destroy())
  // The client sends nothing else before the program runs, so the line arrives in one chunk.
  socket.once('data', (line) => {
    const [, id, stream] = header.exec(line.toString('latin1')) ?? []
    if (id === undefined) socket.destroy()
    else addPending(Number(id), { [stream as string]: socket })
  })
})
server.listen(path, () => answer({ kind: 'ready', path }))
server.on('error', () => process.disconnect())
process.on('message', (request: SpawnerRequest) => {
  if (request.kind === 'start') addPending(request.id, { start: request })
  else {
    const child = running.get(request.id)
    if (child !== undefined) killGroup(child)
  }
})
process.on('disconnect', end)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

function addPending(id: number, part: PendingProgram): void {
  const all = { ...pendingPrograms.get(id), ...part }
  pendingPrograms.set(id, all)
  const { start, stdin, stdout, stderr } = all
  if (start === undefined || stdin === undefined || stdout === undefined || stderr === undefined)
    return
  pendingPrograms.delete(id)
  run(id, start, [stdin, stdout, stderr])
}

function run(
  id: number,
  { program, args, env }: ProgramCommand,
  sockets: [Socket, Socket, Socket],
): void {
  const child = spawn(program, args, { cwd: '/', env, stdio: sockets, detached: true })
  // The program has its own copies; with ours open, readers would not see its end.
  for (const socket of sockets) socket.destroy()
  child.on('error', (error: NodeJS.ErrnoException) => {
    running.delete(id)
    const { message, code = '', syscall = '' } = error
    answer({ kind: 'failed', id, message, code, syscall })
  })
  if (child.pid === undefined) return
  running.set(id, child)
  child.on('exit', (code) => {
    running.delete(id)
    answer({ kind: 'exited', id, code })
  })
  answer({ kind: 'started', id })
}

function answer(message: SpawnerResponse): void {
  // The parent may have disconnected in the meantime, and then needs no answer.
  process.send?.(message, () => {})
}

/** Closes everything that keeps this process alive. */
function end(): void {
  for (const child of running.values()) killGroup(child)
  for (const { stdin, stdout, stderr } of pendingPrograms.values())
    for (const socket of [stdin, stdout, stderr]) socket?.destroy()
  server.close()
  rmSync(folder, { recursive: true, force: true })
}
