// Says on stderr what is being done: one line that is updated on a terminal, plain lines elsewhere.
import type { Writable } from 'node:stream'
import { toTerminalLine } from './terminal-text.ts'

/** What stderr is. */
export type ProgressTarget = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface Progress extends Disposable {
  /** What is being done from now on. */
  step(text: string): void
  /** A line that stays. */
  note(text: string): void
  /** Clears the line that is updated, for other output; the next step begins it anew. */
  clear(): void
}

/** Starts telling. Disposing clears the line that is updated. */
export function startProgress(target: ProgressTarget, isQuiet: boolean): Progress {
  if (isQuiet) return { step() {}, note() {}, clear() {}, [Symbol.dispose]() {} }
  if (!target.isTTY) {
    const note = (text: string) => void target.write(`${toTerminalLine(text)}\n`)
    return { step: (text) => note(`${text} …`), note, clear() {}, [Symbol.dispose]() {} }
  }
  let current = ''
  let since = performance.now()
  const erase = '\r\u001b[2K'
  const draw = () => {
    const seconds = Math.floor((performance.now() - since) / 1000)
    const line = `${current} …${seconds > 0 ? ` ${seconds} s` : ''}`
    if (current !== '') target.write(`${erase}${line.slice(0, (target.columns || 80) - 1)}`)
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
      since = performance.now()
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
