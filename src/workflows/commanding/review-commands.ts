// Commands that request, pause and resume reviews.
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { RequestError } from '../../domain/errors.ts'
import type { CommentAnswer } from '../../domain/platform-request.ts'
import { readPausedBy } from '../../events/review-pauses.ts'
import { isRetryWaiting } from '../../events/review-requests.ts'
import { lockPullRequest } from '../../work/runs.ts'
import { adoptPullRequest } from '../adopt-pull-request.ts'
import { pausePullRequest, resumePullRequest } from '../pause-pull-request.ts'
import { requestFullReview, requestReview } from '../request-review.ts'
import { type Command, type CommandTask, done } from './command.ts'

export const review: Command = async (ctx, task) => async (tx) => {
  await lockOpen(tx, ctx, task)
  // A review under way adopts the request, and a run that ends skipped leaves it to the next one.
  if (await isRetryWaiting(tx, task.ref))
    return done('A review was requested already, and has not begun yet.')
  return request(tx, task, requestReview)
}

export const reviewFull: Command = async (ctx, task) => async (tx) => {
  await lockOpen(tx, ctx, task)
  return request(tx, task, requestFullReview)
}

export const pause: Command =
  async (ctx, { ref, person, mention, pullRequest }) =>
  async (tx) => {
    await lockOpen(tx, ctx, { ref, pullRequest })
    if ((await readPausedBy(tx, ref, null)) !== null) return done('The reviews are paused already.')
    await pausePullRequest(tx, ref, person, null)
    return done(
      `The reviews of this ${ctx.platform.terms.pullRequest} are paused. ` +
        `\`${mention} resume\` ends the pause, and \`${mention} review\` reviews it once.`,
    )
  }

export const resume: Command =
  async (ctx, { ref, person, pullRequest }) =>
  async (tx) => {
    await lockOpen(tx, ctx, { ref, pullRequest })
    const { branch } = pullRequest.base
    if ((await readPausedBy(tx, ref, branch)) === null) return done('The reviews are not paused.')
    await resumePullRequest(tx, ref, person)
    return done('The pause has ended. What was not reviewed meanwhile is reviewed now.')
  }

async function request(
  tx: Db,
  { ref, person, pullRequest }: CommandTask,
  add: typeof requestReview,
): Promise<CommentAnswer> {
  await add(tx, ref, person)
  const what = add === requestFullReview ? 'A full review' : 'A review'
  const head = pullRequest.head.sha.slice(0, 7)
  return done(`${what} of ${head} was requested. The check shows its progress.`)
}

/** No delivery reported what was opened before the App was installed. */
async function lockOpen(
  tx: Db,
  ctx: AppContext,
  { ref, pullRequest }: Pick<CommandTask, 'ref' | 'pullRequest'>,
): Promise<void> {
  let state = await lockPullRequest(tx, ref)
  if (state === undefined) {
    await adoptPullRequest(tx, ctx, { ref, pullRequest })
    state = pullRequest.state
  }
  if (state !== 'open') throw new RequestError('conflict', `It is ${state}: nothing is left to do.`)
}
