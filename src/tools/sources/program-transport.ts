// An MCP transport over a program's stdin and stdout.
//
// Unlike the SDK's transport it ends the child processes of the program, bounds what it reads
// between two requests, and passes on only the environment that it is given.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { UmpireError } from '../../domain/errors.ts'
import { signalGroup } from '../../lib/spawn-program.ts'

/** Time to exit after stdin is closed, and again after SIGTERM. */
const exitGraceMs = 1000

interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment; nothing is inherited from this process. */
  readonly env: Readonly<Record<string, string>>
  /** The program may write at most this much between two requests. */
  readonly maxBytes: number
}

/** Makes the transport. The program is started without a shell. */
export function createProgramTransport(program: Program): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: 2 * program.maxBytes })
  let child: ChildProcess | null = null
  let remainingBytes = program.maxBytes

  function read(chunk: Buffer): void {
    remainingBytes -= chunk.length
    if (remainingBytes < 0) {
      // Closing the connection rejects the pending requests.
      buffer.clear()
      void transport.close()
      return
    }
    buffer.append(chunk)
    for (let message = readMessage(); message !== null; message = readMessage())
      transport.onmessage?.(message)
  }

  /** Skips lines that are not messages, because programs print greetings and warnings. */
  function readMessage(): JSONRPCMessage | null {
    for (;;) {
      try {
        return buffer.readMessage()
      } catch (error) {
        transport.onerror?.(error as Error)
      }
    }
  }

  const transport: Transport = {
    async start() {
      const { command, args, env } = program
      // A detached program leads a process group, so its children can be ended with it.
      const started = spawn(command, args, {
        env,
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
      })
      child = started
      started.stdin.on('error', (error) => transport.onerror?.(error))
      started.stdout.on('data', read)
      started.once('exit', () => void transport.close())
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve)
        started.once('error', () =>
          reject(new UmpireError('source_failed', 'its program could not be started')),
        )
      })
    },
    async send(message) {
      const stdin = child?.stdin
      if (!stdin?.writable) throw new UmpireError('source_failed', 'its program ended')
      remainingBytes = program.maxBytes
      await new Promise<void>((resolve, reject) => {
        stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
      })
    },
    async close() {
      if (child === null) return
      const ending = child
      child = null
      transport.onclose?.()
      await endProgram(ending)
    },
  }
  return transport
}

/** Closes stdin, then sends SIGTERM, then SIGKILL, to the program and its children. */
async function endProgram(child: ChildProcess): Promise<void> {
  child.stdout?.removeAllListeners('data').destroy()
  child.stdin?.end()
  if (child.pid === undefined) return
  const exited = new Promise<true>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(true)
    else child.once('exit', () => resolve(true))
  })
  const exitsInTime = () =>
    Promise.race([exited, wait(exitGraceMs, false as const, { ref: false })])
  if (!(await exitsInTime())) {
    signalGroup(child.pid, 'SIGTERM')
    await exitsInTime()
  }
  // The program's children may still run after the program has exited.
  signalGroup(child.pid, 'SIGKILL')
  child.stdin?.destroy()
}
