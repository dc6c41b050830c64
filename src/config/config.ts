// Defines the configuration that the program uses: grouped, typed and complete.
import type { ContextSourceConfig } from './context-source-config.ts'

/** Identifies a model and how to reach it. */
export interface ModelConfig {
  readonly provider: 'anthropic' | 'openai' | 'google' | 'compatible'
  readonly id: string
  readonly apiKey: string | null
  /** Null if the model is at the provider's own address. */
  readonly baseUrl: string | null
}

/** Describes a model that turns texts into vectors. */
export type EmbedderConfig = ModelConfig & { readonly provider: 'openai' | 'google' | 'compatible' }

/** Whether scans of repositories store anything. */
export function isKnowledgeEnabled({ memory, graph }: Pick<Config, 'memory' | 'graph'>): boolean {
  return memory || graph.enabled
}

export type DatabaseConfig =
  | { readonly engine: 'embedded'; readonly directory: string }
  | { readonly engine: 'postgresql'; readonly url: string; readonly poolSize: number }

export interface Config {
  /** Signatures are enforced in production only. */
  readonly environment: 'production' | 'development' | 'test'
  readonly serviceName: string
  /** Absolute path for the embedded database, the generated secret key and the git mirrors. */
  readonly dataDir: string
  readonly http: {
    readonly host: string
    readonly port: number
    /** The public address has no slash at the end. */
    readonly publicUrl: string
    /** How many API requests a caller may make. */
    readonly rateLimitPerMinute: number
    /** Limits how many platform tokens one IP address may try to sign in with. */
    readonly signInsPerMinute: number
    /** Addresses and ranges of reverse proxies whose `X-Forwarded-For` headers are trusted. */
    readonly trustedProxies: readonly string[]
  }
  readonly database: DatabaseConfig
  readonly secrets: {
    /** Null if the key is generated into `dataDir` at the first start. */
    readonly current: string | null
    readonly isGenerated: boolean
    readonly old: readonly string[]
  }
  readonly platform: {
    readonly id: 'github'
    readonly url: string
    readonly apiUrl: string
    readonly oauth: { readonly clientId: string; readonly clientSecret: string } | null
    readonly userAgent: string
    /** How long one call may take. */
    readonly timeoutMs: number
  }
  /** Logins in lower case; null if anyone with an account on the platform may sign in. */
  readonly signInAllowed: ReadonlySet<string> | null
  /** How often each person's access to their connected repositories is checked. */
  readonly accessCheckMinutes: number
  /** Used for repositories that no one has connected. */
  readonly fallback: { readonly token: string | null; readonly webhookSecret: string | null }
  readonly models: {
    readonly main: ModelConfig | null
    readonly fast: ModelConfig | null
    /** Creates vectors for the search in memories; null for a search by words only. */
    readonly embedder: EmbedderConfig | null
    /** Amounts are in US dollars, and null means no limit. */
    readonly budget: {
      readonly perReviewUsd: number | null
      readonly perDayUsd: number | null
      /** Limits what all repositories of one account or organization may cost together. */
      readonly perOwnerDayUsd: number | null
    }
  }
  readonly review: {
    readonly mode: 'agentic' | 'parallel'
    /** Whether models must prove in each round that they read the change. */
    readonly attentionCheck: boolean
    /** How many reviews a worker process runs at the same time. */
    readonly concurrency: number
    /** How long a worker may be silent before another worker takes over its review. */
    readonly leaseSeconds: number
    /** Limits the attempts of a run, without those whose worker was lost. */
    readonly maxAttempts: number
    /** How many times a run may lose its worker before it fails. */
    readonly maxLosses: number
    /** How long to wait before the second attempt; each further wait is twice as long. */
    readonly retrySeconds: number
    /** How long running reviews may continue after the signal to stop. */
    readonly shutdownGraceSeconds: number
    /** How many inline comments a review may post. */
    readonly maxInlineComments: number
    /** How many tokens of packed context a round may have. */
    readonly contextTokens: number
  }
  readonly memory: boolean
  readonly graph: { readonly enabled: boolean; readonly queryTimeoutMs: number }
  /** Services outside of the repository that reviews query. */
  readonly contextSources: readonly ContextSourceConfig[]
  readonly mcp: {
    /** Whether the MCP server serves anyone, only callers with a token, or no one. */
    readonly access: 'open' | 'token' | 'off'
    /** Whether callers with a token get additional tools. */
    readonly agentTools: boolean
    /** Accepted host names in addition to the public one and those of this machine. */
    readonly allowedHosts: readonly string[]
    /** Authenticates `umpire mcp`; null if it has no token. */
    readonly token: string | null
  }
  /** Where Prometheus reads metrics; null if none are recorded. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  }
  /** The environment variables that child processes such as git get. */
  readonly childEnvironment: Readonly<Record<string, string>>
}
