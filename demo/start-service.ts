// Runs the service in its own process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { signInWithToken } from '../test/sign-in.ts'

export interface RunningService extends AsyncDisposable {
  readonly url: string
  /** Rejects when the service exits unexpectedly. */
  readonly failed: Promise<never>
}

/** Starts `umpire serve` and writes its log to a file. Resolves when the service listens. */
export async function startService(
  environment: Record<string, string>,
  logFile: string,
): Promise<RunningService> {
  const cli = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url))
  const child = spawn(process.execPath, [cli, 'serve'], {
    env: environment,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const log = createWriteStream(logFile)
  const exited = once(child, 'exit') as Promise<[number | null]>
  const lines: string[] = []
  const failed = exited.then(([code]): never => {
    throw new Error(
      `The service exited with code ${code}. Its last log lines:\n${lines.slice(-10).join('\n')}`,
    )
  })
  failed.catch(() => {})
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.write(`${line}\n`)
      lines.push(line)
      const entry = parseLogEntry(line)
      if (entry?.msg === 'Umpire listens' && entry.url) resolve(entry.url)
    })
  })
  const url = await Promise.race([listening, failed])
  return {
    url,
    failed,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      log.end()
    },
  }
}

export interface Session {
  /** Sends a request as the signed-in user and returns JSON. Throws unless the status is 2xx. */
  send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown>
}

/** Signs in with a personal access token. */
export async function signIn(url: string, token: string): Promise<Session> {
  const { bearer } = await signInWithToken({ url }, token)
  return {
    async send(method, path, body) {
      const response = await fetch(url + path, {
        method,
        headers: { ...bearer, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer: unknown = await response.json()
      if (!response.ok)
        throw new Error(
          `${method} ${path} failed with ${response.status}: ${JSON.stringify(answer)}`,
        )
      return answer
    },
  }
}

function parseLogEntry(line: string): { msg?: string; url?: string } | undefined {
  try {
    return JSON.parse(line) as { msg?: string; url?: string }
  } catch {
    return undefined
  }
}
