// The process's environment: the only reader of process.env. Light, for what can't wait for the configuration.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

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
  ...['REVIEW_MODE', 'REVIEW_BUDGET_USD', 'REVIEW_CONTEXT_TOKENS'],
]

/** And where trackers and chats are to be asked. */
const sourceVariables = [
  ...['LINEAR_MCP_URL', 'LINEAR_API_KEY', 'ATLASSIAN_MCP_URL', 'ATLASSIAN_TOKEN', 'ATLASSIAN_CLOUD_ID'],
  ...['SENTRY_MCP_URL', 'SENTRY_AUTH_TOKEN', 'SENTRY_ORGANIZATION', 'SLACK_MCP_URL', 'SLACK_TOKEN', 'CONTEXT_SOURCES'],
]

/** All variables, with those of a `.env` file in the working directory under them. */
export function processEnvironment(): Environment {
  try {
    return { ...parseEnv(readFileSync('.env', 'utf8')), ...process.env }
  } catch {
    return process.env
  }
}

/** The variables that count for a review on the command line. */
export function reviewEnvironment({ sources }: { sources: boolean }): Environment {
  const names = [...reviewVariables, ...(sources ? sourceVariables : [])]
  return pickDefined(
    process.env,
    names.flatMap((name) => [name, `${name}_FILE`]),
  )
}

/** All variables that the process was given. */
export function ownEnvironment(): Environment {
  return process.env
}

/** What programs that we start get of an environment. */
export function chooseChildVariables(environment: Environment = process.env): Readonly<Record<string, string>> {
  return pickDefined(environment, childVariables)
}

/** The index that git names to its hooks, where it isn't the repository's own; an absolute path. */
export function hookIndex(): string | undefined {
  return process.env.GIT_INDEX_FILE ? resolve(process.env.GIT_INDEX_FILE) : undefined
}

function pickDefined(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}
