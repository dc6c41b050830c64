// Orders the comments that a host lists, and bounds their number.
import { type CommentList, type ListedComment, maxListedComments } from '../platform.ts'

/** The newest ones are left out first, because they are listed again the next time. */
export function toCommentList(all: readonly ListedComment[], isComplete = true): CommentList {
  const comments = all
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .slice(0, maxListedComments)
  return { comments, isComplete }
}
