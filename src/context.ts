// What a running Umpire is made of: types only. Made by app.ts, the only place that chooses implementations.
import type { Credentials } from './accounts/credentials.ts'
import type { SyntaxParser } from './code/syntax-parser.ts'
import type { Config } from './config/config.ts'
import type { RepositorySettings } from './config/repository-settings.ts'
import type { Db } from './db/database.ts'
import type { GitRuntime } from './git/run-git.ts'
import type { Notifications } from './jobs/queue.ts'
import type { CodeCache } from './knowledge/change/code-cache.ts'
import type { KeyRing } from './lib/key-ring.ts'
import type { Log } from './lib/logger.ts'
import type { FairSemaphore } from './lib/semaphore.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Budget, Embedder, Models } from './models/index.ts'
import type { Platform } from './platforms/platform.ts'
import type { Reviewer, Verifier } from './reviewers/reviewer.ts'
import type { ContextSources } from './tools/sources/context-sources.ts'

/** What a review needs whether or not there is a server: the command line has no more than this. */
export interface ReviewContext {
  readonly config: Config
  /** All secrets of the configuration, which are never to be shown. */
  readonly secrets: readonly string[]
  readonly models: Models
  /** Made anew for each review: reviewers with a model hold the review's budget. */
  readonly createReviewers: (budget: Budget, settings: RepositorySettings) => readonly Reviewer[]
  /** Null without a model. */
  readonly createVerifier: (budget: Budget, settings: RepositorySettings) => Verifier | null
  readonly syntax: SyntaxParser
  readonly log: Log
}

export interface AppContext extends ReviewContext {
  readonly db: Db
  /** Seals what is stored of secrets. */
  readonly keys: KeyRing
  readonly credentials: Credentials
  readonly notifications: Notifications
  readonly platform: Platform
  /** Null where none is configured, or nothing is remembered. */
  readonly embedder: Embedder | null
  /** Trackers and chats that reviews ask. */
  readonly sources: ContextSources
  /** For changes that are gathered at the same time in this process: more would only wait for each other's git. */
  readonly gatherSemaphore: FairSemaphore
  /** Bytes, about, of the changes that reviews hold, from before they gather them until they have ended. */
  readonly changeMemory: FairSemaphore
  readonly codeCache: CodeCache
  /** How git is started. */
  readonly gitRuntime: GitRuntime
  readonly metrics: Metrics
}
