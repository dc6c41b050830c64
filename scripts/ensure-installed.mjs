// Installs the dependencies when they are missing or older than the lock file, so that one npm command is enough.
// Plain JavaScript: it runs on whatever Node the machine has, before ours is there.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)

/** The locked packages by path, or null where there is no such file. */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(new URL(file, root), 'utf8')).packages
  } catch {
    return null
  }
}

function isInstalled() {
  const installed = readLock('node_modules/.package-lock.json')
  const wanted = readLock('package-lock.json')
  if (!installed || !wanted || !existsSync(new URL('node_modules/.bin/node', root))) return false
  return Object.entries(wanted).every(
    // Optional packages are those for other kinds of machines.
    ([path, { version, optional }]) =>
      path === '' || (optional && !installed[path]) || installed[path]?.version === version,
  )
}

/** For those who look only whether it is newer than the lock file. They look here again where it can't be written. */
function leaveStamp() {
  try {
    writeFileSync(new URL('node_modules/.umpire-installed', root), '')
  } catch {}
}

if (isInstalled()) leaveStamp()
else {
  console.error('Installing dependencies (npm ci) …')
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (result.status !== 0) {
    console.error('npm ci failed: see above. Umpire needs the npm registry once, to install its dependencies.')
    process.exitCode = 1
  } else leaveStamp()
}
