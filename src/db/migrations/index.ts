// Lists all migrations by name, in the order in which they run.
import type { Migration } from 'kysely/migration'
import * as mainJob from './0001-main-job.ts'
import * as reviewHistory from './0002-review-history.ts'
import * as accounts from './0003-accounts.ts'
import * as knowledge from './0004-knowledge.ts'
import * as memoryVectors from './0005-memory-vectors.ts'
import * as memoryHistory from './0006-memory-history.ts'
import * as graphVersions from './0008-graph-versions.ts'
import * as access from './0009-access.ts'
import * as mcp from './0010-mcp.ts'
import * as liveContext from './0011-live-context.ts'
import * as reach from './0012-reach.ts'
import * as deliveries from './0013-deliveries.ts'
import * as owners from './0014-owners.ts'
import * as lostWorkers from './0016-lost-workers.ts'
import * as dismissals from './0017-dismissals.ts'
import * as ends from './0018-ends.ts'

export const migrations: Record<string, Migration> = {
  '0001-main-job': mainJob,
  '0002-review-history': reviewHistory,
  '0003-accounts': accounts,
  '0004-knowledge': knowledge,
  '0005-memory-vectors': memoryVectors,
  '0006-memory-history': memoryHistory,
  '0008-graph-versions': graphVersions,
  '0009-access': access,
  '0010-mcp': mcp,
  '0011-live-context': liveContext,
  '0012-reach': reach,
  '0013-deliveries': deliveries,
  '0014-owners': owners,
  '0016-lost-workers': lostWorkers,
  '0017-dismissals': dismissals,
  '0018-ends': ends,
}
