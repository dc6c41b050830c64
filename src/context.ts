// What a running Umpire is made of: types only. Made by app.ts, the only place that chooses implementations.
import type { Config } from './config/config.ts'
import type { Db } from './db/database.ts'
import type { WakeUps } from './jobs/queue.ts'
import type { Log } from './lib/logger.ts'
import type { Budget, Models } from './models/index.ts'
import type { Platform } from './platforms/platform.ts'
import type { Reviewer } from './reviewers/reviewer.ts'

export interface AppContext {
  readonly config: Config
  /** All secrets of the configuration, which are never to be shown. */
  readonly secrets: readonly string[]
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly platform: Platform
  readonly models: Models
  /** Made anew for each review: a reviewer with a model holds the review's budget. */
  readonly createReviewers: (budget: Budget) => readonly Reviewer[]
  readonly log: Log
}
