// Requests a thorough scan in the name of a user.
import { recordAudit } from '../accounts/audit.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { requestScan } from '../work/scans.ts'

/** A pending or running scan serves all requests. */
export async function rescanRepository(
  ctx: Pick<AppContext, 'db'>,
  caller: Caller,
  repo: RepositoryName,
): Promise<void> {
  await transactionWithRetry(ctx.db, async (tx) => {
    await requestScan(tx, repo, { thorough: true })
    await recordAudit(tx, caller, 'repository_rescanned', repo)
  })
}
