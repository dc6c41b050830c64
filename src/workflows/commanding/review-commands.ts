// Commands that request, pause and resume reviews.
import type { Actor } from '../../accounts/audit.ts'
import type { Db } from '../../db/database.ts'
import { RequestError } from '../../domain/errors.ts'
import type { CommentAnswer } from '../../domain/platform-request.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { readPausedBy } from '../../events/review-pauses.ts'
import { hasWaitingEvents, lockPullRequest } from '../../work/runs.ts'
import { pausePullRequest, resumePullRequest } from '../pause-pull-request.ts'
import { requestFullReview, requestReview } from '../request-review.ts'
import { type Command, done } from './command.ts'

export const review: Command = async (_ctx, task) => async (tx) => {
  await lockOpen(tx, task.ref)
  if (await hasWaitingEvents(tx, task.ref)) return done('A review is waiting or under way already.')
  return request(tx, task, requestReview)
}

export const reviewFull: Command = async (_ctx, task) => async (tx) => {
  await lockOpen(tx, task.ref)
  return request(tx, task, requestFullReview)
}

export const pause: Command =
  async (_ctx, { ref, person, mention }) =>
  async (tx) => {
    await lockOpen(tx, ref)
    if ((await readPausedBy(tx, ref)) !== null) return done('The reviews are paused already.')
    await pausePullRequest(tx, ref, person)
    return done(
      'The reviews of this pull request are paused. ' +
        `\`${mention} resume\` ends the pause, and \`${mention} review\` reviews it once.`,
    )
  }

export const resume: Command =
  async (_ctx, { ref, person }) =>
  async (tx) => {
    await lockOpen(tx, ref)
    if ((await readPausedBy(tx, ref)) === null) return done('The reviews are not paused.')
    await resumePullRequest(tx, ref, person)
    return done('The pause has ended. What was not reviewed meanwhile is reviewed now.')
  }

async function request(
  tx: Db,
  {
    ref,
    person,
    pullRequest,
  }: { ref: PullRequestRef; person: Actor; pullRequest: { head: { sha: string } } },
  add: typeof requestReview,
): Promise<CommentAnswer> {
  await add(tx, ref, person)
  const what = add === requestFullReview ? 'A full review' : 'A review'
  const head = pullRequest.head.sha.slice(0, 7)
  return done(`${what} of ${head} was requested. The check shows its progress.`)
}

async function lockOpen(tx: Db, ref: PullRequestRef): Promise<void> {
  const state = await lockPullRequest(tx, ref)
  if (state === undefined)
    throw new RequestError(
      'conflict',
      'This pull request is not known here yet: push to it, or reopen it.',
    )
  if (state !== 'open') throw new RequestError('conflict', `The pull request is ${state}.`)
}
