// Runs a slow command and reports its progress on stderr, also where no terminal shows a spinner.
// Plain JavaScript, because it runs on the Node of the machine before ours is installed.
import { spawn } from 'node:child_process'

const intervalMs = 10_000

/** Resolves to whether the command succeeded. Its output goes to stderr. */
export function runWithProgress(text, command, args, options) {
  console.error(`${text} …`)
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  const timer = setInterval(() => console.error(`${text} … ${seconds()} s`), intervalMs)
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 2, 2] })
    child.once('error', (error) => {
      console.error(error.message)
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  }).finally(() => clearInterval(timer))
}
