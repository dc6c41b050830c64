// The worker: reviews pull requests, scans repositories and runs the periodic tasks.
import { randomUUID } from 'node:crypto'
import { shortenAccessCheckDelays } from '../accounts/access-checks.ts'
import { pruneReservations } from '../analytics/spend-ledger.ts'
import { isKnowledgeEnabled } from '../config/config.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import type { OpenDatabase } from '../db/database.ts'
import { repeatFailureChecks } from '../work/failure-checks.ts'
import { pruneModelAnswers } from '../work/model-answers.ts'
import { requestEmbeddingScans } from '../work/model-consent.ts'
import { pruneRequests } from '../work/platform-requests.ts'
import { requestOutdatedScans } from '../work/scans.ts'
import { endAllLeases, workKinds } from '../work/work-items.ts'
import { checkDueAccess } from '../workflows/connecting/check-access.ts'
import { followDecisions } from '../workflows/follow-decisions.ts'
import { followThreads } from '../workflows/follow-threads.ts'
import { followToolLogs } from '../workflows/follow-tool-logs.ts'
import { learnFromMissedReviews } from '../workflows/learn-from-review.ts'
import { sendNotifications } from '../workflows/notifying/send-notifications.ts'
import { reconcileRepositories } from '../workflows/reconcile-repositories.ts'
import { redeliverToApp } from '../workflows/redeliver-failed.ts'
import { redoIncompleteReviews } from '../workflows/redo-incomplete-reviews.ts'
import { updateSharedChecks } from '../workflows/share-checks.ts'
import { syncAppInstallations } from '../workflows/sync-app-installations.ts'
import type { WorkRunner } from './claim-by-owner.ts'
import { startPeriodicTask } from './periodic-task.ts'
import { dropPlatformRequest, runPlatformRequest } from './run-platform-request.ts'
import { failReview, runReview } from './run-review.ts'
import { failScan, runScan } from './run-scan.ts'
import { startWorkLoop, sweepIntervalMs } from './work-loop.ts'

/** Deliveries report changes at once; this finds those that were lost. */
const appSyncMs = 10 * 60_000

/** How often failures are shown again that no check showed yet. */
const failureCheckMs = 10 * 60_000

/** How often old requests are deleted. */
const pruneMs = 60 * 60_000

interface Worker {
  /**
   * Claims no more work, lets reviews finish within the grace time, and requeues the rest and all
   * scans.
   */
  stop(): Promise<void>
}

/**
 * Starts a worker. On an exclusive database no other process can hold a lease, so those of dead
 * processes end at once.
 */
export async function startWorker(
  ctx: ServiceContext,
  database: Pick<OpenDatabase, 'exclusive' | 'listen'>,
): Promise<Worker> {
  const name = `worker-${randomUUID().slice(0, 8)}`
  if (database.exclusive) await endAllLeases(ctx.db)
  if (isKnowledgeEnabled(ctx.config)) {
    const layers = { memory: ctx.config.memory, graph: ctx.config.graph.enabled }
    await ctx.db.transaction().execute((tx) => requestOutdatedScans(tx, layers))
  }
  const { embedder, hosts } = ctx
  if (embedder !== null) {
    await ctx.db.transaction().execute((tx) => requestEmbeddingScans(tx, embedder.name))
  }
  const platformRequests: WorkRunner = {
    maxConcurrency: 8,
    graceSeconds: 0,
    run: (claim, signal) => runPlatformRequest(hosts.of(claim.repo), claim, signal),
    fail: (claim) => dropPlatformRequest(hosts.of(claim.repo), claim),
  }
  const loop = await startWorkLoop(ctx, database, name, {
    review: {
      maxConcurrency: ctx.config.review.concurrency,
      graceSeconds: ctx.config.review.shutdownGraceSeconds,
      run: (claim, signal) => runReview(hosts.of(claim.repo), claim, signal),
      fail: (claim) => failReview(hosts.of(claim.repo), claim),
    },
    scan: {
      // Few, because reviews come first; two, so that one owner's large repository can't block all
      // others.
      maxConcurrency: 2,
      maxConcurrencyPerOwner: 1,
      graceSeconds: 0,
      run: (claim, signal) => runScan(hosts.of(claim.repo), claim, signal),
      fail: (claim) => failScan(hosts.of(claim.repo), claim),
    },
    // Each takes a few requests to the platform, for which people wait.
    request: platformRequests,
    // Each may wait minutes for a model.
    answer: platformRequests,
  })
  /** A host that doesn't answer must not hold up the others. */
  const atEachHost =
    (work: (host: AppContext, stopping: AbortSignal) => Promise<void>) =>
    async (stopping: AbortSignal) => {
      const ends = await Promise.allSettled(hosts.all.map((host) => work(host, stopping)))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    }
  await shortenAccessCheckDelays(ctx.db, ctx.config.accessCheckMinutes)
  const pauseMs = sweepIntervalMs(ctx.config)
  ctx.metrics.onScrape(() => {
    for (const work of workKinds) ctx.metrics.running.set({ work }, loop.running(work))
  })
  const periodicTasks = [
    startPeriodicTask(ctx.log, {
      name: 'access checks',
      pauseMs,
      run: atEachHost((host, stopping) => checkDueAccess(host, stopping)),
    }),
    startPeriodicTask(ctx.log, {
      name: 'repeated reviews',
      pauseMs,
      run: (stopping) => redoIncompleteReviews(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'results of other tools',
      pauseMs,
      run: (stopping) => followToolLogs(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'dismissal checks',
      pauseMs,
      run: (stopping) => followThreads(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'notifications',
      pauseMs,
      run: (stopping) => sendNotifications(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'shared checks',
      pauseMs,
      run: () => updateSharedChecks(ctx),
    }),
    startPeriodicTask(ctx.log, {
      name: 'decision checks',
      pauseMs,
      run: (stopping) => followDecisions(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'checks of failed reviews',
      pauseMs: failureCheckMs,
      run: () => repeatFailureChecks(ctx.db),
    }),
    startPeriodicTask(ctx.log, {
      name: 'App installations',
      pauseMs: appSyncMs,
      run: atEachHost((host, stopping) => syncAppInstallations(host, stopping)),
    }),
    startPeriodicTask(ctx.log, {
      name: 'old requests',
      pauseMs: pruneMs,
      runImmediately: true,
      run: () => pruneRequests(ctx.db),
    }),
    startPeriodicTask(ctx.log, {
      name: 'old answers of models',
      pauseMs: pruneMs,
      runImmediately: true,
      run: () => pruneModelAnswers(ctx.db),
    }),
    startPeriodicTask(ctx.log, {
      name: 'old reservations of cost',
      pauseMs: pruneMs,
      runImmediately: true,
      run: () => pruneReservations(ctx.db),
    }),
    startPeriodicTask(ctx.log, {
      name: 'failed deliveries',
      pauseMs,
      run: atEachHost((host, stopping) => redeliverToApp(host, stopping)),
    }),
    startPeriodicTask(ctx.log, {
      name: 'comparisons of repositories',
      pauseMs,
      run: (stopping) => reconcileRepositories(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'memory updates',
      pauseMs,
      run: (stopping) => learnFromMissedReviews(ctx, stopping),
    }),
  ]
  ctx.log.info({ worker: name }, 'The worker is ready')
  return {
    async stop() {
      ctx.log.info(
        { worker: name, running: loop.running('review') },
        'The worker stops: running reviews may finish',
      )
      await Promise.all([loop, ...periodicTasks].map((work) => work.stop()))
    },
  }
}
