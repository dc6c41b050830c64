// Reads which reviews and answers the deliveries to webhooks request.
import { z } from 'zod'
import type { PlatformRequest } from '../../domain/platform-request.ts'
import type { DeliveryReader } from '../delivery-reader.ts'

const present = z
  .unknown()
  .transform((value) => value != null)
  .catch(false)

/** The server calls the base branch `ref`. A draft is one by its title. */
const edit = z.object({ changes: z.object({ ref: present, title: present }) })

/** Pushes and new pull requests start reviews with every webhook, and aren't listed here. */
const starts: Readonly<Record<string, (payload: unknown) => boolean>> = {
  reopened: () => true,
  edited: (payload) => {
    const { changes } = edit.safeParse(payload).data ?? {}
    return changes !== undefined && (changes.ref || changes.title)
  },
}

const pullNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

const sender = z
  .object({ id: z.int().positive(), login: z.string().min(1) })
  .transform(({ id, login }) => ({ id: String(id), login }))

const changedPull = z.object({
  number: pullNumber,
  head: z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }),
})

// Deliveries about labels don't say which ones changed.
const reviewerDelivery = z.object({
  action: z.literal('review_requested'),
  requested_reviewer: z.object({ login: z.string().min(1) }),
  pull_request: changedPull,
  sender,
})

type Reading = PlatformRequest | 'nothing' | null

const readers: Readonly<Record<string, (payload: unknown) => Reading>> = {
  pull_request: readReviewer,
  // A reply on a line is delivered like a comment of the conversation, so comments are listed.
  issue_comment: () => 'nothing',
  // What people say with a review. Its comments aren't in the delivery.
  pull_request_comment: () => 'nothing',
  pull_request_approved: () => 'nothing',
  pull_request_rejected: () => 'nothing',
  push: () => 'nothing',
}

export const hookReader: DeliveryReader = {
  startsReview: ({ event, action, payload }) =>
    event === 'pull_request' &&
    action !== null &&
    Object.hasOwn(starts, action) &&
    starts[action]!(JSON.parse(payload)),
  readRequest: ({ event, payload }) =>
    Object.hasOwn(readers, event) ? readers[event]!(JSON.parse(payload)) : null,
}

function readReviewer(payload: unknown): PlatformRequest | null {
  const { data } = reviewerDelivery.safeParse(payload)
  if (data === undefined) return null
  const { requested_reviewer: reviewer, pull_request: pull, sender } = data
  const { number, head } = pull
  const kind = 'reviewer_requested'
  return { kind, subject: reviewer.login, number, headSha: head.sha, sender }
}
