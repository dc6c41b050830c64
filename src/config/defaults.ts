// What holds where the environment says nothing. Light, for a command that needs no parser.

/** The variables that have a default. */
export const defaults = {
  HOST: '127.0.0.1',
  PORT: 8484,
  RATE_LIMIT_PER_MINUTE: 3000,
  SIGN_INS_PER_MINUTE: 20,
  APP_ENV: 'production',
  SERVICE_NAME: 'umpire',
  DATA_DIR: '.umpire',
  DATABASE_POOL_SIZE: 10,
  PLATFORM: 'github',
  PLATFORM_URL: 'https://github.com',
  PLATFORM_TIMEOUT_SECONDS: 30,
  REVIEW_MODE: 'agentic',
  REVIEW_CONCURRENCY: 64,
  REVIEW_LEASE_SECONDS: 45,
  REVIEW_MAX_ATTEMPTS: 5,
  REVIEW_RETRY_SECONDS: 5,
  SHUTDOWN_GRACE_SECONDS: 20,
  REVIEW_MAX_COMMENTS: 8,
  REVIEW_CONTEXT_TOKENS: 48_000,
  MEMORY: true,
  GRAPH: true,
  GRAPH_QUERY_TIMEOUT_MS: 30_000,
  LOG_LEVEL: 'info',
} as const
