// Builds the configuration from variables that were validated before.
import { resolve } from 'node:path'
import type { Config, EmbedderConfig, ModelConfig } from './config.ts'
import { type Environment, pickChildVariables } from './environment.ts'
import type { Variables } from './variables.ts'

/** Names the variable that holds the API key of each provider. */
export const apiKeyVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  compatible: 'MODEL_API_KEY',
} as const

export function getApiKey(variables: Variables, provider: ModelConfig['provider']): string | null {
  return variables[apiKeyVariables[provider]] ?? null
}

/** Reads the provider from a model's name, for example `openai` from `openai:gpt-5`. */
export function parseProvider(name: string): ModelConfig['provider'] {
  return name.slice(0, name.indexOf(':')) as ModelConfig['provider']
}

function buildModelConfig(variables: Variables, name: string | undefined): ModelConfig | null {
  if (!name) return null
  const provider = parseProvider(name)
  const id = name.slice(provider.length + 1)
  const baseUrl = variables.MODEL_BASE_URL ?? null
  return { provider, id, apiKey: getApiKey(variables, provider), baseUrl }
}

/**
 * Returns the embedder's address; null for its provider's own. Models of one provider share one.
 */
export function getEmbedderUrl(variables: Variables): string | null {
  const { EMBEDDING_BASE_URL, EMBEDDING_MODEL, MODEL, MODEL_BASE_URL } = variables
  if (EMBEDDING_BASE_URL) return EMBEDDING_BASE_URL
  const hasSameProvider =
    MODEL && EMBEDDING_MODEL && parseProvider(MODEL) === parseProvider(EMBEDDING_MODEL)
  return hasSameProvider ? (MODEL_BASE_URL ?? null) : null
}

function buildEmbedderConfig(variables: Variables): EmbedderConfig | null {
  const config = buildModelConfig(variables, variables.EMBEDDING_MODEL) as EmbedderConfig | null
  return config && { ...config, baseUrl: getEmbedderUrl(variables) }
}

/** @param environment the source of the variables that child processes get */
export function buildConfig(
  variables: Variables,
  environment: Environment,
  contextSources: Config['contextSources'],
): Config {
  const dataDir = resolve(variables.DATA_DIR)
  return {
    environment: variables.APP_ENV,
    serviceName: variables.SERVICE_NAME,
    dataDir,
    http: buildHttpConfig(variables),
    database: buildDatabaseConfig(variables, dataDir),
    secrets: {
      current: variables.SECRET_KEY ?? null,
      isGenerated: variables.SECRET_KEY === undefined,
      old: variables.SECRET_KEYS_OLD ?? [],
    },
    platform: buildPlatformConfig(variables),
    signInAllowed: variables.SIGN_IN_ALLOWED
      ? new Set(variables.SIGN_IN_ALLOWED.toLowerCase().match(/[^\s,]+/g))
      : null,
    accessCheckMinutes: variables.ACCESS_CHECK_MINUTES,
    fallback: {
      token: variables.PLATFORM_TOKEN ?? null,
      webhookSecret: variables.WEBHOOK_SECRET ?? null,
    },
    models: buildModelsConfig(variables),
    review: buildReviewConfig(variables),
    memory: variables.MEMORY,
    graph: { enabled: variables.GRAPH, queryTimeoutMs: variables.GRAPH_QUERY_TIMEOUT_MS },
    contextSources,
    mcp: {
      access: variables.MCP_ACCESS,
      agentTools: variables.MCP_AGENT_TOOLS,
      allowedHosts: variables.MCP_ALLOWED_HOSTS ?? [],
      token: variables.UMPIRE_TOKEN ?? null,
    },
    metrics:
      variables.METRICS_PORT === undefined
        ? null
        : { host: variables.METRICS_HOST, port: variables.METRICS_PORT },
    log: { level: variables.LOG_LEVEL },
    childEnvironment: pickChildVariables(environment),
  }
}

function buildHttpConfig(variables: Variables): Config['http'] {
  return {
    host: variables.HOST,
    port: variables.PORT,
    publicUrl: variables.PUBLIC_URL ?? `http://localhost:${variables.PORT}`,
    rateLimitPerMinute: variables.RATE_LIMIT_PER_MINUTE,
    signInsPerMinute: variables.SIGN_INS_PER_MINUTE,
    trustedProxies: variables.TRUSTED_PROXIES ?? [],
  }
}

function buildDatabaseConfig(variables: Variables, dataDir: string): Config['database'] {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = variables
  return url
    ? { engine: 'postgresql', url, poolSize }
    : { engine: 'embedded', directory: resolve(dataDir, 'database') }
}

function buildPlatformConfig(variables: Variables): Config['platform'] {
  const { OAUTH_CLIENT_ID: clientId, OAUTH_CLIENT_SECRET: clientSecret } = variables
  return {
    id: variables.PLATFORM,
    url: variables.PLATFORM_URL,
    apiUrl: variables.PLATFORM_API_URL ?? defaultApiUrl(variables.PLATFORM_URL),
    oauth: clientId && clientSecret ? { clientId, clientSecret } : null,
    userAgent: 'umpire',
    timeoutMs: variables.PLATFORM_TIMEOUT_SECONDS * 1000,
  }
}

function buildModelsConfig(variables: Variables): Config['models'] {
  return {
    main: buildModelConfig(variables, variables.MODEL),
    fast: buildModelConfig(variables, variables.MODEL_FAST),
    embedder: buildEmbedderConfig(variables),
    budget: {
      perReviewUsd: variables.REVIEW_BUDGET_USD ?? null,
      perDayUsd: variables.REVIEW_BUDGET_DAILY_USD ?? null,
      perOwnerDayUsd: variables.REVIEW_BUDGET_OWNER_DAILY_USD ?? null,
    },
  }
}

function buildReviewConfig(variables: Variables): Config['review'] {
  return {
    mode: variables.REVIEW_MODE,
    attentionCheck: variables.ATTENTION_CHECK,
    concurrency: variables.REVIEW_CONCURRENCY,
    leaseSeconds: variables.REVIEW_LEASE_SECONDS,
    maxAttempts: variables.REVIEW_MAX_ATTEMPTS,
    maxLosses: variables.REVIEW_MAX_LOST_WORKERS,
    retrySeconds: variables.REVIEW_RETRY_SECONDS,
    shutdownGraceSeconds: variables.SHUTDOWN_GRACE_SECONDS,
    maxInlineComments: variables.REVIEW_MAX_COMMENTS,
    contextTokens: variables.REVIEW_CONTEXT_TOKENS,
  }
}

/** github.com has its API on a separate host, GitHub Enterprise Server under a path. */
function defaultApiUrl(url: string): string {
  return url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
}
