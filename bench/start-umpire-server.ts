// Starts the receiver and API of Umpire as a measured process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url))

export interface RunningServer extends AsyncDisposable {
  readonly port: number
  readonly pid: number
}

/** Starts `umpire serve --no-worker` with only this environment. Resolves when it listens. */
export async function startUmpireServer(
  environment: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const child = spawn(process.execPath, [cli, 'serve', '--no-worker'], {
    env: { PATH: process.env.PATH, PORT: '0', ...environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const port = await readListeningPort(
    child,
    child.stderr as NodeJS.ReadableStream,
    /"url":"http:\/\/[^"]*:(\d+)"/,
  )
  return { port, pid: child.pid as number, [Symbol.asyncDispose]: () => stopServer(child) }
}

/** The first port in the output of a server. Rejects if the server exits before. */
export async function readListeningPort(
  child: ChildProcess,
  stream: NodeJS.ReadableStream,
  pattern: RegExp,
): Promise<number> {
  const lines: string[] = []
  const found = new Promise<number>((resolve) => {
    createInterface({ input: stream }).on('line', (line) => {
      if (lines.length < 100) lines.push(line)
      const port = pattern.exec(line)?.[1]
      if (port) resolve(Number(port))
    })
  })
  const failed = once(child, 'exit').then((): never => {
    throw new Error(`The server exited: ${lines.join('\n')}`)
  })
  failed.catch(() => {})
  return Promise.race([found, failed])
}

/** Stops a server and waits for its exit. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
