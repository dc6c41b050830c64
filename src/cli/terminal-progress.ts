// Shows progress on stderr: one updated line on a terminal, plain lines elsewhere.
import type { Writable } from 'node:stream'
import type { Log } from '../lib/logger.ts'
import { toTerminalLine } from '../lib/terminal-text.ts'

type ProgressTarget = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface Progress extends Disposable {
  step(text: string): void
  /** Prints a line that is not replaced by later steps. */
  note(text: string): void
  /** Clears the updated line until the next step, to make place for other output. */
  clear(): void
}

/** Starts to show progress. Disposing clears the updated line. */
export function startProgress(target: ProgressTarget, isQuiet: boolean): Progress {
  if (isQuiet) return { step() {}, note() {}, clear() {}, [Symbol.dispose]() {} }
  if (!target.isTTY) {
    const note = (text: string) => void target.write(`${toTerminalLine(text)}\n`)
    return { step: (text) => note(`${text} …`), note, clear() {}, [Symbol.dispose]() {} }
  }
  let current = ''
  let startedAt = performance.now()
  const erase = '\r\u001b[2K'
  const draw = () => {
    if (current === '') return
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    const duration = seconds > 0 ? ` ${seconds} s` : ''
    const maxLength = (target.columns || 80) - 1
    target.write(`${erase}${`${current} …${duration}`.slice(0, maxLength)}`)
  }
  const clear = () => {
    if (current !== '') target.write(erase)
    current = ''
  }
  const timer = setInterval(draw, 1000)
  timer.unref()
  return {
    step(text) {
      current = toTerminalLine(text)
      startedAt = performance.now()
      draw()
    },
    note(text) {
      target.write(`${erase}${toTerminalLine(text)}\n`)
      draw()
    },
    clear,
    [Symbol.dispose]() {
      clearInterval(timer)
      clear()
    },
  }
}

/** Creates a log that shows warnings and errors to the user. */
export function createProgressLog(progress: Progress): Log {
  const drop = () => undefined
  const show = (_: unknown, message?: string) => progress.note(message ?? '')
  const log: Log = {
    debug: drop,
    info: drop,
    warn: show,
    error: show,
    fatal: show,
    child: () => log,
  }
  return log
}
