// Installs the dependencies of the given folders (default: the checkout) when they are missing or
// older than the lock file.
// Plain JavaScript, because it runs on the Node of the machine before ours is installed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runWithProgress } from './run-with-progress.mjs'

const checkout = new URL('..', import.meta.url)
const folders = process.argv.length > 2 ? process.argv.slice(2) : ['.']

/** The locked packages by path, or null where there is no such file. */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return null
  }
}

function isInstalled(root) {
  const installed = readLock(new URL('node_modules/.package-lock.json', root))
  const wanted = readLock(new URL('package-lock.json', root))
  if (!installed || !wanted) return false
  if (wanted['node_modules/node'] && !existsSync(new URL('node_modules/.bin/node', root)))
    return false
  return Object.entries(wanted).every(
    // Optional packages are for other platforms.
    ([path, { version, optional }]) =>
      path === '' || (optional && !installed[path]) || installed[path]?.version === version,
  )
}

function install(folder, root) {
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const suffix = folder === '.' ? '' : ` of ${folder}/`
  const text = `Installing dependencies${suffix} (npm ci)`
  return npm
    ? runWithProgress(text, process.execPath, [npm, ...args], { cwd: root })
    : runWithProgress(text, 'npm', args, { cwd: root, shell: process.platform === 'win32' })
}

/** Writes the stamp file that bin/umpire compares with the lock file. It may not be writable. */
function leaveStamp(root) {
  try {
    writeFileSync(new URL('node_modules/.umpire-installed', root), '')
  } catch {}
}

for (const folder of folders) {
  const root = new URL(`${folder}/`, checkout)
  if (!isInstalled(root)) {
    if (!(await install(folder, root))) {
      console.error(
        'npm ci failed: see above. Umpire needs the npm registry once, for its dependencies.',
      )
      process.exitCode = 1
      break
    }
  }
  leaveStamp(root)
}
