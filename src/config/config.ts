// The configuration as the rest of the program sees it: grouped, typed, complete.
import type { ContextSourceConfig } from './context-source-config.ts'

/** A model and how to reach it. */
export interface ModelConfig {
  readonly provider: 'anthropic' | 'openai' | 'google' | 'compatible'
  /** The provider's id of the model. */
  readonly id: string
  readonly apiKey: string | null
  /** Null for the provider's own address. */
  readonly baseUrl: string | null
}

/** A model that turns texts into vectors, and how to reach it. */
export type EmbedderConfig = ModelConfig & { readonly provider: 'openai' | 'google' | 'compatible' }

/** Whether there is anything that a scan would keep of a repository. */
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
  /** Absolute path; the embedded database, the generated secret and the git mirrors. */
  readonly dataDir: string
  readonly http: {
    readonly host: string
    readonly port: number
    /** Without a slash at the end. */
    readonly publicUrl: string
    /** Requests a minute that a caller of the API may make. */
    readonly rateLimitPerMinute: number
    /** Tokens of the platform a minute that one address may sign in with. */
    readonly signInsPerMinute: number
    /** Addresses and ranges of the reverse proxies that are believed whom they ask for. */
    readonly trustedProxies: readonly string[]
  }
  readonly database: DatabaseConfig
  readonly secrets: {
    /** Null: generated into `dataDir` at the first start. */
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
    /** Longest time one call may take. */
    readonly timeoutMs: number
  }
  /** Usernames in lower case that may sign in; null: everybody with an account at the platform. */
  readonly signInAllowed: ReadonlySet<string> | null
  /** How far apart the platform is asked, for each person, whether they may still see what they connected. */
  readonly accessCheckMinutes: number
  /** Used for repositories that nobody connected. */
  readonly fallback: { readonly token: string | null; readonly webhookSecret: string | null }
  readonly models: {
    readonly main: ModelConfig | null
    readonly fast: ModelConfig | null
    /** By which memories are searched; null: by their words alone. */
    readonly embedder: EmbedderConfig | null
    /** In US dollars; null without a limit. */
    readonly budget: {
      readonly perReviewUsd: number | null
      readonly perDayUsd: number | null
      /** For all repositories of one account or organization together. */
      readonly perOwnerDayUsd: number | null
    }
  }
  readonly review: {
    readonly mode: 'agentic' | 'parallel'
    /** Whether models must prove that they read each round. */
    readonly attentionCheck: boolean
    /** Reviews in flight per worker process. */
    readonly concurrency: number
    /** How long a worker may be silent before another takes its review over. */
    readonly leaseSeconds: number
    /** Tries of one run before it is failed; those that lost their worker don't count. */
    readonly maxAttempts: number
    /** How often a run may lose its worker before it is failed. */
    readonly maxLosses: number
    /** Wait before the second try, in seconds; it doubles with each further one. */
    readonly retrySeconds: number
    /** How long reviews may go on after the signal to stop. */
    readonly shutdownGraceSeconds: number
    /** Inline comments of one review. */
    readonly maxInlineComments: number
    /** Tokens of packed context in one round. */
    readonly contextTokens: number
  }
  readonly memory: boolean
  readonly graph: { readonly enabled: boolean; readonly queryTimeoutMs: number }
  /** Where reviews look beside the repository. */
  readonly contextSources: readonly ContextSourceConfig[]
  readonly mcp: {
    /** Whether the MCP server answers everybody who reaches it, those with a token only, or nobody. */
    readonly access: 'open' | 'token' | 'off'
    /** Whether callers with a token get further tools. */
    readonly agentTools: boolean
    /** Names of hosts under which it may be asked, besides the public one and those of this machine. */
    readonly allowedHosts: readonly string[]
    /** As whom `umpire mcp` asks; null: as a client without a token. */
    readonly token: string | null
  }
  /** Where Prometheus reads metrics; null: nowhere, and none are recorded. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  }
  /** What programs that we start (git) get of the environment. */
  readonly childEnvironment: Readonly<Record<string, string>>
}
