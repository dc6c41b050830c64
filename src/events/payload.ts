// How payloads are stored: compressed before they reach the database, which costs less than storing them as they are
// (docs/decisions/ has the figures).
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** The bytes to store for the JSON of a payload (zstd, RFC 8878). */
export function compressPayload(json: string): Buffer {
  return zstdCompressSync(json, options)
}

/** The JSON that was stored. */
export function decompressPayload(bytes: Uint8Array): string {
  return zstdDecompressSync(bytes).toString('utf8')
}
