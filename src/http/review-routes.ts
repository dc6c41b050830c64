// The reviews list, single reviews, and reviewing once more.
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

/** The platform has so long to say how pull requests stand; the answer goes out within two seconds. */
const platformTimeoutMs = 1800

/** Adds what stands under `/api/v1/reviews`. */
export function addReviewRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const listRoute = { schema: contract.listReviewsSchema, onRequest: authenticate.bearer }
  server.get('/api/v1/reviews', listRoute, async (request, reply) => {
    return showReviews(ctx, callerOf(request), request.query, platformDeadline(reply))
  })

  const readRoute = { schema: contract.readReviewSchema, onRequest: authenticate.either }
  server.get('/api/v1/reviews/:id', readRoute, async (request, reply) => {
    const review = await showReview(
      ctx,
      callerOf(request),
      readId(request.params.id),
      platformDeadline(reply),
    )
    if (review === undefined) throw notFound()
    return serializeReview(review)
  })

  const retryRoute = { schema: contract.retryReviewSchema, onRequest: authenticate.either }
  server.post('/api/v1/reviews/:id/retry', retryRoute, async (request, reply) => {
    const id = readId(request.params.id)
    const eventId = await retryReview(ctx, callerOf(request), id, platformDeadline(reply))
    if (eventId === undefined) throw notFound()
    return reply.code(202).send({ status: 'retry_started', event_id: eventId })
  })

  const dismissRoute = { schema: contract.dismissFindingSchema, onRequest: authenticate.either }
  server.post(
    '/api/v1/reviews/:id/findings/:fingerprint/dismiss',
    dismissRoute,
    async (request, reply) => {
      const asked = { ...readFindingParams(request.params), reason: request.body.reason }
      const { login, reason, eventId } = await dismissFinding(
        ctx,
        callerOf(request),
        asked,
        platformDeadline(reply),
      )
      return { status: 'dismissed' as const, dismissed_by: login, reason, event_id: eventId }
    },
  )

  const reopenRoute = { schema: contract.reopenFindingSchema, onRequest: authenticate.either }
  server.delete(
    '/api/v1/reviews/:id/findings/:fingerprint/dismiss',
    reopenRoute,
    async (request, reply) => {
      const asked = readFindingParams(request.params)
      const eventId = await reopenFinding(ctx, callerOf(request), asked, platformDeadline(reply))
      return { status: 'reopened' as const, event_id: eventId }
    },
  )
}

/** Counted from the beginning of the request. */
function platformDeadline(reply: FastifyReply): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.round(platformTimeoutMs - reply.elapsedTime)))
}

function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw notFound()
  return Number(text)
}

function readFindingParams({ id, fingerprint }: { id: string; fingerprint: string }) {
  const place = { id: readId(id), fingerprint }
  if (/^[0-9a-f]{32}$/.test(fingerprint)) return place
  throw new RequestError('not_found', 'Finding not found')
}

function notFound(): RequestError {
  return new RequestError('not_found', 'Review not found')
}

/** The ends as they were recorded; of reviews from before there were any, none. */
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
    coverage: coverage && {
      files_total: coverage.filesTotal,
      files_reviewed: coverage.filesReviewed,
      lines: coverage.lines ? toLineCounts(coverage.lines) : null,
      skipped: coverage.skipped.map(({ lines = null, ...file }) => ({ ...file, lines })),
      notes: [...coverage.notes],
      set_aside: [...coverage.setAside],
      complete: coverage.complete,
    },
    usage: usage && {
      calls: usage.calls,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      cost_usd: usage.costUsd,
    },
    sources: review.sources && {
      records: [...review.sources.records],
      missing: [...review.sources.missing],
    },
    findings: [...review.findings],
    deliveries: [...review.deliveries],
  }
}
