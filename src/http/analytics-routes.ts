// Insights over pull requests; contributors and graph of a repository, of which there is what the platform itself tells.
import { findScope } from '../accounts/scope.ts'
import { readPlatformToken } from '../accounts/users.ts'
import { type Insights, readInsights } from '../analytics/insights.ts'
import { createStatisticsReader } from '../analytics/platform-statistics.ts'
import type { AppContext } from '../context.ts'
import { findAskedRepository } from './asked-repository.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { contributors, graph, insights } from './contract/analytics.ts'
import { memoryNotConfigured } from './memory-routes.ts'
import type { Server } from './server.ts'

/** Adds what stands under `/api/v1/analytics`. */
export function addAnalyticsRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const { db, keys } = ctx
  const readStatistics = createStatisticsReader(ctx.platform, ctx.log)

  const insightsRoute = { schema: insights, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/insights', insightsRoute, async (request) => {
    const { days } = request.query
    return describeInsights(await readInsights(db, await findScope(db, callerOf(request)), days), days)
  })

  const contributorsRoute = { schema: contributors, onRequest: authenticate.bearer }
  server.get('/api/v1/analytics/contributors', contributorsRoute, async (request) => {
    const repo = await findAskedRepository(db, callerOf(request), request.query.repo)
    return { repo, contributor_count: 0, contributors: [], note: memoryNotConfigured }
  })

  const graphRoute = { schema: graph, onRequest: authenticate.cookie }
  server.get('/api/v1/analytics/graph', graphRoute, async (request) => {
    const { userId } = callerOf(request)
    const repo = await findAskedRepository(db, { userId }, request.query.repo, "repo must be in 'owner/repo' format")
    const token = await readPlatformToken(db, keys, userId)
    const known = token === undefined ? null : await readStatistics(userId, { repo, token })
    return {
      repo,
      languages: [...(known?.languages ?? [])],
      hotspots: [],
      high_risk: [],
      dead_files: { count: 0, sample: [] },
      ownership: [],
      expertise: [],
      contributors: [...(known?.contributors ?? [])],
    }
  })
}

function describeInsights({ start, end, merges, authors, repos, ...found }: Insights, days: number) {
  return {
    period: { start, end, days },
    merge_metrics: {
      median_hours: roundToCents(merges.medianHours ?? 0),
      p90_hours: roundToCents(merges.p90Hours ?? 0),
      count: merges.count,
    },
    authors: authors.map(({ author, prs, merged, issues, confidence }) => {
      return { author, prs, merged, issues_flagged: issues, avg_confidence: confidence }
    }),
    verdicts: { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0, ...found.verdicts },
    confidence_dist: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, ...found.confidences },
    issue_categories: found.issues,
    repos: repos.map(({ repo, prs, merged, issues }) => ({ repo, prs, merged, issues_flagged: issues })),
    pr_size: { median: Math.round(found.sizes.median ?? 0), p90: Math.round(found.sizes.p90 ?? 0) },
  }
}

function roundToCents(value: number): number {
  return Math.round(value * 100) / 100
}
