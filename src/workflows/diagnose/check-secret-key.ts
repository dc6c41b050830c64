// Checks the secret key, which signs what is given out and opens what is stored.
import { readFile, stat } from 'node:fs/promises'
import { countLostTokens } from '../../accounts/users.ts'
import type { Config } from '../../config/config.ts'
import { minKeyLength, secretKeyPath } from '../../config/secret-key.ts'
import { createKeyRing } from '../../lib/key-ring.ts'
import { type Observation, ok, problem, warning } from './check.ts'
import type { Evidence } from './setup.ts'

const keep =
  'Keep it with the backups: without it nobody stays signed in, and no stored token of the platform opens.'
/** Random hexadecimal of 32 characters has fewer once in a thousand million times. */
const minDistinctCharacters = 5

type KeyConfig = Pick<Config, 'secrets' | 'dataDir'>

/** Where the key comes from, whether it can be one, and whether it opens what is stored. Makes none. */
export async function checkSecretKey(
  config: KeyConfig,
  evidence: Evidence,
): Promise<readonly Observation[]> {
  const [form, match] = await Promise.all([checkForm(config), checkMatch(config, evidence)])
  return match === null ? [form] : [form, match]
}

/** Null where all opens, or where that can't be told. */
async function checkMatch(
  { secrets, dataDir }: KeyConfig,
  { database }: Evidence,
): Promise<Observation | null> {
  const seals = (await database.catch(() => null))?.answer.facts?.seals ?? []
  const current =
    secrets.current ?? (await readFile(secretKeyPath(dataDir), 'utf8').catch(() => '')).trim()
  const count = countLostTokens(seals, createKeyRing(current, secrets.old))
  if (count === 0) return null
  const what =
    count === 1 ? 'stored token of the platform was' : 'stored tokens of the platform were'
  return problem(
    `${count} ${what} sealed under another key: the reviews that need them wait.`,
    findKeyAgain,
  )
}

async function checkForm({ secrets, dataDir }: KeyConfig): Promise<Observation> {
  if (secrets.current === null || secrets.isGenerated)
    return checkGeneratedKey(secretKeyPath(dataDir))
  const { length } = secrets.current
  if (new Set(secrets.current).size < minDistinctCharacters) {
    return warning('SECRET_KEY is of few different characters: it can be guessed.', makeAnother)
  }
  return ok(`SECRET_KEY is set (${length} characters). ${keep}`)
}

async function checkGeneratedKey(path: string): Promise<Observation> {
  try {
    const [key, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    if (key.trim().length < minKeyLength) {
      const remedy = 'Restore it from a backup; or delete it, and everybody has to sign in again.'
      return problem(`${path} holds no key of at least ${minKeyLength} characters.`, remedy)
    }
    if ((mode & 0o077) !== 0)
      return warning(`${path} can be read by other users.`, `chmod 600 ${path}`)
    return ok(`Generated, in ${path}. ${keep}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return ok(`None yet: the service makes one in ${path}. ${keep}`)
    return problem(
      `${path}, which holds the key, can't be read (${code}).`,
      'Give it to the user of the service.',
    )
  }
}

const findKeyAgain =
  'Restore the key from a backup, or name it in SECRET_KEYS_OLD. Where it is lost for good: umpire token --forget-lost, and ' +
  'everybody signs in again.'
const makeAnother =
  'Make one with openssl rand -hex 32, and put the old one into SECRET_KEYS_OLD so that what it sealed still opens.'
