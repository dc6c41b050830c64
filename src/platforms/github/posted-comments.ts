// Recognizes our comments by the URLs that were stored when they were posted.

/** Contains the comments of a pull request that earlier reviews posted. */
export interface PostedComments {
  hasIssueComment(id: number): boolean
  /** Such a comment is on a line of the diff. */
  hasReviewComment(id: number): boolean
}

/** Implements `Platform.isUrlOf`. */
export function isUrlOfComment(
  url: string,
  { id, isInline }: { id: string; isInline: boolean },
): boolean {
  const posted = readPostedComments([url])
  return isInline ? posted.hasReviewComment(Number(id)) : posted.hasIssueComment(Number(id))
}

/** Compares only the ids in the fragments, because a renamed repository changes the rest. */
export function readPostedComments(urls: readonly string[]): PostedComments {
  const fragments = new Set(urls.map((url) => URL.parse(url)?.hash))
  return {
    hasIssueComment: (id) => fragments.has(`#issuecomment-${id}`),
    hasReviewComment: (id) => fragments.has(`#discussion_r${id}`),
  }
}
