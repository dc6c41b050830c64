// Adds the endpoint that returns the diff of a review.
import type { AppContext } from '../context.ts'
import { readReviewDiffSchema } from '../contract/review-diff-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { startDeadline } from '../platforms/deadline.ts'
import type { ShownFile } from '../workflows/showing/limit-diff.ts'
import { showDiff } from '../workflows/showing/show-diff.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import type { Server } from './server.ts'

/** The time includes fetching the commits, if needed. */
const readTimeoutMs = 60_000
/** Each read holds a git process and some megabytes. */
const maxConcurrentReads = 4
const maxConcurrentReadsPerPerson = 2

/** Adds `GET /api/v1/reviews/{id}/diff`. */
export function addReviewDiffRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const semaphore = createFairSemaphore(maxConcurrentReads, maxConcurrentReadsPerPerson)
  const route = { schema: readReviewDiffSchema, onRequest: authenticate.either }
  server.get('/api/v1/reviews/:id/diff', route, async (request) => {
    const caller = callerOf(request)
    const signal = startDeadline(readTimeoutMs)
    const release = await semaphore.acquire(String(caller.userId), signal).catch(throwTooManyReads)
    try {
      const { id } = request.params
      const isValidId = /^\d{1,15}$/.test(id)
      const diff = isValidId ? await showDiff(ctx, caller, Number(id), signal) : undefined
      if (diff === undefined) throw new RequestError('not_found', 'Review not found')
      const { baseSha, headSha, files, notes } = diff
      return {
        base_sha: baseSha,
        head_sha: headSha,
        files: files.map(serializeDiffFile),
        notes: [...notes],
      }
    } finally {
      release()
    }
  })
}

function throwTooManyReads(): never {
  throw new RequestError('too_many', 'Too many diffs are being read. Try again in a moment.', {
    retryAfterMs: 10_000,
  })
}

function serializeDiffFile({ oldPath, oldMode, newMode, leftOut, hunks, ...file }: ShownFile) {
  return {
    ...file,
    old_path: oldPath,
    old_mode: oldMode,
    new_mode: newMode,
    left_out: leftOut,
    hunks: hunks.map(({ oldStart, oldCount, newStart, newCount, section, lines }) => ({
      old_start: oldStart,
      old_lines: oldCount,
      new_start: newStart,
      new_lines: newCount,
      section,
      lines: [...lines],
    })),
  }
}
