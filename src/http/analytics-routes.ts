// Insights over pull requests and their reviewing; contributors and graph of a repository.
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

/** Adds what stands under `/api/v1/analytics`. */
export function addAnalyticsRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const { db, keys, log } = ctx
  const { memory, graph: graphLayer } = ctx.config
  const readFigures = createFileActivityReader({ db, log, timeoutMs: graphLayer.queryTimeoutMs })
  const askPlatform = createStatisticsReader(ctx.platform, log)
  const readStatistics = async (
    userId: number,
    repo: RepositoryName,
  ): Promise<PlatformStatistics> => {
    const token = await readPlatformToken(db, keys, userId)
    return token === undefined ? noStatistics : askPlatform(userId, { repo, token })
  }

  const insightsRoute = { schema: insightsSchema, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/insights', insightsRoute, async (request) => {
    const { days, repo } = request.query
    return serializeInsights(
      await readInsights(db, await findScopeWithin(db, callerOf(request), repo), days),
      days,
    )
  })

  const reviewingRoute = { schema: reviewMetricsSchema, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/reviewing', reviewingRoute, async (request) => {
    const { days, repo } = request.query
    return serializeReviewMetrics(
      await readReviewMetrics(db, await findScopeWithin(db, callerOf(request), repo), days),
      days,
    )
  })

  const contributorsRoute = { schema: contributorsSchema, onRequest: authenticate.bearer }
  server.get('/api/v1/analytics/contributors', contributorsRoute, async (request) => {
    const { userId } = callerOf(request)
    const { page, per_page: perPage } = request.query
    const repo = await findRequestedRepository(ctx, { userId }, request.query.repo)
    if (!memory)
      return { repo, contributor_count: 0, contributors: [], note: memoryNotConfiguredMessage }
    const { total, contributors } = await listContributors(db, repo, { page, perPage })
    const statistics = contributors.length === 0 ? noStatistics : await readStatistics(userId, repo)
    return {
      ...{
        repo,
        contributor_count: total,
        page,
        per_page: perPage,
        total_pages: Math.ceil(total / perPage),
      },
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
    const [figures, { languages, contributors }] = await Promise.all([
      graphLayer.enabled ? readFigures(repo) : noFileActivityStatistics,
      readStatistics(userId, repo),
    ])
    return {
      repo,
      languages: [...languages],
      ...serializeFileActivity(figures),
      contributors: [...contributors],
    }
  })
}

function serializeContributor(
  { login, profile, patterns, strengths, pullRequests, latest }: Contributor,
  known: PlatformStatistics,
) {
  const counted = known.contributors.find((one) => one.login.toLowerCase() === login.toLowerCase())
  return {
    username: login,
    profile_summary: profile,
    patterns: [...patterns],
    strengths: [...strengths],
    pr_count: pullRequests,
    commit_count: counted?.commits ?? 0,
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

function serializeInsights(
  { start, end, merges, authors, repos, ...found }: Insights,
  days: number,
) {
  return {
    period: { start, end, days },
    merge_metrics: {
      median_hours: roundToHundredths(merges.medianHours ?? 0),
      p90_hours: roundToHundredths(merges.p90Hours ?? 0),
      count: merges.count,
    },
    authors: authors.map(({ author, prs, merged, issues, confidence }) => {
      return { author, prs, merged, issues_flagged: issues, avg_confidence: confidence }
    }),
    verdicts: { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0, ...found.verdicts },
    confidence_dist: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, ...found.confidences },
    issue_categories: found.issues,
    repos: repos.map(({ repo, prs, merged, issues }) => ({
      repo,
      prs,
      merged,
      issues_flagged: issues,
    })),
    pr_size: { median: Math.round(found.sizes.median ?? 0), p90: Math.round(found.sizes.p90 ?? 0) },
  }
}

function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}

function serializeReviewMetrics(
  { start, end, coverage, times, runs, cost, models, outsideUsd, ...found }: ReviewMetrics,
  days: number,
) {
  const { pullRequests, reviewed, skipped, failed, underWay } = coverage
  const { perReview } = cost
  const perhaps = (value: number | null, round: (value: number) => number) =>
    value === null ? null : round(value)
  return {
    period: { start, end, days },
    coverage: {
      ...{ pull_requests: pullRequests, reviewed, skipped, failed, under_way: underWay },
      not_asked: pullRequests - reviewed - skipped - failed - underWay,
    },
    time_to_review: {
      median_seconds: perhaps(times.median, roundToHundredths),
      p90_seconds: perhaps(times.p90, roundToHundredths),
      count: times.count,
    },
    reviews: runs,
    cost: {
      total_usd: roundDollars(cost.totalUsd),
      without_review_usd: roundDollars(cost.withoutReviewUsd),
      per_review: {
        median_usd: perhaps(perReview.median, roundDollars),
        p90_usd: perhaps(perReview.p90, roundDollars),
        count: perReview.count,
      },
      unknown_price: cost.unknownPrice,
      without_model: cost.withoutModel,
      outside_usd: perhaps(outsideUsd, roundDollars),
      models: models.map(({ model, runs: count, calls, costUsd, ...tokens }) => ({
        ...{
          model,
          runs: count,
          calls,
          input_tokens: tokens.inputTokens,
          output_tokens: tokens.outputTokens,
        },
        cached_input_tokens: tokens.cachedInputTokens,
        cost_usd: perhaps(costUsd, roundDollars),
      })),
    },
    days: found.days.map(({ date, verdicts, failed: failures, costUsd }) => ({
      date,
      verdicts: { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0, ...verdicts },
      failed: failures,
      cost_usd: roundDollars(costUsd),
    })),
  }
}

/** To the millionth: sums of parts are off by less than that. */
function roundDollars(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
