// A real PostgreSQL server for tests, in a temporary folder with its unix socket.
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PostgresqlServer extends AsyncDisposable {
  readonly url: string
  /** Stops it like a crash: all connections break. */
  kill(): Promise<void>
  /** Restarts it with the same data at the same address. */
  start(): Promise<void>
  /** Stops it and deletes its data. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Returns the folder with `initdb` and `postgres`: Debian's newest, else from the PATH; null
 * without one.
 */
export function findPostgresql(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian)
    ? readdirSync(debian).filter((name) => /^\d+$/.test(name))
    : []
  const newest = versions
    .sort((one, other) => Number(other) - Number(one))
    .map((name) => join(debian, name, 'bin'))
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return [...newest, ...path].find((folder) => hasPrograms(folder)) ?? null
}

function hasPrograms(folder: string): boolean {
  return ['initdb', 'postgres'].every((program) => existsSync(join(folder, program)))
}

/**
 * @param programs what `findPostgresql` found
 * @param durability `durable` for the server's own defaults; otherwise nothing has to survive a
 *   power failure
 */
export async function startPostgresql(
  programs: string,
  durability: { durable: boolean } = { durable: false },
): Promise<PostgresqlServer> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-pg-'))
  const identity = chooseIdentity()
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid!)
  const data = join(folder, 'data')
  const options: SpawnOptions = {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...identity,
  }
  const initial = [
    '--pgdata',
    data,
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ]
  await run(join(programs, 'initdb'), initial, { ...options, encoding: 'utf8' } as object)

  const fast = durability.durable
    ? []
    : ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off']
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    ...fast,
  ].flatMap((setting) => ['-c', setting])
  let server: ChildProcess
  const start = async () => {
    server = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await waitUntilReady(server)
  }
  const stop = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  await start()
  return {
    url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    start,
    // Immediate shutdown skips the checkpoint but, unlike SIGKILL, ends the child processes.
    kill: () => stop('SIGQUIT'),
    async [Symbol.asyncDispose]() {
      await stop('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root, so it then runs as its own user or as nobody. */
function chooseIdentity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user)
    throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.')
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/** Waits for its log message; the rest of the log is read and dropped. */
async function waitUntilReady(server: ChildProcess): Promise<void> {
  const lines: string[] = []
  const ready = Promise.withResolvers<void>()
  createInterface({ input: server.stderr! }).on('line', (line) => {
    if (line.includes('ready to accept connections')) ready.resolve()
    if (lines.length < 50) lines.push(line)
  })
  server.once('error', ready.reject)
  server.once('exit', () =>
    ready.reject(new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)),
  )
  await ready.promise
}
