// Speaks MCP with a program on its stdin and stdout. Unlike the SDK's own way it ends what the program started, reads no
// more than so much between two questions, and passes on no environment but what it is given.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { UmpireError } from '../../domain/errors.ts'

/** How long a program may take to leave of its own accord, and again when it is told to. */
const graceMs = 1000

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** All of it. */
  readonly env: Readonly<Record<string, string>>
  /** Most that it may write until it is asked something again, in bytes. */
  readonly maxBytes: number
}

/** It is started without a shell. */
export function createProgramTransport(program: Program): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: 2 * program.maxBytes })
  let child: ChildProcess | null = null
  let left = program.maxBytes

  function read(chunk: Buffer): void {
    left -= chunk.length
    if (left < 0) {
      // It ends with the connection: whoever waits is told so.
      buffer.clear()
      void transport.close()
      return
    }
    buffer.append(chunk)
    for (let message = readMessage(); message !== null; message = readMessage())
      transport.onmessage?.(message)
  }

  /** What isn't a message is let be: programs write greetings and warnings. */
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
      // A group of its own, so that its children can be ended with it.
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
      left = program.maxBytes
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

/** Asks it to leave, tells it to, then ends it; what it started as well. */
async function endProgram(child: ChildProcess): Promise<void> {
  child.stdout?.removeAllListeners('data').destroy()
  child.stdin?.end()
  if (child.pid === undefined) return
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
  for (const signal of [null, 'SIGTERM'] as const) {
    if (signal !== null) signalGroup(child.pid, signal)
    if (await Promise.race([gone.then(() => true), wait(graceMs, false, { ref: false })])) break
  }
  signalGroup(child.pid, 'SIGKILL')
  child.stdin?.destroy()
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // All of them are gone.
  }
}
