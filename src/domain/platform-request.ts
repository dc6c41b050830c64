// Defines what people, merge queues and failed reviews request of a code host's pull requests.

/** The person who requests something. Their permission isn't checked yet. */
interface Sender {
  /** It is the host's id. */
  readonly id: string
  readonly login: string
}

/** It identifies a comment on a pull request. */
export interface CommentRef {
  readonly id: string
  /** Whether it is on a line of the diff, and not in the conversation. */
  readonly isInline: boolean
  /** The comment that opened the thread in which it replies; null if it replies in none. */
  readonly threadId: string | null
}

/** What answers a comment. */
export interface CommentAnswer {
  /** It is Markdown, without the marker. */
  readonly body: string
  /** Whether it was done, and not refused. */
  readonly isDone: boolean
  /** Whether the thread of the comment is resolved. */
  readonly resolvesThread?: boolean
}

/** What is requested at the check on a commit, or at a pull request. */
export type PlatformRequest =
  | {
      /** Reviews the commit again, or dismisses its open minor findings. */
      readonly kind: 'review' | 'dismiss_minor'
      readonly headSha: string
      readonly sender: Sender
    }
  | {
      /**
       * A label was added or removed, or an account was requested as reviewer. The settings say
       * which labels request something.
       */
      readonly kind: 'labeled' | 'unlabeled' | 'reviewer_requested'
      readonly headSha: string
      readonly number: number
      /** It is the name of the label, or the login of the account. */
      readonly subject: string
      readonly sender: Sender
    }
  | {
      /** The merge queue waits for the check on a commit of its own. */
      readonly kind: 'merge_group'
      readonly headSha: string
      /** The pull request that the group merges; null if it is unknown. */
      readonly number: number | null
    }
  | {
      /** A review failed, so that its check must show that. No delivery requests it. */
      readonly kind: 'failed_review'
      readonly number: number
      readonly runId: number
      /** Explains the failure to people. */
      readonly message: string
    }
  | {
      /** Somebody commented: with a command, or in a thread. */
      readonly kind: 'comment'
      readonly number: number
      readonly comment: CommentRef
      /** As it was when it was posted, up to `maxRequestLength` characters. */
      readonly body: string
      readonly sender: Sender
      /** Stored with what the comment changed, before it is posted. */
      readonly answer?: CommentAnswer
    }

/** Commands and questions are short. The rest of a longer comment is ignored. */
export const maxRequestLength = 10_000
