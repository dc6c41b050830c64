// Serves insights, review metrics, contributors and the graph of a repository.
import { findScopeWithin } from '../accounts/scope.ts'
import { listContributors } from '../analytics/contributors.ts'
import { noFileActivityStatistics } from '../analytics/file-activity-statistics.ts'
import { type Insights, readInsights } from '../analytics/insights.ts'
import {
  createStatisticsReader,
  noStatistics,
  type PlatformStatistics,
} from '../analytics/platform-statistics.ts'
import { type ReviewMetrics, readReviewMetrics } from '../analytics/review-metrics.ts'
import { createFileActivityReader } from '../analytics/timed-readers.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/analytics-endpoints.ts'
import { reviewMetrics } from '../contract/review-metrics-endpoints.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { memoryNotConfiguredMessage } from './memory-overview-routes.ts'

export function addAnalyticsRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const { db, log, hosts } = ctx
  const { memory, graph: graphLayer } = ctx.config
  const readFileActivity = createFileActivityReader({
    db,
    log,
    timeoutMs: graphLayer.queryTimeoutMs,
  })
  const readers = new Map(
    hosts.all.map(({ platform }) => [platform, createStatisticsReader(platform, log)]),
  )
  const readStatistics = async (
    userId: number,
    repo: RepositoryName,
  ): Promise<PlatformStatistics> => {
    const { platform, userTokens } = hosts.of(repo)
    const token = await userTokens.read(userId)
    if (token === undefined) return noStatistics
    return (await readers.get(platform)?.(userId, { repo, token })) ?? noStatistics
  }

  addRoute(contract.insights, async ({ caller, query: { days, repo } }) => {
    const scope = await findScopeWithin(db, caller, repo)
    return describeInsights(await readInsights(db, scope, days), days)
  })

  addRoute(reviewMetrics, async ({ caller, query: { days, repo } }) => {
    const scope = await findScopeWithin(db, caller, repo)
    return describeReviewMetrics(await readReviewMetrics(db, scope, days), days)
  })

  addRoute(contract.contributors, async (request) => {
    const { page, per_page: perPage } = request.query
    const repo = await findRequestedRepository(ctx, request)
    if (!memory) {
      const note = memoryNotConfiguredMessage
      return { repo, contributorCount: 0, contributors: [], note }
    }
    const { total, contributors } = await listContributors(db, repo, { page, perPage })
    const { userId } = request.caller
    const statistics = contributors.length === 0 ? noStatistics : await readStatistics(userId, repo)
    return {
      repo,
      contributorCount: total,
      page,
      perPage,
      totalPages: Math.ceil(total / perPage),
      contributors: contributors.map((contributor) => {
        const commitCount = findCommitCount(contributor.username, statistics)
        return { ...contributor, commitCount }
      }),
    }
  })

  addRoute(contract.repositoryGraph, async (request) => {
    const message = "repo must be in 'owner/repo' format"
    const repo = await findRequestedRepository(ctx, request, message)
    const [fileActivity, statistics] = await Promise.all([
      graphLayer.enabled ? readFileActivity(repo) : noFileActivityStatistics,
      readStatistics(request.caller.userId, repo),
    ])
    return { repo, ...fileActivity, ...statistics }
  })
}

function findCommitCount(username: string, { contributors }: PlatformStatistics): number {
  const name = username.toLowerCase()
  return contributors.find(({ login }) => login.toLowerCase() === name)?.commits ?? 0
}

const noVerdicts = { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0 }

function describeInsights(
  { start, end, mergeMetrics, prSize, ...insights }: Insights,
  days: number,
) {
  return {
    ...insights,
    period: { start, end, days },
    mergeMetrics: {
      medianHours: roundToHundredths(mergeMetrics.medianHours ?? 0),
      p90Hours: roundToHundredths(mergeMetrics.p90Hours ?? 0),
      count: mergeMetrics.count,
    },
    verdicts: { ...noVerdicts, ...insights.verdicts },
    confidenceDist: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, ...insights.confidenceDist },
    prSize: { median: Math.round(prSize.median ?? 0), p90: Math.round(prSize.p90 ?? 0) },
  }
}

function describeReviewMetrics({ start, end, ...metrics }: ReviewMetrics, days: number) {
  const { coverage, timeToReview } = metrics
  const { pullRequests, reviewed, skipped, failed, underWay } = coverage
  return {
    ...metrics,
    period: { start, end, days },
    coverage: {
      ...coverage,
      notAsked: pullRequests - reviewed - skipped - failed - underWay,
    },
    timeToReview: {
      medianSeconds: roundKnown(timeToReview.medianSeconds, roundToHundredths),
      p90Seconds: roundKnown(timeToReview.p90Seconds, roundToHundredths),
      count: timeToReview.count,
    },
    cost: describeCost(metrics.cost),
    days: metrics.days.map((day) => ({
      ...day,
      verdicts: { ...noVerdicts, ...day.verdicts },
      costUsd: roundDollars(day.costUsd),
    })),
  }
}

function describeCost(cost: ReviewMetrics['cost']) {
  const { perReview, models } = cost
  return {
    ...cost,
    totalUsd: roundDollars(cost.totalUsd),
    withoutReviewUsd: roundDollars(cost.withoutReviewUsd),
    perReview: {
      medianUsd: roundKnown(perReview.medianUsd, roundDollars),
      p90Usd: roundKnown(perReview.p90Usd, roundDollars),
      count: perReview.count,
    },
    outsideUsd: roundKnown(cost.outsideUsd, roundDollars),
    models: models.map((model) => {
      return { ...model, costUsd: roundKnown(model.costUsd, roundDollars) }
    }),
  }
}

function roundKnown(value: number | null, round: (value: number) => number): number | null {
  return value === null ? null : round(value)
}

function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}

/** Rounds to the millionth, which removes the error of floating-point sums. */
function roundDollars(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
