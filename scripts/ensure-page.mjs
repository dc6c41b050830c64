// Builds the page when it is missing or older than its sources, and installs what that takes.
// With `--optional` a failure is only printed, because the service works without the page.
// Plain JavaScript, because it runs on the Node of the machine.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const web = new URL('../web/', import.meta.url)
const page = new URL('dist/index.html', web)
const isOptional = process.argv.includes('--optional')

/** The newest modification time in a file or folder, in milliseconds; 0 where it doesn't exist. */
function newestChange(place) {
  const stat = statSync(place, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  // The modification time of a folder changes when something in it is removed.
  const inside = readdirSync(place).map((name) => newestChange(new URL(name, `${place}/`)))
  return Math.max(stat.mtimeMs, ...inside)
}

function isBuilt() {
  const addresses = '../src/contract/addresses.ts'
  const sources = ['src', 'index.html', 'vite.config.ts', 'package-lock.json', addresses]
  return newestChange(page) > Math.max(...sources.map((name) => newestChange(new URL(name, web))))
}

function run(script, args, folder, variables = {}) {
  const command = [fileURLToPath(new URL(script, import.meta.url)), ...args]
  const env = { ...process.env, ...variables }
  return (
    spawnSync(process.execPath, command, { cwd: folder, env, stdio: ['ignore', 2, 2] }).status === 0
  )
}

function build() {
  console.error('Building the page …')
  const begin = new Date()
  const isDone =
    run('ensure-installed.mjs', ['web'], new URL('..', web)) &&
    // Tests build the same page that people get.
    run('../web/node_modules/vite/bin/vite.js', ['build', '--logLevel', 'warn'], web, {
      NODE_ENV: 'production',
    })
  // A source that changes during the build is newer than the page.
  if (isDone) utimesSync(page, begin, begin)
  return isDone
}

if (!isBuilt() && !build()) {
  console.error('The page could not be built: see above. `npm run build` tries again.')
  if (!isOptional) process.exitCode = 1
}
