// Serves the reviews list and single reviews, retries reviews, and dismisses findings.
import type { FastifyReply } from 'fastify'
import type { AppContext } from '../context.ts'
import * as contract from '../contract/review-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import { type ReviewEnd, reviewEnds, toLineCounts } from '../domain/review.ts'
import type { ReviewDetail } from '../events/read-review.ts'
import { dismissFinding, reopenFinding } from '../workflows/showing/dismiss-finding.ts'
import { retryReview } from '../workflows/showing/retry-review.ts'
import { showReview, showReviews } from '../workflows/showing/show-reviews.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'

/** Limits the query of pull request states, so that a response takes at most two seconds. */
const platformTimeoutMs = 1800

/** Adds the routes under `/api/v1/reviews`. */
export function addReviewRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const listRoute = { schema: contract.listReviewsSchema, onRequest: authenticate.bearer }
  server.get('/api/v1/reviews', listRoute, async (request, reply) => {
    return showReviews(ctx, callerOf(request), request.query, startPlatformDeadline(reply))
  })

  const readRoute = { schema: contract.readReviewSchema, onRequest: authenticate.either }
  server.get('/api/v1/reviews/:id', readRoute, async (request, reply) => {
    const id = parseId(request.params.id)
    const review = await showReview(ctx, callerOf(request), id, startPlatformDeadline(reply))
    if (review === undefined) throw notFound()
    return serializeReview(review)
  })

  const retryRoute = { schema: contract.retryReviewSchema, onRequest: authenticate.either }
  server.post('/api/v1/reviews/:id/retry', retryRoute, async (request, reply) => {
    const id = parseId(request.params.id)
    const eventId = await retryReview(ctx, callerOf(request), id, startPlatformDeadline(reply))
    if (eventId === undefined) throw notFound()
    return reply.code(202).send({ status: 'retry_started', event_id: eventId })
  })

  const dismissRoute = { schema: contract.dismissFindingSchema, onRequest: authenticate.either }
  server.post(
    '/api/v1/reviews/:id/findings/:fingerprint/dismiss',
    dismissRoute,
    async (request, reply) => {
      const dismissal = { ...parseFindingParams(request.params), reason: request.body.reason }
      const { login, reason, eventId } = await dismissFinding(
        ctx,
        callerOf(request),
        dismissal,
        startPlatformDeadline(reply),
      )
      return { status: 'dismissed' as const, dismissed_by: login, reason, event_id: eventId }
    },
  )

  const reopenRoute = { schema: contract.reopenFindingSchema, onRequest: authenticate.either }
  server.delete(
    '/api/v1/reviews/:id/findings/:fingerprint/dismiss',
    reopenRoute,
    async (request, reply) => {
      const finding = parseFindingParams(request.params)
      const signal = startPlatformDeadline(reply)
      const eventId = await reopenFinding(ctx, callerOf(request), finding, signal)
      return { status: 'reopened' as const, event_id: eventId }
    },
  )
}

/** The time is measured from the start of the request. */
function startPlatformDeadline(reply: FastifyReply): AbortSignal {
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
function readEnds(decision: Record<string, unknown> | null): ReviewEnd[] {
  const ends: unknown = decision?.ends
  return Array.isArray(ends) ? reviewEnds.filter((end) => ends.includes(end)) : []
}

function serializeReview({ coverage, usage, ...review }: ReviewDetail) {
  const reason = review.decision?.confidenceReason
  return {
    ...review,
    confidence_reason: typeof reason === 'string' ? reason : null,
    ends: readEnds(review.decision),
    warnings: [...(review.warnings ?? [])],
    coverage: coverage && serializeCoverage(coverage),
    usage: usage && serializeUsage(usage),
    sources: review.sources && {
      records: [...review.sources.records],
      missing: [...review.sources.missing],
    },
    findings: [...review.findings],
    deliveries: [...review.deliveries],
  }
}

function serializeCoverage(coverage: NonNullable<ReviewDetail['coverage']>) {
  return {
    files_total: coverage.filesTotal,
    files_reviewed: coverage.filesReviewed,
    lines: coverage.lines ? toLineCounts(coverage.lines) : null,
    skipped: coverage.skipped.map(({ lines = null, ...file }) => ({ ...file, lines })),
    notes: [...coverage.notes],
    set_aside: [...coverage.setAside],
    complete: coverage.complete,
  }
}

function serializeUsage(usage: NonNullable<ReviewDetail['usage']>) {
  return {
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cost_usd: usage.costUsd,
  }
}
