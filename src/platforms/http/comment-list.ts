// Collects the comments that a host lists, orders them, and bounds their number.
import { PlatformError } from '../../domain/errors.ts'
import { type CommentList, type ListedComment, maxListedComments } from '../platform.ts'

/** The newest ones are left out first, because they are listed again the next time. */
export function toCommentList(all: readonly ListedComment[], isComplete = true): CommentList {
  const comments = all
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .slice(0, maxListedComments)
  return { comments, isComplete }
}

/** Reads the comments of one pull request after the other. A failing one doesn't hide others. */
export async function readEach(
  pulls: Iterable<{ readonly number: number }>,
  read: (number: number) => Promise<readonly ListedComment[]>,
): Promise<CommentList> {
  const comments: ListedComment[] = []
  let isComplete = true
  for (const { number } of pulls) {
    try {
      comments.push(...(await read(number)))
    } catch (error) {
      if (!isOfOne(error)) throw error
      isComplete = false
    }
  }
  return { comments, isComplete }
}

/** Whether an error is about one pull request: others would not fail for the same reason. */
function isOfOne(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false
  const isUnreachable = error.code === 'platform_unavailable' && error.status === 0
  const isOfAll = ['platform_rate_limited', 'platform_unauthorized'].includes(error.code)
  return !isUnreachable && !isOfAll
}
