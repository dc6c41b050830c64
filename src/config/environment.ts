// Reads environment variables, as the only module that uses `process.env`.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError } from '../domain/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Git needs these behind proxies and private certificate authorities. Child processes get no
 * others.
 */
const childVariables = [
  'PATH',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

/** A service keeps its variables in this file of its working directory. */
const defaultEnvFile = '.env'

/**
 * Reads the variables of the process, which take precedence over those of `envFile`.
 *
 * No `.env` file is read unless it is named: the working directory may be an untrusted checkout,
 * whose addresses would receive our API keys.
 *
 * @throws ConfigError if the file can't be read or contains no variables
 */
export function readProcessEnvironment(envFile?: string): Environment {
  return envFile === undefined ? process.env : { ...readEnvFile(envFile), ...process.env }
}

/** Reads the variables of a service, which runs in its own folder: from `.env` there by default. */
export function readServiceEnvironment(envFile = findServiceEnvFile()): Environment {
  return readProcessEnvironment(envFile)
}

/** The file that a service reads unless another one is named; undefined if it doesn't exist. */
export function findServiceEnvFile(): string | undefined {
  return hasDefaultEnvFile() ? defaultEnvFile : undefined
}

/** Whether the working directory contains a `.env` file. */
export function hasDefaultEnvFile(): boolean {
  return existsSync(defaultEnvFile)
}

/** Lists the variables that a file sets. Throws ConfigError like `readProcessEnvironment`. */
export function listFileVariables(envFile: string): readonly string[] {
  return Object.keys(readEnvFile(envFile))
}

function readEnvFile(path: string): Environment {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw envFileError(path, `can't be read (${(error as NodeJS.ErrnoException).code})`)
  }
  const variables = parseEnv(text)
  const hasContent = text.split('\n').some((line) => /^\s*[^#\s]/.test(line))
  if (hasContent && Object.keys(variables).length === 0)
    throw envFileError(path, 'has no line of the form NAME=value')
  return variables
}

function envFileError(path: string, reason: string): ConfigError {
  const problem = `The file of variables ${path} ${reason}`
  return new ConfigError(`${problem}.`, [problem])
}

/** Selects the variables that child processes get. */
export function pickChildVariables(
  environment: Environment = process.env,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    childVariables.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  )
}

/** The absolute path of the index that git passes to hooks, if it isn't the repository's own. */
export function readGitIndexFile(): string | undefined {
  return process.env.GIT_INDEX_FILE ? resolve(process.env.GIT_INDEX_FILE) : undefined
}
