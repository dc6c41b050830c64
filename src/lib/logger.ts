// Logs on stderr, with known secrets redacted: one JSON object per line, or text on a terminal.
import { styleText } from 'node:util'
import { type DestinationStream, type Logger, pino } from 'pino'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: object): Log
}

/**
 * Makes the root logger.
 *
 * @param options.secrets values that are redacted in all fields and messages; the list may become
 *   longer
 */
export function createLogger(options: {
  level: string
  secrets: readonly string[]
  destination?: DestinationStream
}): Log {
  const stream = options.destination ?? { write: writeToStderr }
  const redactedValues: string[] = []
  let known = 0
  const listRedactedValues = () => {
    for (; known < options.secrets.length; known++) {
      const secret = options.secrets[known]!
      if (secret.length >= 6) redactedValues.push(...encodeVariants(secret))
    }
    return redactedValues
  }
  return pino(
    { level: options.level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => stream.write(redact(line, listRedactedValues())) },
  )
}

function writeToStderr(line: string): void {
  const { stderr } = process
  stderr.write(stderr.isTTY ? tryToFormat(line, stderr) : line)
}

/** A redacted number isn't JSON any more. */
function tryToFormat(line: string, stream: NodeJS.WriteStream): string {
  try {
    return formatLogLine(line, stream)
  } catch {
    return `${toTerminalLine(line)}\n`
  }
}

function redact(line: string, secrets: readonly string[]): string {
  let result = line
  for (const secret of secrets)
    if (result.includes(secret)) result = result.replaceAll(secret, '[secret]')
  return result
}

/** Lists the forms of a secret in a line of JSON, also within a basic authorization. */
function encodeVariants(secret: string): string[] {
  const encoded = [secret, `x-access-token:${secret}`].map((text) =>
    Buffer.from(text).toString('base64'),
  )
  return [secret, JSON.stringify(secret).slice(1, -1), ...encoded]
}

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
function formatLogLine(line: string, stream: NodeJS.WriteStream): string {
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
