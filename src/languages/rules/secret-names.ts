// Recognizes names of secrets and of passwords.

const tokenPrefixes =
  'reset access refresh auth session csrf api verification invite login bearer jwt security'

/** Names of values that nobody must be able to guess. */
const secretName = new RegExp(
  [
    `(?:^|[^a-z])(?:${tokenPrefixes.replaceAll(' ', '|')})?_?tokens?$`,
    'secret',
    'passw(?:or)?d',
    '(?:^|[^a-z])otp(?:$|[^a-z])',
    'one_?time_?(?:code|password)',
    'session_?id$',
    'api_?key',
    String.raw`\bsalt$`,
    '(?:verification|login|reset|recovery|backup|activation|invite|auth)_?codes?$',
    'pin_?code',
    'private_?key',
    'signing_?key',
    'encryption_?key',
  ].join('|'),
  'i',
)

/** Names of values that look like secrets and aren't. */
const harmlessName = /cancel|count|index|colou?r|test|mock|demo|jitter/i

/** Writes `resetToken` as `reset_Token`, so that patterns find whole words. */
export function separateWords(name: string): string {
  return name.slice(0, 200).replace(/([a-z])([A-Z])/g, '$1_$2')
}

/** Whether nobody must be able to guess a value with this name. */
export function isNamedLikeSecret(name: string): boolean {
  return secretName.test(name) && !harmlessName.test(name)
}

/** Lists of leaked passwords prescribe a fast hash. Other code hashes the result again, slowly. */
export const needsFastHash = /breach|pwned|compromised|leaked|bcrypt|scrypt|argon2|pbkdf2/i

/** Matches names of passwords. */
export const passwordName = /passw(?:or)?d|passphrase|\bpwd\b/i
