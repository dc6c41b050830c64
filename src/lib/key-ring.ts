// Keys derived from the secret key, and sealing: authenticated encryption bound to what a secret belongs to.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** What one secret key is used for; each use has a key of its own (HKDF-SHA-256, RFC 5869). */
export interface DerivedKeys {
  /** 16 hex digits; tells nothing about the key. */
  readonly id: string
  /** 32 bytes, for HMAC-SHA-256. */
  readonly signing: Uint8Array
  /** 32 bytes, for AES-256-GCM. */
  readonly sealing: Uint8Array
}

/** The keys in force: the current one makes, all of them are accepted. */
export interface KeyRing {
  readonly current: DerivedKeys
  /** Of all keys in force. */
  readonly ids: readonly string[]
  find(id: string): DerivedKeys | undefined
}

/** Derives the keys of the current secret key and of older ones. */
export function createKeyRing(current: string, old: readonly string[]): KeyRing {
  const [first, ...rest] = [current, ...old].map(deriveKeys) as [DerivedKeys, ...DerivedKeys[]]
  const byId = new Map([first, ...rest].map((keys) => [keys.id, keys]))
  return { current: first, ids: [...byId.keys()], find: (id) => byId.get(id) }
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
 * @param owner what it belongs to; it opens for that only
 */
export function seal({ current }: KeyRing, secret: string, owner: string): Buffer {
  const header = Buffer.concat([Buffer.of(version), Buffer.from(current.id, 'hex')])
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', current.sealing, nonce)
  cipher.setAAD(Buffer.concat([header, Buffer.from(owner)]))
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), encrypted])
}

/** Decrypts what was sealed for `owner`; undefined for anything else: another owner, a changed byte, an unknown key. */
export function unseal(ring: KeyRing, sealed: Uint8Array, owner: string): string | undefined {
  const bytes = Buffer.from(sealed)
  const keys = ring.find(keyIdOf(bytes))
  if (
    bytes[0] !== version ||
    keys === undefined ||
    bytes.length < headerLength + nonceLength + tagLength
  )
    return undefined
  const header = bytes.subarray(0, headerLength)
  const [nonceEnd, tagEnd] = [headerLength + nonceLength, headerLength + nonceLength + tagLength]
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keys.sealing,
    bytes.subarray(headerLength, nonceEnd),
  )
  decipher.setAAD(Buffer.concat([header, Buffer.from(owner)]))
  decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString(
      'utf8',
    )
  } catch {
    return undefined
  }
}

/** Whether it was sealed under the current key. */
export function isSealedByCurrentKey({ current }: KeyRing, sealed: Uint8Array): boolean {
  return keyIdOf(Buffer.from(sealed)) === current.id
}

/** Whether it was sealed under a key that isn't in force: it may well be opened again, once that key is back. */
export function isSealedByUnknownKey(ring: KeyRing, sealed: Uint8Array): boolean {
  return ring.find(keyIdOf(Buffer.from(sealed))) === undefined
}

function keyIdOf(sealed: Buffer): string {
  return sealed.subarray(1, headerLength).toString('hex')
}
