// Encodes requests of PostgreSQL's wire protocol 3.0 (manual, chapter "Frontend/Backend Protocol").
import type { WireValue } from '../sql-values.ts'

/** Encodes one or several statements without parameters for the simple protocol. */
export function encodeSimpleQuery(text: string): Uint8Array {
  const length = Buffer.byteLength(text)
  const message = new Writer(length + 6)
  message.header('Q', length + 5)
  message.text(text, length)
  return message.bytes
}

/**
 * Encodes one statement with parameters: parse (if `text` is given), bind, describe, execute, sync.
 *
 * @param name name of the prepared statement; the empty name is overwritten each time
 * @param text null if the statement is already prepared
 */
export function encodeExtendedQuery(
  name: string,
  text: string | null,
  values: readonly WireValue[],
): Uint8Array {
  const textLength = text === null ? 0 : Buffer.byteLength(text)
  const lengths = values.map((value) => {
    if (value === null) return -1
    return typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength
  })
  const parse = text === null ? 0 : 4 + name.length + 1 + textLength + 1 + 2
  const valueBytes = lengths.reduce((sum, length) => sum + Math.max(length, 0), 0)
  const bind =
    4 + 1 + name.length + 1 + 2 + 2 * values.length + 2 + 4 * values.length + valueBytes + 2
  const message = new Writer((parse ? parse + 1 : 0) + bind + 1 + 7 + 10 + 5)
  if (text !== null) {
    message.header('P', parse)
    message.text(name, name.length)
    message.text(text, textLength)
    message.int16(0)
  }
  message.header('B', bind)
  message.text('', 0)
  message.text(name, name.length)
  message.int16(values.length)
  for (const value of values) message.int16(value instanceof Uint8Array ? 1 : 0)
  message.int16(values.length)
  values.forEach((value, index) => {
    message.int32(lengths[index]!)
    if (value !== null) message.value(value, lengths[index]!)
  })
  message.int16(0)
  message.header('D', 6)
  message.text('P', 1)
  message.header('E', 9)
  message.text('', 0)
  message.int32(0)
  message.header('S', 4)
  return message.bytes
}

/** Encodes the request to close a prepared statement. */
export function encodeCloseStatement(name: string): Uint8Array {
  const message = new Writer(1 + 4 + 1 + name.length + 1 + 5)
  message.header('C', 4 + 1 + name.length + 1)
  message.value('S', 1)
  message.text(name, name.length)
  message.header('S', 4)
  return message.bytes
}

class Writer {
  readonly bytes: Buffer
  #position = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  /** @param length counts the bytes of the message without its first one */
  header(kind: string, length: number): void {
    this.value(kind, 1)
    this.int32(length)
  }

  int16(number: number): void {
    this.#position = this.bytes.writeUInt16BE(number, this.#position)
  }

  int32(number: number): void {
    this.#position = this.bytes.writeInt32BE(number, this.#position)
  }

  /** Writes text and the zero byte that terminates it. */
  text(text: string, length: number): void {
    this.value(text, length)
    this.bytes[this.#position++] = 0
  }

  value(value: string | Uint8Array, length: number): void {
    if (typeof value === 'string') this.bytes.write(value, this.#position, length, 'utf8')
    else this.bytes.set(value, this.#position)
    this.#position += length
  }
}
