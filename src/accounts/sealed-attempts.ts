// Encrypts what a person begins at the platform: it travels in the browser, so that nothing is
// stored for a visitor.
import type { z } from 'zod'
import { type KeyRing, seal, unseal } from '../lib/key-ring.ts'

interface Attempt {
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** @param owner who began it: the text can't be made up, and opens for nobody else */
export function sealAttempt(keys: KeyRing, attempt: Attempt, owner: string): string {
  return seal(keys, JSON.stringify(attempt), owner).toString('base64url')
}

/** Undefined for an attempt that has expired, and for what isn't one of this owner. */
export function openAttempt<T extends Attempt>(
  keys: KeyRing,
  schema: z.ZodType<T>,
  sealed: string | undefined,
  owner: string,
): T | undefined {
  const text =
    sealed === undefined ? undefined : unseal(keys, Buffer.from(sealed, 'base64url'), owner)
  const attempt = text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data
  return attempt !== undefined && attempt.expiresAt > Date.now() ? attempt : undefined
}
