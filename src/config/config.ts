// Defines the configuration of the service itself. Most parts are the values of its variables.
import type {
  accessVariables,
  graphVariables,
  httpVariables,
  logVariables,
  mcpVariables,
  memoryVariables,
  processVariables,
  reviewVariables,
} from './service-variables.ts'
import type { ValuesOf } from './variable.ts'

/** Whether scans of repositories store anything. */
export function isKnowledgeEnabled({
  memory,
  graph,
}: Pick<ServiceConfig, 'memory' | 'graph'>): boolean {
  return memory || graph.enabled
}

export type DatabaseConfig =
  | { readonly engine: 'embedded'; readonly directory: string }
  | { readonly engine: 'postgresql'; readonly url: string; readonly poolSize: number }

/** `Config` in `context.ts` adds what the adapters need. */
export interface ServiceConfig
  extends ValuesOf<typeof processVariables>,
    ValuesOf<typeof accessVariables>,
    ValuesOf<typeof memoryVariables> {
  readonly http: ValuesOf<typeof httpVariables> & {
    readonly publicUrl: string
    readonly trustedProxies: readonly string[]
  }
  readonly database: DatabaseConfig
  readonly secrets: {
    /** Null if the key is generated into `dataDir` at the first start. */
    readonly current: string | null
    readonly isGenerated: boolean
    readonly old: readonly string[]
  }
  readonly review: ValuesOf<typeof reviewVariables>
  readonly graph: ValuesOf<typeof graphVariables>
  readonly mcp: ValuesOf<typeof mcpVariables> & { readonly allowedHosts: readonly string[] }
  /** Where Prometheus reads metrics; null if none are recorded. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  readonly notifications: {
    /** Null if no email can be sent. */
    readonly mail: { readonly url: string; readonly from: string } | null
    /** Hosts of chats that may have private addresses. */
    readonly hosts: readonly string[]
  }
  readonly log: ValuesOf<typeof logVariables>
  /** The environment variables that child processes such as git get. */
  readonly childEnvironment: Readonly<Record<string, string>>
}
