// Structured logs, one JSON object a line on stderr, with known secrets blotted out.
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: object): Log
}

/**
 * Makes the root logger.
 *
 * @param secrets values that must never be written, whatever field or message they turn up in
 */
export function createLogger(options: {
  level: string
  secrets: readonly (string | null)[]
  destination?: DestinationStream
}): Log {
  const stream = options.destination ?? { write: (line: string) => process.stderr.write(line) }
  const blotted = options.secrets.flatMap((secret) =>
    secret !== null && secret.length >= 6 ? encodeVariants(secret) : [],
  )
  return pino(
    { level: options.level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => stream.write(redact(line, blotted)) },
  )
}

function redact(line: string, secrets: readonly string[]): string {
  let result = line
  for (const secret of secrets)
    if (result.includes(secret)) result = result.replaceAll(secret, '[secret]')
  return result
}

/** A secret as it turns up in a line of JSON, also inside of a basic authorization. */
function encodeVariants(secret: string): string[] {
  const encoded = [secret, `x-access-token:${secret}`].map((text) =>
    Buffer.from(text).toString('base64'),
  )
  return [secret, JSON.stringify(secret).slice(1, -1), ...encoded]
}
