// Reads the configured secret key, or generates one into the data folder at the first start.
import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../domain/errors.ts'
import type { ServiceConfig } from './config.ts'
import { ensureDataFolder } from './data-folder.ts'
import { minKeyLength } from './service-variables.ts'

export function secretKeyPath(dataDir: string): string {
  return join(dataDir, 'secret-key')
}

/**
 * Returns the secret key in use. Without a configured one it is in `DATA_DIR/secret-key`, which
 * only the owner can read. Of processes that start at the same time, one creates it.
 */
export async function readSecretKey({
  secrets,
  dataDir,
}: Pick<ServiceConfig, 'secrets' | 'dataDir'>): Promise<string> {
  if (secrets.current !== null) return secrets.current
  const path = secretKeyPath(dataDir)
  const key = (await readKey(path)) ?? (await createKey(dataDir, path))
  if (key.length >= minKeyLength) return key
  const message = `${path} holds no key of at least ${minKeyLength} characters`
  throw new ConfigError(`${message}: restore it, or delete it and sign in again.`)
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ConfigError(`${path}, which holds the secret key, can't be read (${code}).`)
  }
}

/** Flushes the key before it is used, and links the file, so that no partial key can be read. */
async function createKey(dataDir: string, path: string): Promise<string> {
  await ensureDataFolder(dataDir)
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`
  const key = randomBytes(32).toString('hex')
  const file = await open(temporaryPath, 'wx', 0o600)
  try {
    await file.writeFile(`${key}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(temporaryPath, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporaryPath, { force: true })
  }
  return (await readKey(path)) ?? key
}
