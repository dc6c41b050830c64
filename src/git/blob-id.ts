// Computes git's object id of a file's bytes.
import { createHash } from 'node:crypto'

/** @param length hex digits of the repository's object ids: 40, or 64 for SHA-256 */
export function blobIdOf(content: Uint8Array, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex')
}
