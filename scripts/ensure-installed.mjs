// Installs the dependencies when they are missing or older than the lock file, so that one npm command is enough.
// Plain JavaScript: it runs on whatever Node the machine has, before ours is there.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)

/** The locked version of every package, or null where there is no such file. */
function lockedVersions(file) {
  try {
    const { packages } = JSON.parse(readFileSync(new URL(file, root), 'utf8'))
    return new Map(Object.entries(packages).map(([name, entry]) => [name, entry.version]))
  } catch {
    return null
  }
}

function isInstalled() {
  const installed = lockedVersions('node_modules/.package-lock.json')
  const wanted = lockedVersions('package-lock.json')
  if (!installed || !wanted) return false
  // Packages for other platforms stand in the lock file and are rightly not installed.
  return [...installed].every(([name, version]) => wanted.get(name) === version) && installed.has('node_modules/node')
}

if (!isInstalled()) {
  console.error('Installing dependencies (npm ci) …')
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (result.status !== 0) {
    console.error('npm ci failed: see above. Umpire needs the npm registry once, to install its dependencies.')
    process.exitCode = 1
  }
}
