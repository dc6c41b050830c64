// Checks the secret key, which signs tokens and encrypts stored secrets.
import { readFile, stat } from 'node:fs/promises'
import { countLostSecrets } from '../../accounts/sealed-secrets.ts'
import { secretKeyPath } from '../../config/secret-key.ts'
import { minKeyLength } from '../../config/service-variables.ts'
import type { Config } from '../../context.ts'
import { createKeyRing } from '../../lib/key-ring.ts'
import { type Observation, ok, problem, warning } from './check.ts'
import type { Evidence } from './setup.ts'

const backupAdvice =
  'Back it up: without it all users are signed out, and stored platform tokens are lost.'
/** A random hexadecimal key of 32 characters has fewer distinct ones once in a billion times. */
const minDistinctCharacters = 5

type KeyConfig = Pick<Config, 'secrets' | 'dataDir'>

/** Checks the source and form of the key, and whether it decrypts stored tokens. Creates no key. */
export async function checkSecretKey(
  config: KeyConfig,
  evidence: Evidence,
): Promise<readonly Observation[]> {
  const [form, decryption] = await Promise.all([
    checkForm(config),
    checkDecryption(config, evidence),
  ])
  return decryption === null ? [form] : [form, decryption]
}

/** Returns null if all tokens can be decrypted, or if that is unknown. */
async function checkDecryption(
  { secrets, dataDir }: KeyConfig,
  { database }: Evidence,
): Promise<Observation | null> {
  const seals = (await database.catch(() => null))?.answer.facts?.seals ?? []
  const current = await readCurrentKey({ secrets, dataDir })
  const count = countLostSecrets(seals, createKeyRing(current, secrets.old))
  if (count === 0) return null
  const noun = count === 1 ? 'stored platform token was' : 'stored platform tokens were'
  return problem(
    `${count} ${noun} encrypted with another key: the reviews that need them wait.`,
    restoreAdvice,
  )
}

/** Reads the key that the service uses; empty if it can't be read. */
export async function readCurrentKey({ secrets, dataDir }: KeyConfig): Promise<string> {
  if (secrets.current !== null) return secrets.current
  return (await readFile(secretKeyPath(dataDir), 'utf8').catch(() => '')).trim()
}

async function checkForm({ secrets, dataDir }: KeyConfig): Promise<Observation> {
  if (secrets.current === null || secrets.isGenerated)
    return checkGeneratedKey(secretKeyPath(dataDir))
  const { length } = secrets.current
  if (new Set(secrets.current).size < minDistinctCharacters) {
    return warning('SECRET_KEY has few distinct characters: it can be guessed.', replaceAdvice)
  }
  return ok(`SECRET_KEY is set (${length} characters). ${backupAdvice}`)
}

async function checkGeneratedKey(path: string): Promise<Observation> {
  try {
    const [key, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    if (key.trim().length < minKeyLength) {
      const remedy = 'Restore it from a backup; or delete it, and all users have to sign in again.'
      return problem(`${path} holds no key of at least ${minKeyLength} characters.`, remedy)
    }
    if ((mode & 0o077) !== 0)
      return warning(`${path} can be read by other users.`, `chmod 600 ${path}`)
    return ok(`Generated, in ${path}. ${backupAdvice}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return ok(`None yet: the service creates one in ${path}. ${backupAdvice}`)
    return problem(
      `${path}, which holds the key, can't be read (${code}).`,
      'Make the user of the service its owner.',
    )
  }
}

const restoreAdvice =
  'Restore the key from a backup, or add it to SECRET_KEYS_OLD. If it is lost for good, ' +
  'run umpire token --forget-lost, and let the users sign in again.'
const replaceAdvice =
  'Create one with openssl rand -hex 32, and add the old one to SECRET_KEYS_OLD ' +
  'so that stored tokens can still be decrypted.'
