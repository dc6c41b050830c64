// The configuration and the parts of a running Umpire, as types. `read-config.ts` and `app.ts`
// create them.
import type { Credentials } from './accounts/credentials.ts'
import type { SyntaxParser } from './code/syntax-parser.ts'
import type { ServiceConfig } from './config/config.ts'
import type { Db } from './db/database.ts'
import type { Change } from './domain/change.ts'
import type { RepositoryName } from './domain/pull-request.ts'
import type { GitRuntime } from './git/run-git.ts'
import type { CodeCache } from './knowledge/change/code-cache.ts'
import type { KeyRing } from './lib/key-ring.ts'
import type { Log } from './lib/logger.ts'
import type { FairSemaphore } from './lib/semaphore.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Budget, Embedder, Models } from './models/index.ts'
import type { ModelsConfig } from './models/models-config.ts'
import type { AppTokens } from './platforms/app-tokens.ts'
import type { HostSettings, PlatformSettings } from './platforms/code-hosts.ts'
import type { Platform } from './platforms/platform.ts'
import type { Answerer, Reviewer, Verifier } from './reviewers/reviewer.ts'
import type { ContextSources } from './tools/sources/context-sources.ts'
import type { ContextSourceConfig } from './tools/sources/source-config.ts'
import type { UserTokens } from './workflows/connecting/user-tokens.ts'
import type { ToolLogs } from './workflows/gathering/list-tool-logs.ts'
import type { OrganizationSettings } from './workflows/gathering/organization-settings.ts'

export interface Config extends ServiceConfig, PlatformSettings {
  readonly models: ModelsConfig
  /** Services outside of the repository that reviews query. */
  readonly contextSources: readonly ContextSourceConfig[]
}

/** What a review needs with and without a server; the command line has only this. */
export interface ReviewContext {
  readonly config: Config
  /**
   * Secret values of the configuration and of the App, which logs and posts must redact. The list
   * becomes longer when further ones are read.
   */
  readonly secrets: readonly string[]
  readonly models: Models
  /** Called for each review, because reviewers with a model hold the review's budget. */
  readonly createReviewers: (
    budget: Budget,
    change: Change,
    syntax: SyntaxParser,
  ) => readonly Reviewer[]
  readonly createVerifier: (budget: Budget, change: Change, syntax: SyntaxParser) => Verifier | null
  /** Called for each question. Null without a model. */
  readonly createAnswerer: (budget: Budget, change: Change, syntax: SyntaxParser) => Answerer | null
  readonly syntax: SyntaxParser
  readonly log: Log
}

/** What all code hosts share. It has no token or secret of a host, and no adapter. */
export interface ServiceContext extends Omit<ReviewContext, 'config'> {
  readonly config: Omit<Config, keyof HostSettings>
  readonly hosts: Hosts
  readonly db: Db
  /** Encrypts stored secrets. */
  readonly keys: KeyRing
  readonly credentials: Credentials
  /** Null when no embedder is configured or the memory is off. */
  readonly embedder: Embedder | null
  /** Trackers, error trackers and chats that reviews query. */
  readonly sources: ContextSources
  /** Limits concurrent gathering in this process: more changes would only compete for the disk. */
  readonly gatherSemaphore: FairSemaphore
  /** Limits the estimated bytes of all changes that reviews hold, from before they are gathered. */
  readonly changeMemory: FairSemaphore
  readonly codeCache: CodeCache
  /** Spawner and environment of git processes. */
  readonly gitRuntime: GitRuntime
  readonly metrics: Metrics
}

/**
 * What work for the repositories and people of one code host needs. All of its adapter, tokens and
 * secrets are of that host, so that nothing done with it can send them to another one.
 */
export interface AppContext extends ServiceContext {
  readonly config: Config
  readonly platform: Platform
  /** Opens people's tokens, and renews those that expire. */
  readonly userTokens: UserTokens
  /** Null where the platform has no Apps. */
  readonly appTokens: AppTokens | null
  readonly organizationSettings: OrganizationSettings
  /** Lists what other tools found. */
  readonly toolLogs: ToolLogs
}

/** Every code host of the deployment has its own context. */
export interface Hosts<Context = AppContext> {
  readonly first: Context
  /** The first one comes first. */
  readonly all: readonly Context[]
  /** Undefined for a host that is not served (any more). */
  find(id: string): Context | undefined
  /**
   * The host of a repository. It is the first one for a repository of a host that isn't served: its
   * adapter refuses repositories of other hosts.
   */
  of(repo: RepositoryName): Context
  /** Removes the id of the first host from a name that people or programs gave. */
  shorten(repo: string): string
}

/** It is what people's requests need of each host. */
export type RequestHosts = Hosts<
  Pick<AppContext, 'config' | 'db' | 'userTokens' | 'platform' | 'log'>
>
