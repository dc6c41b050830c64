// Derives keys from the secret key, and encrypts secrets that are bound to an owner.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** The keys that are derived from one secret key, one for each use (HKDF-SHA-256, RFC 5869). */
interface DerivedKeys {
  /** Has 16 hex digits, and reveals nothing about the key. */
  readonly id: string
  /** Has 32 bytes, for HMAC-SHA-256. */
  readonly signing: Uint8Array
  /** Has 32 bytes, for AES-256-GCM. */
  readonly sealing: Uint8Array
}

/** The active keys: new data uses the current one, and data of all of them is accepted. */
export interface KeyRing {
  readonly current: DerivedKeys
  readonly ids: readonly string[]
  find(id: string): DerivedKeys | undefined
  /** Called with decrypted secrets of the deployment, which logs and posts must redact. */
  readonly reveal: (secrets: readonly string[]) => void
}

/** Derives the keys of the current secret key and of older ones. */
export function createKeyRing(
  current: string,
  old: readonly string[],
  reveal: KeyRing['reveal'] = () => {},
): KeyRing {
  const [first, ...rest] = [current, ...old].map(deriveKeys) as [DerivedKeys, ...DerivedKeys[]]
  const byId = new Map([first, ...rest].map((keys) => [keys.id, keys]))
  return { current: first, ids: [...byId.keys()], find: (id) => byId.get(id), reveal }
}

function deriveKeys(secret: string): DerivedKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, '', `umpire ${purpose}`, 32))
  const id = createHash('sha256').update(derive('key id')).digest('hex').slice(0, 16)
  return { id, signing: derive('signing'), sealing: derive('sealing') }
}

const version = 1
const idLength = 8
const nonceLength = 12
const tagLength = 16
const headerLength = 1 + idLength

/**
 * Encrypts a secret (AES-256-GCM, NIST SP 800-38D): version, key id, nonce, tag, ciphertext.
 *
 * @param owner the record that the secret belongs to; only with it can the secret be decrypted
 */
export function seal({ current }: KeyRing, secret: string, owner: string): Buffer {
  const header = Buffer.concat([Buffer.of(version), Buffer.from(current.id, 'hex')])
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', current.sealing, nonce)
  cipher.setAAD(Buffer.concat([header, Buffer.from(owner)]))
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), encrypted])
}

/** Decrypts a secret of `owner`; undefined for another owner, changed bytes, or an unknown key. */
export function unseal(ring: KeyRing, sealed: Uint8Array, owner: string): string | undefined {
  const bytes = Buffer.from(sealed)
  const keys = ring.find(keyIdOf(bytes))
  const nonceEnd = headerLength + nonceLength
  const tagEnd = nonceEnd + tagLength
  if (bytes[0] !== version || keys === undefined || bytes.length < tagEnd) return undefined
  const header = bytes.subarray(0, headerLength)
  const nonce = bytes.subarray(headerLength, nonceEnd)
  const decipher = createDecipheriv('aes-256-gcm', keys.sealing, nonce)
  decipher.setAAD(Buffer.concat([header, Buffer.from(owner)]))
  decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd))
  try {
    const decrypted = decipher.update(bytes.subarray(tagEnd))
    return Buffer.concat([decrypted, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/**
 * Seals what an older key sealed again with the current one. Undefined if the current one sealed
 * it, or if no key of the ring opens it.
 */
export function reseal(ring: KeyRing, sealed: Buffer, context: string): Buffer | undefined {
  if (ring.current.id === keyIdOf(sealed)) return undefined
  const text = unseal(ring, sealed, context)
  return text === undefined ? undefined : seal(ring, text, context)
}

/** Whether it was sealed under an inactive key; it can be decrypted once that key is active. */
export function isSealedByUnknownKey(ring: KeyRing, sealed: Uint8Array): boolean {
  return ring.find(keyIdOf(Buffer.from(sealed))) === undefined
}

function keyIdOf(sealed: Buffer): string {
  return sealed.subarray(1, headerLength).toString('hex')
}
