// Builds the methods of a platform that publish reviews from the calls of a host.
import type { Access, Platform, Viewer } from '../platform.ts'
import { withdrawDecisions } from './decisions.ts'
import { ensureReply } from './ensure-reply.ts'
import { ensureReview } from './ensure-review.ts'
import { isUrlOfComment } from './posted-comments.ts'
import type { Account, ReviewCalls, ReviewTarget } from './review-calls.ts'
import type { ReadViewer } from './viewer-cache.ts'

type Publishing = Pick<Platform, 'ensureReview' | 'withdrawDecisions' | 'ensureReply' | 'isUrlOf'>

interface PublishingHost extends Pick<Account, 'platform' | 'anchors'> {
  /** Returns the account of a token, from a cache. */
  readonly readViewer: ReadViewer
  createCalls(target: ReviewTarget, viewer: Viewer): ReviewCalls
}

export function createPublishing(host: PublishingHost): Publishing {
  const { platform, anchors } = host
  async function findAccount(
    access: Access,
    task: Pick<ReviewTarget, 'number' | 'beforeWrite'>,
    signal: AbortSignal | undefined,
  ): Promise<Account> {
    const { number, beforeWrite } = task
    const viewer = await host.readViewer(access, signal)
    const calls = host.createCalls({ access, number, beforeWrite, signal }, viewer)
    return { platform, anchors, calls, viewer, signal }
  }
  return {
    ensureReview: async (access, review, signal) =>
      ensureReview({ ...(await findAccount(access, review, signal)), review }),
    withdrawDecisions: async (access, withdrawal, signal) =>
      withdrawDecisions({ ...(await findAccount(access, withdrawal, signal)), withdrawal }),
    ensureReply: async (access, reply, signal) =>
      ensureReply({ ...(await findAccount(access, reply, signal)), reply }),
    isUrlOf: (url, comment) => isUrlOfComment(anchors, url, comment),
  }
}
