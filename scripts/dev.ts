// Runs the service and the page for development: both reload when their sources change.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stop = new AbortController()
process.on('SIGINT', () => stop.abort())
process.on('SIGTERM', () => stop.abort())

function start(args: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, args, { cwd, stdio: 'inherit' })
}

function startService(): ChildProcess {
  const args = ['--max-semi-space-size=8', '--', 'src/cli/cli.ts', 'serve']
  return start([...args, ...process.argv.slice(2)], root)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

// `node --watch` is no alternative: it adds messages of its own to those of our threads.
async function* watchSources(): AsyncGenerator<void> {
  try {
    const changes = watch(`${root}src`, { recursive: true, signal: stop.signal })
    for await (const _ of changes) yield
  } catch (error) {
    if (!stop.signal.aborted) throw error
  }
}

const page = start(['node_modules/vite/bin/vite.js'], `${root}web`)
let service = startService()
for await (const _ of watchSources()) {
  console.log('src/ changed: restarting the service')
  await end(service)
  service = startService()
}
await Promise.all([end(service), end(page)])
