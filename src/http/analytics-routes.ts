// Serves insights, review metrics, contributors and the graph of a repository.
import { findScopeWithin } from '../accounts/scope.ts'
import { readPlatformToken } from '../accounts/users.ts'
import { type Contributor, listContributors } from '../analytics/contributors.ts'
import {
  type FileActivityStatistics,
  noFileActivityStatistics,
} from '../analytics/file-activity-statistics.ts'
import { type Insights, readInsights } from '../analytics/insights.ts'
import {
  createStatisticsReader,
  noStatistics,
  type PlatformStatistics,
} from '../analytics/platform-statistics.ts'
import { type ReviewMetrics, readReviewMetrics } from '../analytics/review-metrics.ts'
import { createFileActivityReader } from '../analytics/timed-readers.ts'
import type { AppContext } from '../context.ts'
import {
  contributorsSchema,
  insightsSchema,
  repositoryGraphSchema,
} from '../contract/analytics-schemas.ts'
import { reviewMetricsSchema } from '../contract/review-metrics-schemas.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { memoryNotConfiguredMessage } from './memory-overview-routes.ts'
import type { Server } from './server.ts'

/** Adds the routes under `/api/v1/analytics`. */
export function addAnalyticsRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const { db, keys, log } = ctx
  const { memory, graph: graphLayer } = ctx.config
  const readFileActivity = createFileActivityReader({
    db,
    log,
    timeoutMs: graphLayer.queryTimeoutMs,
  })
  const fetchStatistics = createStatisticsReader(ctx.platform, log)
  const readStatistics = async (
    userId: number,
    repo: RepositoryName,
  ): Promise<PlatformStatistics> => {
    const token = await readPlatformToken(db, keys, userId)
    return token === undefined ? noStatistics : fetchStatistics(userId, { repo, token })
  }

  const insightsRoute = { schema: insightsSchema, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/insights', insightsRoute, async (request) => {
    const { days, repo } = request.query
    const scope = await findScopeWithin(db, callerOf(request), repo)
    return serializeInsights(await readInsights(db, scope, days), days)
  })

  const reviewMetricsRoute = { schema: reviewMetricsSchema, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/reviewing', reviewMetricsRoute, async (request) => {
    const { days, repo } = request.query
    const scope = await findScopeWithin(db, callerOf(request), repo)
    return serializeReviewMetrics(await readReviewMetrics(db, scope, days), days)
  })

  const contributorsRoute = { schema: contributorsSchema, onRequest: authenticate.bearer }
  server.get('/api/v1/analytics/contributors', contributorsRoute, async (request) => {
    const { userId } = callerOf(request)
    const { page, per_page: perPage } = request.query
    const repo = await findRequestedRepository(ctx, { userId }, request.query.repo)
    if (!memory) {
      return { repo, contributor_count: 0, contributors: [], note: memoryNotConfiguredMessage }
    }
    const { total, contributors } = await listContributors(db, repo, { page, perPage })
    const statistics = contributors.length === 0 ? noStatistics : await readStatistics(userId, repo)
    return {
      repo,
      contributor_count: total,
      page,
      per_page: perPage,
      total_pages: Math.ceil(total / perPage),
      contributors: contributors.map((person) => serializeContributor(person, statistics)),
    }
  })

  const graphRoute = { schema: repositoryGraphSchema, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/graph', graphRoute, async (request) => {
    const { userId } = callerOf(request)
    const repo = await findRequestedRepository(
      ctx,
      { userId },
      request.query.repo,
      "repo must be in 'owner/repo' format",
    )
    const [fileActivity, { languages, contributors }] = await Promise.all([
      graphLayer.enabled ? readFileActivity(repo) : noFileActivityStatistics,
      readStatistics(userId, repo),
    ])
    return {
      repo,
      languages: [...languages],
      ...serializeFileActivity(fileActivity),
      contributors: [...contributors],
    }
  })
}

