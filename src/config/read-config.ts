// Reads and validates the environment, and builds the configuration from it.
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

/** Variables whose value may be in a file that `<NAME>_FILE` names. */
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
 * @param additional variables that the file of context sources may use as `${NAME}` as well
 * @throws ConfigError with all problems, one per line, that names variables but never their values
 */
export function readConfig(
  environment: Environment = readProcessEnvironment(),
  additional: Environment = {},
): Config {
  const problems: string[] = []
  const given = readSecretFiles(omitEmpty(environment), problems)
  const parsed = variablesSchema.safeParse(given)
  const issues = parsed.error?.issues ?? []
  for (const issue of issues) problems.push(`${issue.path.join('.')} ${issue.message}`)
  const malformed = new Set(issues.map((issue) => String(issue.path[0])))
  problems.push(...findWellFormedContradictions(given, malformed))
  const sources = parsed.success
    ? readContextSources(parsed.data, { ...additional, ...given }, problems)
    : []
  if (problems.length > 0 || !parsed.success) {
    const list = problems.map((problem) => `  - ${problem}`).join('\n')
    throw new ConfigError(`The configuration has ${problems.length} problem(s):\n${list}`, problems)
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

/** Finds contradictions between well-formed values, so that one error shows all problems. */
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

function findContradictions(variables: Variables): string[] {
  const problems: string[] = []
  if (variables.DATABASE_URL && !variables.SECRET_KEY) {
    problems.push(
      'SECRET_KEY is required with DATABASE_URL, the same for every process (openssl rand -hex 32)',
    )
  }
  if (Boolean(variables.OAUTH_CLIENT_ID) !== Boolean(variables.OAUTH_CLIENT_SECRET)) {
    problems.push('OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET belong together: set both or none')
  }
  return [...problems, ...findModelProblems(variables), ...findEmbedderProblems(variables)]
}

function findModelProblems(variables: Variables): string[] {
  const { MODEL, MODEL_FAST, MODEL_BASE_URL } = variables
  const problems = [
    ...findProviderProblems(variables, 'MODEL'),
    ...findProviderProblems(variables, 'MODEL_FAST'),
  ]
  if (MODEL_FAST && !MODEL) problems.push('MODEL_FAST needs MODEL')
  const models = [MODEL, MODEL_FAST].filter((name) => name !== undefined)
  const providers = new Set(models.map((name) => name.split(':')[0]))
  if (MODEL_BASE_URL && providers.size > 1) {
    problems.push(
      'MODEL_BASE_URL is one address: MODEL and MODEL_FAST must then be of the same provider',
    )
  }
  return problems
}

function findProviderProblems(variables: Variables, name: 'MODEL' | 'MODEL_FAST'): string[] {
  const model = variables[name]
  if (!model) return []
  const provider = parseProvider(model)
  if (provider === 'compatible') {
    return variables.MODEL_BASE_URL ? [] : [`${name} is compatible:…, which needs MODEL_BASE_URL`]
  }
  return getApiKey(variables, provider) ? [] : [`${name} needs ${apiKeyVariables[provider]}`]
}

function findEmbedderProblems(variables: Variables): string[] {
  if (!variables.EMBEDDING_MODEL)
    return variables.EMBEDDING_BASE_URL ? ['EMBEDDING_BASE_URL needs EMBEDDING_MODEL'] : []
  const provider = parseProvider(variables.EMBEDDING_MODEL)
  if (provider === 'compatible') {
    const needed = 'EMBEDDING_BASE_URL, or MODEL of the same provider with MODEL_BASE_URL'
    return getEmbedderUrl(variables) === null
      ? [`EMBEDDING_MODEL is compatible:…, which needs ${needed}`]
      : []
  }
  return getApiKey(variables, provider)
    ? []
    : [`EMBEDDING_MODEL needs ${apiKeyVariables[provider]}`]
}
