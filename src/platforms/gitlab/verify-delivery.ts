// Decides whether the sender of a webhook request knows a secret.
// https://docs.gitlab.com/user/project/integrations/webhooks/ and https://www.standardwebhooks.com/
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const signingTokenPrefix = 'whsec_'

/** GitLab wants a prefix and 32 bytes in Base64. */
export function toSigningToken(secret: string): string {
  return signingTokenPrefix + toSigningKey(secret).toString('base64')
}

/** An operator may use the signing token of a webhook as the secret. */
function toSigningKey(secret: string): Buffer {
  return secret.startsWith(signingTokenPrefix)
    ? Buffer.from(secret.slice(signingTokenPrefix.length), 'base64')
    : createHash('sha256').update(secret).digest()
}

/**
 * Returns whether a request was sent with one of the secrets. A signature must hold where there is
 * one. Otherwise the secret itself is in a header: GitLab before 19 has no signatures.
 *
 * The time of a signature isn't compared with ours. A request that is sent once more has the same
 * id, and requests a review of the head alone. A host whose clock is wrong would lose everything.
 *
 * @param readHeader undefined for a header that is missing
 */
export function isSentWith(
  readHeader: (name: string) => string | undefined,
  body: Uint8Array,
  secrets: readonly string[],
): boolean {
  const signatures = readHeader('webhook-signature')
  if (signatures === undefined) return isToken(readHeader('x-gitlab-token') ?? '', secrets)
  const [id, time] = [readHeader('webhook-id'), readHeader('webhook-timestamp')]
  if (id === undefined || time === undefined) return false
  const candidates = [...signatures.matchAll(/(?:^|\s)v1,([A-Za-z0-9+/]{43}=)(?=\s|$)/g)]
    .slice(0, maxSignatures)
    .map(([, digest = '']) => Buffer.from(digest, 'base64'))
  return secrets.some((secret) => {
    const key = toSigningKey(secret)
    if (secret === '' || key.length < minKeyBytes) return false
    const hmac = createHmac('sha256', key).update(`${id}.${time}.`)
    const expected = hmac.update(body).digest()
    return candidates.some((digest) => timingSafeEqual(digest, expected))
  })
}

/** The specification wants keys of this length at least. */
const minKeyBytes = 24

/** While a signing token is replaced, requests have two signatures. */
const maxSignatures = 5

/** Compares digests, which have the same length for secrets of any length. */
function isToken(token: string, secrets: readonly string[]): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return secrets.some((secret) => secret !== '' && timingSafeEqual(digest(token), digest(secret)))
}
