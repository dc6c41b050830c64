// Scans a repository anew because somebody asked for it.
import { recordAudit } from '../accounts/audit.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { requestScan } from '../jobs/scans.ts'

/** One that waits or runs already does for all who ask. */
export async function rescanRepository(
  ctx: Pick<AppContext, 'db' | 'notifications'>,
  caller: Caller,
  repo: RepositoryName,
): Promise<void> {
  await transactionWithRetry(ctx.db, async (tx) => {
    await requestScan(tx, ctx.notifications, repo, { thorough: true })
    await recordAudit(tx, caller, 'repository_rescanned', repo)
  })
}
