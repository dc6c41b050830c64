// The content of a pull request in plain values for assertions.

import type { CommitStatus, InlineComment, IssueComment, PullRequest } from './entities.ts'
import { commentsOfThread, threadsOf } from './reviews.ts'
import { pullWebUrl, threadId } from './shapes.ts'
import { type ForgeState, fullName } from './state.ts'

export interface CommentView {
  readonly id: number
  readonly author: string
  readonly body: string
  /** How often it was edited. */
  readonly edits: number
  /** Login of the one who edited it last. */
  readonly editedBy: string | null
  readonly reactions: readonly { readonly content: string; readonly author: string }[]
  readonly createdAt: string
  readonly updatedAt: string
}

export interface ReviewView {
  readonly id: number
  readonly author: string
  readonly state: 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED'
  readonly body: string
  readonly commitId: string
}

export interface InlineCommentView extends CommentView {
  readonly reviewId: number
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  /** The line in the current diff; null when it was removed. */
  readonly line: number | null
  readonly startLine: number | null
  readonly originalLine: number
  readonly originalStartLine: number | null
  readonly originalCommitId: string
  readonly inReplyTo: number | null
}

export interface ThreadView {
  /** Its id in GraphQL. */
  readonly id: string
  readonly resolved: boolean
  readonly resolvedBy: string | null
  readonly outdated: boolean
  readonly path: string
  readonly line: number | null
  readonly comments: readonly InlineCommentView[]
}

export interface StatusView {
  readonly context: string
  readonly state: CommitStatus['state']
  readonly description: string | null
  readonly targetUrl: string | null
  readonly author: string
}

/** Returns a copy of a pull request with all its content, which doesn't change any more. */
export interface PullRequestView {
  readonly repo: string
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string | null
  readonly author: string
  readonly state: 'open' | 'closed'
  readonly merged: boolean
  readonly draft: boolean
  readonly headRef: string
  readonly headSha: string
  readonly headRepo: string | null
  readonly baseRef: string
  readonly baseSha: string
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
  readonly labels: readonly string[]
  /** Logins. */
  readonly requestedReviewers: readonly string[]
  readonly comments: readonly CommentView[]
  readonly reviews: readonly ReviewView[]
  readonly inlineComments: readonly InlineCommentView[]
  readonly threads: readonly ThreadView[]
  /** The statuses of all commits of the repository, by commit, oldest first. */
  readonly statuses: Readonly<Record<string, readonly StatusView[]>>
}

export function viewPull(state: ForgeState, pull: PullRequest): PullRequestView {
  return {
    repo: fullName(pull.repository),
    number: pull.number,
    url: pullWebUrl(state, pull),
    title: pull.title,
    body: pull.body,
    author: pull.author.login,
    state: pull.state,
    merged: pull.mergedAt !== null,
    draft: pull.draft,
    headRef: pull.headRef,
    headSha: pull.headSha,
    headRepo: pull.headRepository === null ? null : fullName(pull.headRepository),
    baseRef: pull.baseRef,
    baseSha: pull.baseSha,
    additions: pull.additions,
    deletions: pull.deletions,
    changedFiles: pull.changedFiles,
    labels: pull.labels.map(({ name }) => name),
    requestedReviewers: pull.requestedReviewers.map(({ login }) => login),
    comments: pull.comments.map(viewComment),
    reviews: pull.reviews.map(({ id, author, state: kind, body, commitId }) => ({
      id,
      author: author.login,
      state: kind,
      body,
      commitId,
    })),
    inlineComments: pull.inlineComments.map(viewInlineComment),
    threads: threadsOf(pull).map((opening) => viewThread(pull, opening)),
    statuses: viewStatuses(pull.repository.statuses),
  }
}

function viewComment(comment: IssueComment | InlineComment): CommentView {
  const { id, author, body, edits, createdAt, updatedAt, editor, reactions } = comment
  return {
    id,
    author: author.login,
    body,
    edits,
    editedBy: editor?.login ?? null,
    reactions: reactions.map((one) => ({ content: one.content, author: one.author.login })),
    createdAt,
    updatedAt,
  }
}

function viewInlineComment(comment: InlineComment): InlineCommentView {
  return {
    ...viewComment(comment),
    reviewId: comment.reviewId,
    path: comment.original.path,
    side: comment.original.side,
    line: comment.current?.line ?? null,
    startLine: comment.current?.startLine ?? null,
    originalLine: comment.original.line,
    originalStartLine: comment.original.startLine,
    originalCommitId: comment.originalCommitId,
    inReplyTo: comment.inReplyTo,
  }
}

function viewThread(pull: PullRequest, opening: InlineComment): ThreadView {
  return {
    id: threadId(opening),
    resolved: opening.resolvedBy !== null,
    resolvedBy: opening.resolvedBy?.login ?? null,
    outdated: opening.current === null,
    path: opening.original.path,
    line: opening.current?.line ?? null,
    comments: commentsOfThread(pull, opening).map(viewInlineComment),
  }
}

function viewStatuses(statuses: readonly CommitStatus[]): Record<string, StatusView[]> {
  const bySha: Record<string, StatusView[]> = {}
  for (const { sha, context, state, description, targetUrl, author } of statuses) {
    bySha[sha] ??= []
    bySha[sha].push({ context, state, description, targetUrl, author: author.login })
  }
  return bySha
}
