// Reads one field of a form (application/x-www-form-urlencoded) as bytes, at a cost linear in its length.

/** @returns the first field of that name, which is plain letters; null where there is none */
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

/** As in the URL standard: what isn't a percent sign and two digits stays. */
function decode(encoded: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(encoded.length)
  let length = 0
  for (let at = 0; at < encoded.length; at++) {
    let byte = encoded[at] as number
    if (byte === 0x2b) byte = 0x20
    else if (byte === 0x25) {
      const high = parseHexDigit(encoded[at + 1])
      const low = parseHexDigit(encoded[at + 2])
      if (high !== -1 && low !== -1) {
        byte = high * 16 + low
        at += 2
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
