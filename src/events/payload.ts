// Compresses payloads for storage, because that costs the database less than storing them as
// received (docs/decisions/ has the measurements).
import { constants, zstdCompressSync } from 'node:zlib'

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Uses zstd (RFC 8878). */
export function compressPayload(json: string): Buffer {
  return zstdCompressSync(json, options)
}
