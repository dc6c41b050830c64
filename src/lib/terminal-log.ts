// Formats lines of the log for people who start the service on a terminal.
import { styleText } from 'node:util'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

interface LogLine {
  readonly level: number
  readonly time: string
  readonly msg?: string
  readonly err?: { readonly stack?: string; readonly message?: string }
  readonly [field: string]: unknown
}

/** The numbers are pino's. */
const levels = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
} as const

/**
 * Formats a line of JSON as local time of day, level, message and fields, with the stack of an
 * error below. All text is escaped, because it can come from repositories and other servers.
 */
export function formatLogLine(line: string, stream: NodeJS.WriteStream): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as LogLine
  const [name, style] = levels[level as keyof typeof levels] ?? [String(level), 'dim']
  const texts = Object.entries(fields).map(([key, value]) => `${key}=${formatValue(value)}`)
  const parts = [
    styleText('dim', new Date(time).toTimeString().slice(0, 8), { stream }),
    styleText(style, name.padEnd(5), { stream }),
    toTerminalLine(msg),
    ...texts.map((text) => styleText('dim', toTerminalLine(text), { stream })),
  ]
  const stack = err ? indent(toTerminalText(err.stack ?? err.message ?? '')) : ''
  return `${parts.join(' ')}\n${stack}`
}

function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

function indent(text: string): string {
  return text === '' ? '' : `${text.replace(/^/gm, '  ')}\n`
}
