// The process's environment: the only reader of process.env. Light, for what can't wait for the configuration.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError } from '../domain/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What git needs to work behind proxies and private certificate authorities; nothing else is passed on. */
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

/** What a review on the command line takes from the environment. The rest may well be meant for other programs. */
const reviewVariables = [
  ...['PLATFORM', 'PLATFORM_URL', 'PLATFORM_API_URL', 'PLATFORM_TOKEN'],
  ...['MODEL', 'MODEL_FAST', 'MODEL_BASE_URL', 'MODEL_API_KEY'],
  ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ...['REVIEW_MODE', 'ATTENTION_CHECK', 'REVIEW_BUDGET_USD', 'REVIEW_CONTEXT_TOKENS'],
]

/** And where trackers and chats are to be asked. */
const sourceVariables = [
  ...[
    'LINEAR_MCP_URL',
    'LINEAR_API_KEY',
    'ATLASSIAN_MCP_URL',
    'ATLASSIAN_TOKEN',
    'ATLASSIAN_CLOUD_ID',
  ],
  ...[
    'SENTRY_MCP_URL',
    'SENTRY_AUTH_TOKEN',
    'SENTRY_ORGANIZATION',
    'SLACK_MCP_URL',
    'SLACK_TOKEN',
    'CONTEXT_SOURCES',
  ],
]

/** Where the variables of a service stand, in its working directory. */
const defaultEnvFile = '.env'

/**
 * The variables that the process was given, over those of a file that somebody named.
 *
 * No other file is read: the working directory may be a checkout that a stranger wrote, and an address in its `.env` file
 * would be sent our keys.
 *
 * @throws ConfigError where the file can't be read, or is no such file
 */
export function readProcessEnvironment(envFile?: string): Environment {
  return envFile === undefined ? process.env : { ...readEnvFile(envFile), ...process.env }
}

/** The same for a service, which is run in a folder of its own: with the `.env` file there, unless another one is named. */
export function readServiceEnvironment(envFile?: string): Environment {
  return readProcessEnvironment(envFile ?? (hasDefaultEnvFile() ? defaultEnvFile : undefined))
}

/** Whether there is a `.env` file in the working directory. */
export function hasDefaultEnvFile(): boolean {
  return existsSync(defaultEnvFile)
}

function readEnvFile(path: string): Environment {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw envFileError(path, `can't be read (${(error as NodeJS.ErrnoException).code})`)
  }
  const found = parseEnv(text)
  const saysSomething = text.split('\n').some((line) => /^\s*[^#\s]/.test(line))
  if (saysSomething && Object.keys(found).length === 0)
    throw envFileError(path, 'has no line of the form NAME=value')
  return found
}

function envFileError(path: string, fault: string): ConfigError {
  const problem = `The file of variables ${path} ${fault}`
  return new ConfigError(`${problem}.`, [problem])
}

/** The variables that count for a review on the command line. */
export function pickReviewVariables(
  environment: Environment,
  { sources }: { sources: boolean },
): Environment {
  const names = [...reviewVariables, ...(sources ? sourceVariables : [])]
  return pickDefined(
    environment,
    names.flatMap((name) => [name, `${name}_FILE`]),
  )
}

/** What programs that we start get of an environment. */
export function pickChildVariables(
  environment: Environment = process.env,
): Readonly<Record<string, string>> {
  return pickDefined(environment, childVariables)
}

/** The index that git names to its hooks, where it isn't the repository's own; an absolute path. */
export function readGitIndexFile(): string | undefined {
  return process.env.GIT_INDEX_FILE ? resolve(process.env.GIT_INDEX_FILE) : undefined
}

function pickDefined(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  )
}
