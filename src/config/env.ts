// Reads the environment (and a .env file) into the configuration.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from '../domain/errors.ts'
import type { Config, ModelChoice } from './config.ts'
import { type Environment, processEnvironment } from './environment.ts'
import { defaults, groupVariables, keyVariable, modelKey } from './group-variables.ts'

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((url) => url.replace(/\/+$/, ''))
const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on')
const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be a whole number from ${minimum} to ${maximum}`)
const dollars = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be an amount in US dollars, for example 0.50')
  .transform(Number)
const modelName = z
  .string()
  .regex(
    /^(anthropic|openai|google|compatible):\S+$/,
    'must be anthropic:<id>, openai:<id>, google:<id> or compatible:<id>',
  )

/** Every variable; `docs/configuration.md` says what each means. */
const variables = z.object({
  HOST: z.string().default(defaults.HOST),
  PORT: wholeNumber(0, 65535).default(defaults.PORT),
  PUBLIC_URL: httpUrl.optional(),
  APP_ENV: z
    .enum(['production', 'development', 'test'], { error: 'must be production, development or test' })
    .default(defaults.APP_ENV),
  SERVICE_NAME: z
    .string()
    .regex(/^[\w .-]{1,40}$/, 'must be 1 to 40 letters, digits, spaces, dots or dashes')
    .default(defaults.SERVICE_NAME),
  DATA_DIR: z.string().default(defaults.DATA_DIR),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address')
    .refine((url) => URL.canParse(url), 'must be a postgresql:// address; special characters in it are percent-encoded')
    .optional(),
  DATABASE_POOL_SIZE: wholeNumber(2, 500).default(defaults.DATABASE_POOL_SIZE),
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  SECRET_KEYS_OLD: z.string().optional(),
  PLATFORM: z.enum(['github'], { error: 'must be github' }).default(defaults.PLATFORM),
  PLATFORM_URL: httpUrl.default(defaults.PLATFORM_URL),
  PLATFORM_API_URL: httpUrl.optional(),
  OAUTH_CLIENT_ID: z.string().optional(),
  OAUTH_CLIENT_SECRET: z.string().optional(),
  PLATFORM_TOKEN: z.string().optional(),
  WEBHOOK_SECRET: z.string().optional(),
  MODEL: modelName.optional(),
  MODEL_FAST: modelName.optional(),
  MODEL_BASE_URL: httpUrl.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  MODEL_API_KEY: z.string().optional(),
  REVIEW_MODE: z.enum(['agentic', 'parallel'], { error: 'must be agentic or parallel' }).default(defaults.REVIEW_MODE),
  REVIEW_BUDGET_USD: dollars.optional(),
  REVIEW_BUDGET_DAILY_USD: dollars.optional(),
  REVIEW_CONCURRENCY: wholeNumber(1, 2000).default(defaults.REVIEW_CONCURRENCY),
  REVIEW_LEASE_SECONDS: wholeNumber(2, 3600).default(defaults.REVIEW_LEASE_SECONDS),
  REVIEW_MAX_ATTEMPTS: wholeNumber(1, 20).default(defaults.REVIEW_MAX_ATTEMPTS),
  REVIEW_RETRY_SECONDS: wholeNumber(0, 3600).default(defaults.REVIEW_RETRY_SECONDS),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 600).default(defaults.SHUTDOWN_GRACE_SECONDS),
  REVIEW_MAX_COMMENTS: wholeNumber(0, 50).default(defaults.REVIEW_MAX_COMMENTS),
  REVIEW_CONTEXT_TOKENS: wholeNumber(2000, 1_000_000).default(defaults.REVIEW_CONTEXT_TOKENS),
  MEMORY: onOff.default(defaults.MEMORY),
  GRAPH: onOff.default(defaults.GRAPH),
  GRAPH_QUERY_TIMEOUT_MS: wholeNumber(1, 600_000).default(defaults.GRAPH_QUERY_TIMEOUT_MS),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent',
    })
    .default(defaults.LOG_LEVEL),
})
export type Variables = z.output<typeof variables>

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
] as const

/**
 * Reads the configuration.
 *
 * @param environment defaults to the process's own, with a `.env` file of the working directory under it
 * @throws ConfigError that lists everything that is wrong, one line each, naming the variable and never its value
 */
export function readConfig(environment: Environment = processEnvironment()): Config {
  const problems: string[] = []
  const given = readSecretFiles(withoutEmpty(environment), problems)
  const parsed = variables.safeParse(given)
  const malformed = parsed.error?.issues ?? []
  for (const issue of malformed) problems.push(`${issue.path.join('.')} ${issue.message}`)
  problems.push(...findContradictionsBeside(given, new Set(malformed.map((issue) => String(issue.path[0])))))
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    )
  }
  return groupVariables(parsed.data, environment)
}

function withoutEmpty(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )
}

function readSecretFiles(given: Record<string, string>, problems: string[]): Record<string, string> {
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
function findContradictionsBeside(given: Record<string, string>, malformed: ReadonlySet<string>): string[] {
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !malformed.has(name)))
  const parsed = variables.safeParse(rest)
  if (!parsed.success) return []
  return findContradictions(parsed.data).filter((problem) => ![...malformed].some((name) => problem.includes(name)))
}

function findContradictions(v: Variables): string[] {
  const problems: string[] = []
  if (v.DATABASE_URL && !v.SECRET_KEY) {
    problems.push('SECRET_KEY is required with DATABASE_URL, the same for every process (openssl rand -hex 32)')
  }
  if (Boolean(v.OAUTH_CLIENT_ID) !== Boolean(v.OAUTH_CLIENT_SECRET)) {
    problems.push('OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET belong together: set both or none')
  }
  for (const name of ['MODEL', 'MODEL_FAST'] as const) {
    const value = v[name]
    if (!value) continue
    const provider = value.slice(0, value.indexOf(':')) as ModelChoice['provider']
    if (provider === 'compatible' && !v.MODEL_BASE_URL)
      problems.push(`${name} is compatible:…, which needs MODEL_BASE_URL`)
    if (provider !== 'compatible' && !modelKey(v, provider)) problems.push(`${name} needs ${keyVariable[provider]}`)
  }
  if (v.MODEL_FAST && !v.MODEL) problems.push('MODEL_FAST needs MODEL')
  const providers = new Set([v.MODEL, v.MODEL_FAST].flatMap((name) => (name ? [name.split(':')[0]] : [])))
  if (v.MODEL_BASE_URL && providers.size > 1) {
    problems.push('MODEL_BASE_URL is one address: MODEL and MODEL_FAST must then be of the same provider')
  }
  return problems
}
