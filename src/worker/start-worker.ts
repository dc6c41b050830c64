// The worker: reviews pull requests, scans repositories and runs the periodic tasks.
import { randomUUID } from 'node:crypto'
import { shortenAccessCheckDelays } from '../accounts/access-checks.ts'
import { isKnowledgeEnabled } from '../config/config.ts'
import type { AppContext } from '../context.ts'
import { requestEmbeddingScans } from '../jobs/model-consent.ts'
import { endRunLeases, findStrandedPullRequests } from '../jobs/runs.ts'
import { endScanLeases, findStrandedScans, requestOutdatedScans } from '../jobs/scans.ts'
import { checkDueAccess } from '../workflows/connecting/check-access.ts'
import { followThreads } from '../workflows/follow-threads.ts'
import { learnFromMissedReviews } from '../workflows/learn-from-review.ts'
import { redoIncompleteReviews } from '../workflows/redo-incomplete-reviews.ts'
import { createRunBudgets } from '../workflows/run-budgets.ts'
import { startPeriodicTask } from './periodic-task.ts'
import { runReview } from './run-review.ts'
import { openScanner } from './run-scan.ts'
import { startWorkLoop, sweepIntervalMs } from './work-loop.ts'

interface Worker {
  /**
   * Claims no more work, lets reviews finish within the grace time, and requeues the rest and all
   * scans.
   */
  stop(): Promise<void>
}

/**
 * Starts a worker.
 *
 * @param options `exclusive`: no other process can have the database open, so leases of dead
 *   processes end at once
 */
export async function startWorker(
  ctx: AppContext,
  options: { exclusive: boolean },
): Promise<Worker> {
  const name = `worker-${randomUUID().slice(0, 8)}`
  if (options.exclusive) await Promise.all([endRunLeases(ctx.db), endScanLeases(ctx.db)])
  if (isKnowledgeEnabled(ctx.config)) {
    const layers = { memory: ctx.config.memory, graph: ctx.config.graph.enabled }
    await ctx.db.transaction().execute((tx) => requestOutdatedScans(tx, ctx.notifications, layers))
  }
  const { embedder } = ctx
  if (embedder !== null) {
    await ctx.db
      .transaction()
      .execute((tx) => requestEmbeddingScans(tx, ctx.notifications, embedder.name))
  }
  const budgets = createRunBudgets(ctx)
  const reviews = await startWorkLoop(ctx, {
    label: 'review',
    queue: ctx.notifications.reviews,
    maxConcurrency: ctx.config.review.concurrency,
    graceSeconds: ctx.config.review.shutdownGraceSeconds,
    findStranded: () => findStrandedPullRequests(ctx.db, ctx.config.review.leaseSeconds),
    repositoryOf: ({ repo }) => repo,
    run: (ref, stopping) => runReview(ctx, { name, budgets, stopping }, ref),
  })
  const scanner = openScanner(ctx, name)
  const scans = await startWorkLoop(ctx, {
    label: 'scan',
    queue: ctx.notifications.scans,
    // Few, because reviews come first; two, so that one owner's large repository can't block all
    // others.
    maxConcurrency: 2,
    maxConcurrencyPerOwner: 1,
    graceSeconds: 0,
    findStranded: () => findStrandedScans(ctx.db, ctx.config.review.leaseSeconds),
    repositoryOf: (repo) => repo,
    run: (repo, stopping) => scanner.run(repo, stopping),
  })
  await shortenAccessCheckDelays(ctx.db, ctx.config.accessCheckMinutes)
  const pauseMs = sweepIntervalMs(ctx.config)
  ctx.metrics.onScrape(() => {
    ctx.metrics.running.set({ work: 'review' }, reviews.running())
    ctx.metrics.running.set({ work: 'scan' }, scans.running())
  })
  const periodicTasks = [
    startPeriodicTask(ctx.log, {
      name: 'access checks',
      pauseMs,
      run: (stopping) => checkDueAccess(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'repeated reviews',
      pauseMs,
      run: (stopping) => redoIncompleteReviews(ctx, stopping),
    }),
    startPeriodicTask(ctx.log, {
      name: 'dismissal checks',
      pauseMs,
      run: (stopping) => followThreads(ctx, stopping),
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
        { worker: name, running: reviews.running() },
        'The worker stops: running reviews may finish',
      )
      await Promise.all([reviews, scans, ...periodicTasks].map((work) => work.stop()))
      await scanner.close()
    },
  }
}
