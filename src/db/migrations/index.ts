// All migrations by name, in the order in which they run.
import type { Migration } from 'kysely/migration'
import * as mainJob from './0001-main-job.ts'
import * as reviewHistory from './0002-review-history.ts'
import * as accounts from './0003-accounts.ts'
import * as knowledge from './0004-knowledge.ts'

export const migrations: Record<string, Migration> = {
  '0001-main-job': mainJob,
  '0002-review-history': reviewHistory,
  '0003-accounts': accounts,
  '0004-knowledge': knowledge,
}
