// Builds the page when it is missing or older than its sources, and installs what that takes.
// With `--optional` a failure is only printed, because the service works without the page.
// Plain JavaScript, because it runs on the Node of the machine.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runWithProgress } from './run-with-progress.mjs'

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

const script = (path) => fileURLToPath(new URL(path, import.meta.url))

function install() {
  const command = [script('ensure-installed.mjs'), 'web']
  const { status } = spawnSync(process.execPath, command, { stdio: ['ignore', 2, 2] })
  return status === 0
}

async function build() {
  if (!install()) return false
  const begin = new Date()
  const command = [script('../web/node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn']
  // Tests build the same page that people get.
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = { cwd: web, env }
  const isDone = await runWithProgress('Building the page', process.execPath, command, options)
  // A source that changes during the build is newer than the page.
  if (isDone) utimesSync(page, begin, begin)
  return isDone
}

if (!isBuilt() && !(await build())) {
  console.error('The page could not be built: see above. `npm run build` tries again.')
  if (!isOptional) process.exitCode = 1
}
