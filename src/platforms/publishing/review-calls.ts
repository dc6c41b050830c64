// Defines the calls to a host from which reviews, decisions and replies are published.
//
// Glossary
//   conversation  the comments on the pull request as a whole, of which a summary is one
//   inline        of comments: on lines of the diff
//   review        what people post at once: inline comments, a text and maybe a decision
import type { PlatformError } from '../../domain/errors.ts'
import type { CommentRef } from '../../domain/platform-request.ts'
import type { Decision } from '../../domain/review.ts'
import type { Access, InlineComment, Viewer } from '../platform.ts'
import type { CommentAnchors } from './posted-comments.ts'

/** Whose comments are written, and where. */
export interface ReviewTarget {
  readonly access: Access
  /** It is the number of the pull request. */
  readonly number: number
  /** Called before every write. It throws when writing must stop. */
  readonly beforeWrite: () => Promise<void>
  readonly signal: AbortSignal | undefined
}

export interface PostedComment {
  /** Ids rise with time. */
  readonly id: string
  /** Null when the account is gone. */
  readonly authorId: string | null
  readonly body: string
  readonly url: string
  /** The comment that opened the thread in which it replies; null if it replies in none. */
  readonly threadId: string | null
}

export interface PostedReview {
  readonly id: string
  /** Null when the account is gone. */
  readonly authorId: string | null
  readonly state: Decision | 'comment' | 'dismissed' | 'pending' | 'unknown'
  readonly body: string
  /** Null where the host doesn't know the reviewed commit any more. */
  readonly headSha: string | null
  /** The message of its dismissal; empty where the host doesn't show it. */
  readonly dismissal: string
}

export interface ReviewToPost {
  /** Null where the head at that time is meant. */
  readonly headSha: string | null
  readonly event: Decision | 'comment'
  readonly body: string
  readonly comments: readonly InlineComment[]
}

/**
 * The calls for one pull request. All of them throw `PlatformError`: `platform_not_found` for what
 * is gone, and `platform_forbidden` or `platform_not_found` for what this account may not change.
 */
export interface ReviewCalls {
  /** Yields the comments of the conversation, oldest first. */
  readConversation(): AsyncIterable<PostedComment>
  /** Yields the inline comments in any order. */
  readInline(): AsyncIterable<PostedComment>
  postComment(body: string): Promise<PostedComment>
  editComment(id: string, body: string): Promise<PostedComment>
  deleteComment(id: string): Promise<void>
  editInline(id: string, body: string): Promise<void>
  deleteInline(id: string): Promise<void>
  /** Replies in the thread of an inline comment. */
  replyInline(to: CommentRef, body: string): Promise<void>
  /** Lists the reviews of all accounts, oldest first. */
  listReviews(): Promise<readonly PostedReview[]>
  postReview(review: ReviewToPost): Promise<void>
  /** Null where the host can't change the text of a review. */
  readonly editReview: ((id: string, body: string) => Promise<void>) | null
  /** Makes a decision not count any longer. `message` is shown to people. */
  dismissReview(id: string, message: string): Promise<void>
  /** Whether it refused a review because nobody decides about their own pull request. */
  isOwnPullRefusal(error: PlatformError): boolean
  /** Whether it refused a review because of one of its comments, and posted none of them. */
  isCommentRefusal(error: PlatformError): boolean
}

/** The account that writes, and its calls. */
export interface Account {
  /** It is the name of the host that people read. */
  readonly platform: string
  readonly anchors: CommentAnchors
  readonly calls: ReviewCalls
  readonly viewer: Viewer
  readonly signal: AbortSignal | undefined
}
