// Reads a stream of others, which may be endless.

/** Reads a stream of at most `maxBytes`; undefined if it is longer. */
export async function readBytes(
  chunks: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) return undefined
    parts.push(chunk)
  }
  return Buffer.concat(parts, length)
}