function serializeContributor(
  { login, profile, patterns, strengths, pullRequests, latest }: Contributor,
  statistics: PlatformStatistics,
) {
  const platformContributor = statistics.contributors.find(
    (contributor) => contributor.login.toLowerCase() === login.toLowerCase(),
  )
  return {
    username: login,
    profile_summary: profile,
    patterns: [...patterns],
    strengths: [...strengths],
    pr_count: pullRequests,
    commit_count: platformContributor?.commits ?? 0,
    last_seen_pr: latest,
  }
}

function serializeFileActivity({ hotspots, risks, owners, experts, dead }: FileActivityStatistics) {
  return {
    hotspots: hotspots.map(({ path, touches }) => ({ path, touch_count: touches })),
    high_risk: risks.map(({ path, requests }) => ({ path, risk_score: requests })),
    dead_files: { count: dead.count, sample: [...dead.sample] },
    ownership: owners.map(({ path, login, percent }) => ({
      path,
      owner: login,
      touch_pct: percent,
    })),
    expertise: experts.map(({ login, directories, touches }) => {
      return { login, top_dirs: [...directories], total_touches: touches }
    }),
  }
}

function serializeInsights(insights: Insights, days: number) {
  const { start, end, merges, authors, repos, verdicts, confidences, issues, sizes } = insights
  return {
    period: { start, end, days },
    merge_metrics: {
      median_hours: roundToHundredths(merges.medianHours ?? 0),
      p90_hours: roundToHundredths(merges.p90Hours ?? 0),
      count: merges.count,
    },
    authors: authors.map((entry) => ({
      author: entry.author,
      prs: entry.prs,
      merged: entry.merged,
      issues_flagged: entry.issues,
      avg_confidence: entry.confidence,
    })),
    verdicts: { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0, ...verdicts },
    confidence_dist: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, ...confidences },
    issue_categories: issues,
    repos: repos.map((entry) => ({
      repo: entry.repo,
      prs: entry.prs,
      merged: entry.merged,
      issues_flagged: entry.issues,
    })),
    pr_size: { median: Math.round(sizes.median ?? 0), p90: Math.round(sizes.p90 ?? 0) },
  }
}

function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}

function serializeReviewMetrics(metrics: ReviewMetrics, days: number) {
  const { start, end, times, runs } = metrics
  return {
    period: { start, end, days },
    coverage: serializeCoverage(metrics.coverage),
    time_to_review: {
      median_seconds: times.median === null ? null : roundToHundredths(times.median),
      p90_seconds: times.p90 === null ? null : roundToHundredths(times.p90),
      count: times.count,
    },
    reviews: runs,
    cost: serializeCost(metrics),
    days: metrics.days.map(({ date, verdicts, failed, costUsd }) => ({
      date,
      verdicts: { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0, ...verdicts },
      failed,
      cost_usd: roundDollars(costUsd),
    })),
  }
}

function serializeCoverage(coverage: ReviewMetrics['coverage']) {
  const { pullRequests, reviewed, skipped, failed, underWay } = coverage
  return {
    pull_requests: pullRequests,
    reviewed,
    skipped,
    failed,
    under_way: underWay,
    not_asked: pullRequests - reviewed - skipped - failed - underWay,
  }
}

function serializeCost({ cost, models, outsideUsd }: ReviewMetrics) {
  const { perReview } = cost
  return {
    total_usd: roundDollars(cost.totalUsd),
    without_review_usd: roundDollars(cost.withoutReviewUsd),
    per_review: {
      median_usd: roundKnownDollars(perReview.median),
      p90_usd: roundKnownDollars(perReview.p90),
      count: perReview.count,
    },
    unknown_price: cost.unknownPrice,
    without_model: cost.withoutModel,
    outside_usd: roundKnownDollars(outsideUsd),
    models: models.map((entry) => ({
      model: entry.model,
      runs: entry.runs,
      calls: entry.calls,
      input_tokens: entry.inputTokens,
      output_tokens: entry.outputTokens,
      cached_input_tokens: entry.cachedInputTokens,
      cost_usd: roundKnownDollars(entry.costUsd),
    })),
  }
}

function roundKnownDollars(value: number | null): number | null {
  return value === null ? null : roundDollars(value)
}

/** Rounds to the millionth, which removes the error of floating-point sums. */
function roundDollars(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
