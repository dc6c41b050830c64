// Reads one field of an application/x-www-form-urlencoded form in linear time.

/** Returns the value of the first field with that name (letters only); null when there is none. */
export function readFormField(form: Buffer, name: string): Buffer | null {
  const start = findFieldValue(form, `${name}=`)
  if (start === -1) return null
  const end = form.indexOf('&', start)
  return decode(form.subarray(start, end === -1 ? form.length : end))
}

function findFieldValue(form: Buffer, prefix: string): number {
  if (form.subarray(0, prefix.length).equals(Buffer.from(prefix))) return prefix.length
  const before = form.indexOf(`&${prefix}`)
  return before === -1 ? -1 : before + 1 + prefix.length
}

/** Follows the URL standard: a percent sign without two hexadecimal digits is kept as it is. */
function decode(encoded: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(encoded.length)
  let length = 0
  for (let index = 0; index < encoded.length; index++) {
    let byte = encoded[index] as number
    if (byte === 0x2b) byte = 0x20
    else if (byte === 0x25) {
      const high = parseHexDigit(encoded[index + 1])
      const low = parseHexDigit(encoded[index + 2])
      if (high !== -1 && low !== -1) {
        byte = high * 16 + low
        index += 2
      }
    }
    decoded[length++] = byte
  }
  return decoded.subarray(0, length)
}

function parseHexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
