// The diff that a review looked at.
import type { AppContext } from '../context.ts'
import { RequestError } from '../domain/errors.ts'
import { createSharedSlots } from '../lib/slots.ts'
import { startDeadline } from '../platforms/deadline.ts'
import type { ShownFile } from '../workflows/showing/bound-diff.ts'
import { showDiff } from '../workflows/showing/show-diff.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { readReviewDiff } from './contract/review-diff.ts'
import type { Server } from './server.ts'

/** The commits may have to be fetched first. */
const readMs = 60_000
/** Each holds a git process and some megabytes. */
const readAtOnce = 4
const readAtOncePerPerson = 2

/** Adds `GET /api/v1/reviews/{id}/diff`. */
export function addReviewDiffRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
): void {
  const slots = createSharedSlots(readAtOnce, readAtOncePerPerson)
  const route = { schema: readReviewDiff, onRequest: authenticate.either }
  server.get('/api/v1/reviews/:id/diff', route, async (request) => {
    const caller = callerOf(request)
    const signal = startDeadline(readMs)
    const release = await slots.take(String(caller.userId), signal).catch(refuse)
    try {
      const { id } = request.params
      const diff = /^\d{1,15}$/.test(id)
        ? await showDiff(ctx, caller, Number(id), signal)
        : undefined
      if (diff === undefined) throw new RequestError('not_found', 'Review not found')
      const { baseSha, headSha, files, notes } = diff
      return {
        base_sha: baseSha,
        head_sha: headSha,
        files: files.map(shapeFile),
        notes: [...notes],
      }
    } finally {
      release()
    }
  })
}

function refuse(): never {
  throw new RequestError('too_many', 'Too many diffs are being read. Try again in a moment.', {
    retryAfterMs: 10_000,
  })
}

function shapeFile({ oldPath, oldMode, newMode, leftOut, hunks, ...file }: ShownFile) {
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
