// Defines the format of each environment variable.
import { z } from 'zod'
import { defaults } from './defaults.ts'

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((url) => url.replace(/\/+$/, ''))
const onOffSwitch = z
  .enum(['on', 'off'], { error: 'must be on or off' })
  .transform((value) => value === 'on')
const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine(
      (value) => value >= minimum && value <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    )
const dollars = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be an amount in US dollars, for example 0.50')
  .transform(Number)
const secretKey = z
  .string()
  .trim()
  .min(32, 'must have at least 32 characters')
  .regex(/^[^,]*$/, 'must have no comma, which separates the keys of SECRET_KEYS_OLD')
const addressRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((range) => !range.endsWith('/0'))
const modelName = z
  .string()
  .regex(
    /^(anthropic|openai|google|compatible):\S+$/,
    'must be anthropic:<id>, openai:<id>, google:<id> or compatible:<id>',
  )

const embedderName = z
  .string()
  .regex(/^(openai|google|compatible):\S+$/, 'must be openai:<id>, google:<id> or compatible:<id>')

/** `docs/configuration.md` describes what each variable means. */
export const variablesSchema = z.object({
  HOST: z.string().default(defaults.HOST),
  PORT: wholeNumber(0, 65535).default(defaults.PORT),
  PUBLIC_URL: httpUrl.optional(),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(defaults.RATE_LIMIT_PER_MINUTE),
  SIGN_INS_PER_MINUTE: wholeNumber(1, 100_000).default(defaults.SIGN_INS_PER_MINUTE),
  TRUSTED_PROXIES: z
    .string()
    .transform((ranges) => ranges.split(',').map((range) => range.trim()))
    .refine((ranges) => ranges.every((range) => addressRange.safeParse(range).success), {
      error: 'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
    })
    .optional(),
  APP_ENV: z
    .enum(['production', 'development', 'test'], {
      error: 'must be production, development or test',
    })
    .default(defaults.APP_ENV),
  SERVICE_NAME: z
    .string()
    .regex(/^[\w .-]{1,40}$/, 'must be 1 to 40 letters, digits, spaces, dots or dashes')
    .default(defaults.SERVICE_NAME),
  DATA_DIR: z.string().default(defaults.DATA_DIR),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address')
    .refine(
      (url) => URL.canParse(url),
      'must be a postgresql:// address; special characters in it are percent-encoded',
    )
    .optional(),
  DATABASE_POOL_SIZE: wholeNumber(2, 500).default(defaults.DATABASE_POOL_SIZE),
  SECRET_KEY: secretKey.optional(),
  // An empty key from a stray comma is rejected: anyone could forge tokens with a known key.
  SECRET_KEYS_OLD: z
    .string()
    .transform((keys) => keys.split(','))
    .refine((keys) => keys.every((key) => secretKey.safeParse(key).success), {
      error: 'must be keys of at least 32 characters each, separated by commas',
    })
    .transform((keys) => keys.map((key) => key.trim()))
    .optional(),
  PLATFORM: z.enum(['github'], { error: 'must be github' }).default(defaults.PLATFORM),
  PLATFORM_URL: httpUrl.default(defaults.PLATFORM_URL),
  PLATFORM_API_URL: httpUrl.optional(),
  PLATFORM_TIMEOUT_SECONDS: wholeNumber(1, 300).default(defaults.PLATFORM_TIMEOUT_SECONDS),
  OAUTH_CLIENT_ID: z.string().optional(),
  OAUTH_CLIENT_SECRET: z.string().optional(),
  // A value without any name is rejected: treating it as empty would let everyone sign in.
  SIGN_IN_ALLOWED: z
    .string()
    .regex(
      /^\s*[\w.-]+(\s*,\s*[\w.-]+)*\s*$/,
      'must be usernames of the platform, separated by commas',
    )
    .optional(),
  ACCESS_CHECK_MINUTES: wholeNumber(1, 1440).default(defaults.ACCESS_CHECK_MINUTES),
  PLATFORM_TOKEN: z.string().optional(),
  WEBHOOK_SECRET: z.string().optional(),
  MODEL: modelName.optional(),
  MODEL_FAST: modelName.optional(),
  MODEL_BASE_URL: httpUrl.optional(),
  EMBEDDING_MODEL: embedderName.optional(),
  EMBEDDING_BASE_URL: httpUrl.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  MODEL_API_KEY: z.string().optional(),
  REVIEW_MODE: z
    .enum(['agentic', 'parallel'], { error: 'must be agentic or parallel' })
    .default(defaults.REVIEW_MODE),
  ATTENTION_CHECK: onOffSwitch.default(defaults.ATTENTION_CHECK),
  REVIEW_BUDGET_USD: dollars.optional(),
  REVIEW_BUDGET_DAILY_USD: dollars.optional(),
  REVIEW_BUDGET_OWNER_DAILY_USD: dollars.optional(),
  REVIEW_CONCURRENCY: wholeNumber(1, 2000).default(defaults.REVIEW_CONCURRENCY),
  REVIEW_LEASE_SECONDS: wholeNumber(2, 3600).default(defaults.REVIEW_LEASE_SECONDS),
  REVIEW_MAX_ATTEMPTS: wholeNumber(1, 20).default(defaults.REVIEW_MAX_ATTEMPTS),
  REVIEW_MAX_LOST_WORKERS: wholeNumber(1, 1000).default(defaults.REVIEW_MAX_LOST_WORKERS),
  REVIEW_RETRY_SECONDS: wholeNumber(0, 3600).default(defaults.REVIEW_RETRY_SECONDS),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 600).default(defaults.SHUTDOWN_GRACE_SECONDS),
  REVIEW_MAX_COMMENTS: wholeNumber(0, 50).default(defaults.REVIEW_MAX_COMMENTS),
  REVIEW_CONTEXT_TOKENS: wholeNumber(2000, 1_000_000).default(defaults.REVIEW_CONTEXT_TOKENS),
  MEMORY: onOffSwitch.default(defaults.MEMORY),
  GRAPH: onOffSwitch.default(defaults.GRAPH),
  GRAPH_QUERY_TIMEOUT_MS: wholeNumber(1, 600_000).default(defaults.GRAPH_QUERY_TIMEOUT_MS),
  UMPIRE_TOKEN: z.string().optional(),
  LINEAR_MCP_URL: httpUrl.optional(),
  LINEAR_API_KEY: z.string().optional(),
  ATLASSIAN_MCP_URL: httpUrl.optional(),
  ATLASSIAN_TOKEN: z.string().optional(),
  ATLASSIAN_CLOUD_ID: z.string().optional(),
  SENTRY_MCP_URL: httpUrl.optional(),
  SENTRY_AUTH_TOKEN: z.string().optional(),
  SENTRY_ORGANIZATION: z.string().optional(),
  SLACK_MCP_URL: httpUrl.optional(),
  SLACK_TOKEN: z.string().optional(),
  CONTEXT_SOURCES: z.string().optional(),
  MCP_ACCESS: z
    .enum(['open', 'token', 'off'], { error: 'must be open, token or off' })
    .default(defaults.MCP_ACCESS),
  MCP_AGENT_TOOLS: onOffSwitch.default(defaults.MCP_AGENT_TOOLS),
  MCP_ALLOWED_HOSTS: z
    .string()
    .toLowerCase()
    .transform((names) => names.split(',').map((name) => name.trim()))
    .refine(
      (names) => names.every((name) => /^([a-z\d-]+(\.[a-z\d-]+)*|\[[\da-f:]+\])$/.test(name)),
      {
        error: 'must be names of hosts without a port, separated by commas',
      },
    )
    .optional(),
  METRICS_PORT: wholeNumber(0, 65535).optional(),
  METRICS_HOST: z.string().default(defaults.METRICS_HOST),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent',
    })
    .default(defaults.LOG_LEVEL),
})
export type Variables = z.output<typeof variablesSchema>
