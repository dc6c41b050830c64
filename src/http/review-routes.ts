// Serves the reviews list and single reviews, retries reviews, and dismisses findings.
import type { FastifyReply } from 'fastify'
import type { ServiceContext } from '../context.ts'
import { hostOf } from '../contract/repository-name.ts'
import * as contract from '../contract/review-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import { type Citation, isRecordCitation } from '../domain/finding.ts'
import type { Impact } from '../domain/impact.ts'
import { type Coverage, nameLineCounts, type ReviewEnd, reviewEnds } from '../domain/review.ts'
import type { ReviewDetail } from '../events/read-review.ts'
import { dismissFinding, reopenFinding } from '../workflows/showing/dismiss-finding.ts'
import { retryReview } from '../workflows/showing/retry-review.ts'
import { showReview, showReviews } from '../workflows/showing/show-reviews.ts'
import type { AddRoute } from './add-route.ts'

/** Limits the query of pull request states, so that a response takes at most two seconds. */
const platformTimeoutMs = 1800

export function addReviewRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  addRoute(contract.listReviews, ({ caller, query }, reply) =>
    showReviews(ctx, caller, query, startPlatformDeadline(reply)),
  )

  addRoute(contract.readReview, async ({ caller, params }, reply) => {
    const id = parseId(params.id)
    const review = await showReview(ctx, caller, id, startPlatformDeadline(reply))
    if (review === undefined) throw notFound()
    return describeReview(review, ctx)
  })

  addRoute(contract.retryReview, async ({ caller, params }, reply) => {
    const id = parseId(params.id)
    const eventId = await retryReview(ctx, caller, id, startPlatformDeadline(reply))
    if (eventId === undefined) throw notFound()
    return { status: 'retry_started' as const, eventId }
  })

  addRoute(contract.dismissFinding, async ({ caller, params, body }, reply) => {
    const { reason, kind = null } = body
    const dismissal = { ...parseFindingParams(params), reason, kind }
    const signal = startPlatformDeadline(reply)
    const { login, ...result } = await dismissFinding(ctx, caller, dismissal, signal)
    return { status: 'dismissed' as const, dismissedBy: login, ...result }
  })

  addRoute(contract.reopenFinding, async ({ caller, params }, reply) => {
    const finding = parseFindingParams(params)
    const eventId = await reopenFinding(ctx, caller, finding, startPlatformDeadline(reply))
    return { status: 'reopened' as const, eventId }
  })
}

/** The time is measured from the start of the request. */
export function startPlatformDeadline(reply: FastifyReply): AbortSignal {
  const remainingMs = Math.round(platformTimeoutMs - reply.elapsedTime)
  return AbortSignal.timeout(Math.max(0, remainingMs))
}

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw notFound()
  return Number(text)
}

function parseFindingParams({ id, fingerprint }: { id: string; fingerprint: string }) {
  const params = { id: parseId(id), fingerprint }
  if (/^[0-9a-f]{32}$/.test(fingerprint)) return params
  throw new RequestError('not_found', 'Finding not found')
}

function notFound(): RequestError {
  return new RequestError('not_found', 'Review not found')
}

/** Reads the recorded ends. Reviews that were recorded by an early version have none. */
export function readEnds(decision: Record<string, unknown> | null): ReviewEnd[] {
  const ends: unknown = decision?.ends
  return Array.isArray(ends) ? reviewEnds.filter((end) => ends.includes(end)) : []
}

function describeReview({ coverage, reach, ...review }: ReviewDetail, ctx: ServiceContext) {
  const reason = review.decision?.confidenceReason
  const { headSha: commit, repoName } = review
  const host = hostOf(repoName)
  // The adapter of another host makes no URLs for it.
  const isServed = host === null || ctx.hosts.find(host) !== undefined
  const urlOf = (path: string, line: number | null) =>
    commit === null || !isServed
      ? null
      : ctx.hosts.of(repoName).platform.fileUrl(repoName, { commit, path, line })
  return {
    ...review,
    confidenceReason: typeof reason === 'string' ? reason : null,
    ends: readEnds(review.decision),
    warnings: review.warnings ?? [],
    coverage: coverage && describeCoverage(coverage),
    reach: reach && describeImpact(reach, urlOf),
    findings: review.findings.map(({ citation, evidence, ...finding }) => ({
      ...finding,
      url: urlOf(finding.path, finding.side === 'RIGHT' ? finding.startLine : null),
      evidence: evidence.map((item) => ({ ...item, url: urlOf(item.path, item.line) })),
      citation: citation && describeCitation(citation),
    })),
    history: review.history.map(({ decision, ...entry }) => ({
      ...entry,
      ends: readEnds(decision),
    })),
  }
}

/** Truncated paths lead nowhere, as do the lines of definitions that were removed. */
function describeImpact(
  impact: Impact,
  urlOf: (path: string, line: number | null) => string | null,
) {
  const linkTo = ({ path, line }: { path: string; line: number }) =>
    path.startsWith('…') ? null : urlOf(path, line)
  const { total, shown } = impact.symbols
  return {
    ...impact,
    symbols: {
      total,
      shown: shown.map((symbol) => ({
        ...symbol,
        url: symbol.change === 'removed' ? null : linkTo(symbol),
        uses: {
          ...symbol.uses,
          shown: symbol.uses.shown.map((use) => ({ ...use, url: linkTo(use) })),
        },
      })),
    },
  }
}

function describeCitation(citation: Citation) {
  if (!isRecordCitation(citation))
    return { source: null, key: null, title: citation.text, url: null }
  const { source, key, title, url } = citation
  return { source, key, title, url }
}

function describeCoverage({ lines, skipped, ...coverage }: Coverage) {
  return {
    ...coverage,
    lines: lines ? nameLineCounts(lines) : null,
    skipped: skipped.map((file) => ({ ...file, lines: file.lines ?? null })),
  }
}
