// Logs on stderr, with known secrets redacted: one JSON object per line, or text on a terminal.
import { type DestinationStream, type Logger, pino } from 'pino'
import { formatLogLine } from './terminal-log.ts'

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
  stderr.write(stderr.isTTY ? formatLogLine(line, stderr) : line)
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
