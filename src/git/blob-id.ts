// The id that git gives to a file's bytes.
import { createHash } from 'node:crypto'

/** @param length of the ids in the repository: 64 where they are SHA-256 */
export function blobIdOf(content: Uint8Array, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex')
}
