// Installs the dependencies when they are missing or older than the lock file, so that one npm command is enough.
// Of the folders that it is told (below the checkout), else of the checkout itself.
// Plain JavaScript: it runs on whatever Node the machine has, before ours is there.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

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
    // Optional packages are those for other kinds of machines.
    ([path, { version, optional }]) =>
      path === '' || (optional && !installed[path]) || installed[path]?.version === version,
  )
}

function install(root) {
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, {
        cwd: root,
        stdio: ['ignore', 2, 2],
        shell: process.platform === 'win32',
      })
  return result.status === 0
}

/** For those who look only whether it is newer than the lock file. They look here again where it can't be written. */
function leaveStamp(root) {
  try {
    writeFileSync(new URL('node_modules/.umpire-installed', root), '')
  } catch {}
}

for (const folder of folders) {
  const root = new URL(`${folder}/`, checkout)
  if (!isInstalled(root)) {
    console.error(
      folder === '.'
        ? 'Installing dependencies (npm ci) …'
        : `Installing dependencies of ${folder}/ (npm ci) …`,
    )
    if (!install(root)) {
      console.error(
        'npm ci failed: see above. Umpire needs the npm registry once, to install its dependencies.',
      )
      process.exitCode = 1
      break
    }
  }
  leaveStamp(root)
}
