// Recognizes our comments by the URLs that were stored when they were posted.

/** How the fragment of a comment's URL begins, which ends with its id. */
export interface CommentAnchors {
  readonly conversation: string
  readonly inline: string
}

/** Contains the comments of a pull request that earlier reviews posted. */
export interface PostedComments {
  has(kind: keyof CommentAnchors, id: string): boolean
}

/** Implements `Platform.isUrlOf`. */
export function isUrlOfComment(
  anchors: CommentAnchors,
  url: string,
  { id, isInline }: { id: string; isInline: boolean },
): boolean {
  return readPostedComments([url], anchors).has(isInline ? 'inline' : 'conversation', id)
}

/** Returns the id in the URL of a comment of the conversation; null if it is another URL. */
export function readSummaryId(url: string, { conversation }: CommentAnchors): string | null {
  const fragment = URL.parse(url)?.hash ?? ''
  return fragment.startsWith(`#${conversation}`) ? fragment.slice(conversation.length + 1) : null
}

/** Compares only the ids in the fragments, because a renamed repository changes the rest. */
export function readPostedComments(
  urls: readonly string[],
  anchors: CommentAnchors,
): PostedComments {
  const fragments = new Set(urls.map((url) => URL.parse(url)?.hash))
  return { has: (kind, id) => fragments.has(`#${anchors[kind]}${id}`) }
}
