// Periodic task that requests a review again once the code host has logs of other tools that the
// review didn't know: CI often ends after the review.
import type { AppContext, ServiceContext } from '../context.ts'
import type { Access } from '../platforms/platform.ts'
import {
  claimWaitingReviews,
  endLongWaits,
  endWait,
  type WaitingReview,
} from '../work/late-tool-logs.ts'
import { dropExhaustedRedos, redoRun } from '../work/redo-reviews.ts'
import { identifyLog } from './gathering/list-tool-logs.ts'
import { tryEach } from './try-each.ts'

/** Limits one round, because each review costs a few API calls. */
const maxReviews = 50

/** Looks for the logs that reviews wait for. No model is asked about what it has read already. */
export async function followToolLogs(
  { db, hosts }: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  await dropExhaustedRedos(db, ['tools'])
  await endLongWaits(db)
  const due = await claimWaitingReviews(db, maxReviews)
  await tryEach(hosts, due, signal, followReview)
}

async function followReview(
  ctx: AppContext,
  access: Access,
  { headSha, runId, toolLogs, ...ref }: WaitingReview,
  signal: AbortSignal,
): Promise<void> {
  const of = { number: ref.number, headSha, settings: toolLogs }
  const { logs, mayGrow, isRefused } = await ctx.toolLogs.list(access, of, signal)
  if (logs.some((log) => !toolLogs.known.includes(identifyLog(log)))) {
    const isRequested = await redoRun(
      ctx.db,
      { id: runId, ...ref },
      { trigger: 'tools', isLatest: true },
    )
    if (isRequested) ctx.log.info({ ...ref }, 'Other tools published results: it is reviewed again')
  } else if (!mayGrow && !isRefused) {
    // What the host refuses now, it may list in an hour.
    await endWait(ctx.db, runId)
  }
}
