// Reads the environment into the configuration.
import { readFileSync } from 'node:fs'
import { ConfigError } from '../domain/errors.ts'
import {
  apiKeyVariables,
  buildConfig,
  getApiKey,
  getEmbedderUrl,
  parseProvider,
} from './build-config.ts'
import type { Config } from './config.ts'
import { type Environment, readProcessEnvironment } from './environment.ts'
import { readContextSources } from './read-context-sources.ts'
import { type Variables, variablesSchema } from './variables.ts'

/** Variables whose value may stand in a file instead, named by `<NAME>_FILE`. */
const secretNames = [
  'DATABASE_URL',
  'SECRET_KEY',
  'SECRET_KEYS_OLD',
  'OAUTH_CLIENT_SECRET',
  'PLATFORM_TOKEN',
  'WEBHOOK_SECRET',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'MODEL_API_KEY',
  'UMPIRE_TOKEN',
  'LINEAR_API_KEY',
  'ATLASSIAN_TOKEN',
  'SENTRY_AUTH_TOKEN',
  'SLACK_TOKEN',
] as const

/**
 * Reads the configuration.
 *
 * @param environment defaults to the process's own
 * @param named what the file of sources may name as `${NAME}`, beside these
 * @throws ConfigError that lists everything that is wrong, one line each, naming the variable and never its value
 */
export function readConfig(
  environment: Environment = readProcessEnvironment(),
  named: Environment = {},
): Config {
  const problems: string[] = []
  const given = readSecretFiles(omitEmpty(environment), problems)
  const parsed = variablesSchema.safeParse(given)
  const malformed = parsed.error?.issues ?? []
  for (const issue of malformed) problems.push(`${issue.path.join('.')} ${issue.message}`)
  problems.push(
    ...findWellFormedContradictions(
      given,
      new Set(malformed.map((issue) => String(issue.path[0]))),
    ),
  )
  const sources = parsed.success
    ? readContextSources(parsed.data, { ...named, ...given }, problems)
    : []
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`,
      problems,
    )
  }
  return buildConfig(parsed.data, environment, sources)
}

function omitEmpty(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  )
}

function readSecretFiles(
  given: Record<string, string>,
  problems: string[],
): Record<string, string> {
  const result = { ...given }
  for (const name of secretNames) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    if (given[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set: keep one`)
    try {
      result[name] = readFileSync(file, 'utf8').trimEnd()
    } catch (error) {
      problems.push(`${name}_FILE can't be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return result
}

/** Contradictions between the values that are well-formed. */
function findWellFormedContradictions(
  given: Record<string, string>,
  malformed: ReadonlySet<string>,
): string[] {
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !malformed.has(name)))
  const parsed = variablesSchema.safeParse(rest)
  if (!parsed.success) return []
  return findContradictions(parsed.data).filter(
    (problem) => ![...malformed].some((name) => problem.includes(name)),
  )
}

function findContradictions(v: Variables): string[] {
  const problems: string[] = []
  if (v.DATABASE_URL && !v.SECRET_KEY) {
    problems.push(
      'SECRET_KEY is required with DATABASE_URL, the same for every process (openssl rand -hex 32)',
    )
  }
  if (Boolean(v.OAUTH_CLIENT_ID) !== Boolean(v.OAUTH_CLIENT_SECRET)) {
    problems.push('OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET belong together: set both or none')
  }
  for (const name of ['MODEL', 'MODEL_FAST'] as const) {
    const value = v[name]
    if (!value) continue
    const provider = parseProvider(value)
    if (provider === 'compatible' && !v.MODEL_BASE_URL)
      problems.push(`${name} is compatible:…, which needs MODEL_BASE_URL`)
    if (provider !== 'compatible' && !getApiKey(v, provider))
      problems.push(`${name} needs ${apiKeyVariables[provider]}`)
  }
  if (v.MODEL_FAST && !v.MODEL) problems.push('MODEL_FAST needs MODEL')
  const providers = new Set(
    [v.MODEL, v.MODEL_FAST].flatMap((name) => (name ? [name.split(':')[0]] : [])),
  )
  if (v.MODEL_BASE_URL && providers.size > 1) {
    problems.push(
      'MODEL_BASE_URL is one address: MODEL and MODEL_FAST must then be of the same provider',
    )
  }
  return [...problems, ...findEmbedderProblems(v)]
}

function findEmbedderProblems(v: Variables): string[] {
  if (!v.EMBEDDING_MODEL)
    return v.EMBEDDING_BASE_URL ? ['EMBEDDING_BASE_URL needs EMBEDDING_MODEL'] : []
  const provider = parseProvider(v.EMBEDDING_MODEL)
  if (provider === 'compatible') {
    const needed = 'EMBEDDING_BASE_URL, or MODEL of the same provider with MODEL_BASE_URL'
    return getEmbedderUrl(v) === null
      ? [`EMBEDDING_MODEL is compatible:…, which needs ${needed}`]
      : []
  }
  return getApiKey(v, provider) ? [] : [`EMBEDDING_MODEL needs ${apiKeyVariables[provider]}`]
}
