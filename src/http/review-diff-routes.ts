// Adds the endpoint that returns the diff of a review.
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/review-diff-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { startDeadline } from '../platforms/deadline.ts'
import type { ShownFile } from '../workflows/showing/limit-diff.ts'
import { showDiff } from '../workflows/showing/show-diff.ts'
import type { AddRoute } from './add-route.ts'

/** The time includes fetching the commits, if needed. */
const readTimeoutMs = 60_000
/** Each read holds a git process and some megabytes. */
const maxConcurrentReads = 4
const maxConcurrentReadsPerPerson = 2

export function addReviewDiffRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const semaphore = createFairSemaphore(maxConcurrentReads, maxConcurrentReadsPerPerson)
  addRoute(contract.readReviewDiff, async ({ caller, params: { id } }) => {
    const signal = startDeadline(readTimeoutMs)
    const release = await semaphore.acquire(String(caller.userId), signal).catch(throwTooManyReads)
    try {
      const isValidId = /^\d{1,15}$/.test(id)
      const diff = isValidId ? await showDiff(ctx, caller, Number(id), signal) : undefined
      if (diff === undefined) throw new RequestError('not_found', 'Review not found')
      return { ...diff, files: diff.files.map(describeFile) }
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

function describeFile({ hunks, ...file }: ShownFile) {
  return {
    ...file,
    hunks: hunks.map(({ oldCount, newCount, ...hunk }) => {
      return { ...hunk, oldLines: oldCount, newLines: newCount }
    }),
  }
}
