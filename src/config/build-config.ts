// How the values of variables become the configuration. Light: nothing is parsed here.
import { resolve } from 'node:path'
import type { Config, EmbedderConfig, ModelConfig } from './config.ts'
import { type Environment, pickChildVariables } from './environment.ts'
import type { Variables } from './variables.ts'

/** The variable that holds a provider's key. */
export const apiKeyVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  compatible: 'MODEL_API_KEY',
} as const

/** The key of a provider, where there is one. */
export function getApiKey(v: Variables, provider: ModelConfig['provider']): string | null {
  return v[apiKeyVariables[provider]] ?? null
}

/** The provider in a model's name. */
export function parseProvider(name: string): ModelConfig['provider'] {
  return name.slice(0, name.indexOf(':')) as ModelConfig['provider']
}

function buildModelConfig(v: Variables, name: string | undefined): ModelConfig | null {
  if (!name) return null
  const provider = parseProvider(name)
  const id = name.slice(provider.length + 1)
  return { provider, id, apiKey: getApiKey(v, provider), baseUrl: v.MODEL_BASE_URL ?? null }
}

/** The address of the embedder, where it isn't its provider's own: models of one provider are at one address. */
export function getEmbedderUrl(v: Variables): string | null {
  if (v.EMBEDDING_BASE_URL) return v.EMBEDDING_BASE_URL
  const isSame =
    v.MODEL && v.EMBEDDING_MODEL && parseProvider(v.MODEL) === parseProvider(v.EMBEDDING_MODEL)
  return isSame ? (v.MODEL_BASE_URL ?? null) : null
}

function buildEmbedderConfig(v: Variables): EmbedderConfig | null {
  const choice = buildModelConfig(v, v.EMBEDDING_MODEL) as EmbedderConfig | null
  return choice && { ...choice, baseUrl: getEmbedderUrl(v) }
}

/** The configuration that values come to, which were checked before. */
export function buildConfig(
  v: Variables,
  environment: Environment,
  contextSources: Config['contextSources'],
): Config {
  const dataDir = resolve(v.DATA_DIR)
  return {
    environment: v.APP_ENV,
    serviceName: v.SERVICE_NAME,
    dataDir,
    http: {
      host: v.HOST,
      port: v.PORT,
      publicUrl: v.PUBLIC_URL ?? `http://localhost:${v.PORT}`,
      rateLimitPerMinute: v.RATE_LIMIT_PER_MINUTE,
      signInsPerMinute: v.SIGN_INS_PER_MINUTE,
      trustedProxies: v.TRUSTED_PROXIES ?? [],
    },
    database: v.DATABASE_URL
      ? { engine: 'postgresql', url: v.DATABASE_URL, poolSize: v.DATABASE_POOL_SIZE }
      : { engine: 'embedded', directory: resolve(dataDir, 'database') },
    secrets: {
      current: v.SECRET_KEY ?? null,
      isGenerated: v.SECRET_KEY === undefined,
      old: v.SECRET_KEYS_OLD ?? [],
    },
    platform: {
      id: v.PLATFORM,
      url: v.PLATFORM_URL,
      apiUrl: v.PLATFORM_API_URL ?? defaultApiUrl(v.PLATFORM_URL),
      oauth:
        v.OAUTH_CLIENT_ID && v.OAUTH_CLIENT_SECRET
          ? { clientId: v.OAUTH_CLIENT_ID, clientSecret: v.OAUTH_CLIENT_SECRET }
          : null,
      userAgent: 'umpire',
      timeoutMs: v.PLATFORM_TIMEOUT_SECONDS * 1000,
    },
    signInAllowed: v.SIGN_IN_ALLOWED
      ? new Set(v.SIGN_IN_ALLOWED.toLowerCase().match(/[^\s,]+/g))
      : null,
    accessCheckMinutes: v.ACCESS_CHECK_MINUTES,
    fallback: { token: v.PLATFORM_TOKEN ?? null, webhookSecret: v.WEBHOOK_SECRET ?? null },
    models: {
      main: buildModelConfig(v, v.MODEL),
      fast: buildModelConfig(v, v.MODEL_FAST),
      embedder: buildEmbedderConfig(v),
      budget: {
        perReviewUsd: v.REVIEW_BUDGET_USD ?? null,
        perDayUsd: v.REVIEW_BUDGET_DAILY_USD ?? null,
        perOwnerDayUsd: v.REVIEW_BUDGET_OWNER_DAILY_USD ?? null,
      },
    },
    review: {
      mode: v.REVIEW_MODE,
      attentionCheck: v.ATTENTION_CHECK,
      concurrency: v.REVIEW_CONCURRENCY,
      leaseSeconds: v.REVIEW_LEASE_SECONDS,
      maxAttempts: v.REVIEW_MAX_ATTEMPTS,
      maxLosses: v.REVIEW_MAX_LOST_WORKERS,
      retrySeconds: v.REVIEW_RETRY_SECONDS,
      shutdownGraceSeconds: v.SHUTDOWN_GRACE_SECONDS,
      maxInlineComments: v.REVIEW_MAX_COMMENTS,
      contextTokens: v.REVIEW_CONTEXT_TOKENS,
    },
    memory: v.MEMORY,
    graph: { enabled: v.GRAPH, queryTimeoutMs: v.GRAPH_QUERY_TIMEOUT_MS },
    contextSources,
    mcp: {
      access: v.MCP_ACCESS,
      agentTools: v.MCP_AGENT_TOOLS,
      allowedHosts: v.MCP_ALLOWED_HOSTS ?? [],
      token: v.UMPIRE_TOKEN ?? null,
    },
    metrics: v.METRICS_PORT === undefined ? null : { host: v.METRICS_HOST, port: v.METRICS_PORT },
    log: { level: v.LOG_LEVEL },
    childEnvironment: pickChildVariables(environment),
  }
}

/** github.com has its API on a host of its own, an Enterprise server under a path. */
function defaultApiUrl(url: string): string {
  return url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
}
