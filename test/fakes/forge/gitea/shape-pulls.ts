// Issues, pull requests, comments and reviews in the format of Gitea and Forgejo.
import { accountPermission, permits } from '../access.ts'
import type {
  CommitStatus,
  Hook,
  InlineComment,
  Issue,
  IssueComment,
  Label,
  PullRequest,
  Repository,
  Review,
  User,
} from '../entities.ts'
import { type Host, permissionOf } from './host.ts'
import {
  repositoryApiUrl,
  repositoryWebUrl,
  type Shape,
  shapeRepository,
  shapeUser,
} from './shape-accounts.ts'

/** The page of an issue or pull request. */
export function issueWebUrl(host: Host, issue: Issue): string {
  const kind = issue.repository.pulls.has(issue.number) ? 'pulls' : 'issues'
  return `${repositoryWebUrl(host, issue.repository)}/${kind}/${issue.number}`
}

/** The address of any comment, of a review too: all have this form. */
const commentUrl = (host: Host, issue: Issue, id: number) =>
  `${issueWebUrl(host, issue)}#issuecomment-${id}`

export function shapeLabel(host: Host, repository: Repository, label: Label): Shape {
  return {
    id: label.id,
    name: label.name,
    exclusive: false,
    is_archived: false,
    color: label.color,
    description: label.description ?? '',
    url: `${repositoryApiUrl(host, repository)}/labels/${label.id}`,
  }
}

export function shapeIssue(host: Host, issue: Issue, viewer: User | null = null): Shape {
  const { repository } = issue
  const pull = repository.pulls.get(issue.number)
  return {
    id: issue.id,
    url: `${repositoryApiUrl(host, repository)}/issues/${issue.number}`,
    html_url: issueWebUrl(host, issue),
    number: issue.number,
    user: shapeUser(host, issue.author, viewer),
    ...{ original_author: '', original_author_id: 0 },
    title: issue.title,
    body: issue.body ?? '',
    ...{ ref: '', assets: [] },
    labels: issue.labels.map((label) => shapeLabel(host, repository, label)),
    ...{ milestone: null, assignee: null, assignees: null },
    state: issue.state,
    is_locked: false,
    comments: pull === undefined ? issue.comments.length : countComments(pull),
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    due_date: null,
    pull_request:
      pull === undefined
        ? null
        : {
            merged: pull.mergedAt !== null,
            merged_at: pull.mergedAt,
            draft: pull.draft,
            html_url: issueWebUrl(host, pull),
          },
    repository: {
      id: repository.id,
      name: repository.name,
      owner: repository.owner.login,
      full_name: `${repository.owner.login}/${repository.name}`,
    },
    pin_order: 0,
    ...host.profile.issue,
  }
}

/** The head: its `ref` is one of the pull request once the branch is gone, and `repo` may be null. */
function shapeHead(host: Host, pull: PullRequest, viewer: User | null): Shape {
  const { headRef, headRepository: repository, headSha } = pull
  return {
    label: headRef,
    ref: repository?.heads.has(headRef) === true ? headRef : `refs/pull/${pull.number}/head`,
    sha: headSha,
    repo_id: repository?.id ?? -1,
    repo:
      repository === null
        ? null
        : shapeRepository(host, repository, permissionOf(viewer, repository), viewer),
  }
}

/** Those who were asked for a review, and, as observed at both, those who gave a verdict. */
function reviewersOf({ requestedReviewers, reviews }: PullRequest): readonly User[] {
  const decided = reviews
    .filter(({ state }) => state === 'APPROVED' || state === 'CHANGES_REQUESTED')
    .map(({ author }) => author)
  return [...new Set([...requestedReviewers, ...decided])]
}

/** Reviews count as comments here, whatever the names of the fields say. */
const countComments = ({ comments, reviews }: PullRequest) => comments.length + reviews.length

/** A pull request. Its base has the commit that the branch is at now, not the one of the diff. */
export function shapePull(host: Host, pull: PullRequest, viewer: User | null = null): Shape {
  const { repository } = pull
  const web = issueWebUrl(host, pull)
  return {
    id: pull.id,
    url: web,
    number: pull.number,
    user: shapeUser(host, pull.author, viewer),
    title: pull.title,
    body: pull.body ?? '',
    labels: pull.labels.map((label) => shapeLabel(host, repository, label)),
    ...{ milestone: null, assignee: null, assignees: host.profile.noAssignees },
    requested_reviewers: reviewersOf(pull).map((user) => shapeUser(host, user)),
    requested_reviewers_teams: [],
    state: pull.state,
    draft: pull.draft,
    is_locked: false,
    comments: countComments(pull),
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
    html_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    mergeable: !pull.draft,
    merged: pull.mergedAt !== null,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha,
    merged_by: pull.mergedBy === null ? null : shapeUser(host, pull.mergedBy),
    base: {
      label: pull.baseRef,
      ref: pull.baseRef,
      sha: repository.heads.get(pull.baseRef) ?? pull.baseSha,
      repo_id: repository.id,
      repo: shapeRepository(host, repository, permissionOf(viewer, repository), viewer),
    },
    head: shapeHead(host, pull, viewer),
    merge_base: pull.mergeBase,
    due_date: null,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    pin_order: 0,
    ...host.profile.pull,
    ...(pull.reviews.length === 0 ? {} : { review_comments: pull.reviews.length }),
  }
}

/** A comment of the conversation, or one of a review where it is edited or delivered as such. */
export function shapeComment(host: Host, issue: Issue, comment: IssueComment): Shape {
  const web = issueWebUrl(host, issue)
  const isPull = issue.repository.pulls.has(issue.number)
  return {
    id: comment.id,
    html_url: commentUrl(host, issue, comment.id),
    pull_request_url: isPull ? web : '',
    issue_url: isPull ? '' : web,
    user: shapeUser(host, comment.author),
    ...{ original_author: '', original_author_id: 0 },
    body: comment.body,
    assets: [],
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  }
}

const reviewStates: Readonly<Record<Review['state'], string>> = {
  COMMENTED: 'COMMENT',
  APPROVED: 'APPROVED',
  CHANGES_REQUESTED: 'REQUEST_CHANGES',
  DISMISSED: 'COMMENT',
}

/** A review. A dismissed one keeps its state; a newer verdict of its author makes it dismissed. */
export function shapeReview(
  host: Host,
  pull: PullRequest,
  review: Review,
  pending: readonly InlineComment[] | null = null,
): Shape {
  const { author, repository } = { author: review.author, repository: pull.repository }
  const decides = (review.formerState ?? review.state) !== 'COMMENTED'
  const comments =
    pending ?? pull.inlineComments.filter((comment) => comment.reviewId === review.id)
  const stale = review.headSha !== pull.headSha || (decides && review.commitId !== review.headSha)
  const dismissed = review.state === 'DISMISSED'
  return {
    id: review.id,
    user: shapeUser(host, author),
    team: null,
    state: pending === null ? reviewStates[review.formerState ?? review.state] : 'PENDING',
    body: review.body,
    commit_id: review.commitId,
    stale,
    // Only a verdict of somebody who can write counts for the rules of a branch.
    official: decides && !dismissed && permits(accountPermission(author, repository), 'write'),
    dismissed,
    comments_count: comments.length,
    submitted_at: review.submittedAt,
    updated_at: review.updatedAt,
    html_url: pending === null ? commentUrl(host, pull, review.summaryId) : '',
    pull_request_url: issueWebUrl(host, pull),
  }
}

/** A request for a review, as it is listed among the reviews. */
export function shapeRequest(host: Host, pull: PullRequest, user: User, id: number): Shape {
  return {
    id,
    user: shapeUser(host, user),
    team: null,
    state: 'REQUEST_REVIEW',
    ...{ body: '', commit_id: '', stale: false, official: false, dismissed: false },
    comments_count: 0,
    submitted_at: pull.updatedAt,
    updated_at: pull.updatedAt,
    html_url: '',
    pull_request_url: issueWebUrl(host, pull),
  }
}

/**
 * A comment of a review. `position` and `original_position` are the lines in the new and old file,
 * and stay as they were posted, whatever is pushed. `commit_id` is the commit that wrote the line.
 */
export function shapeInlineComment(host: Host, pull: PullRequest, comment: InlineComment): Shape {
  const { diffHunk, line, path, side } = comment.original
  return {
    id: comment.id,
    body: comment.body,
    user: shapeUser(host, comment.author),
    resolver: comment.resolvedBy === null ? null : shapeUser(host, comment.resolvedBy),
    pull_request_review_id: comment.reviewId,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    path,
    commit_id: comment.originalCommitId,
    original_commit_id: '',
    diff_hunk: diffHunk,
    position: side === 'RIGHT' ? line : 0,
    original_position: side === 'LEFT' ? line : 0,
    html_url: commentUrl(host, pull, comment.id),
    pull_request_url: issueWebUrl(host, pull),
  }
}

export function shapeStatus(host: Host, repository: Repository, status: CommitStatus): Shape {
  return {
    id: status.id,
    status: status.state,
    target_url: status.targetUrl ?? '',
    description: status.description ?? '',
    url: `${repositoryApiUrl(host, repository)}/statuses/${status.sha}`,
    context: status.context,
    creator: shapeUser(host, status.author),
    created_at: status.createdAt,
    updated_at: status.createdAt,
  }
}

/** A webhook. Its secret is never shown. */
export function shapeHook({ profile }: Host, hook: Hook): Shape {
  return {
    id: hook.id,
    ...(profile.name === 'gitea' ? { name: '' } : {}),
    type: 'gitea',
    branch_filter: '',
    config: { content_type: hook.contentType, url: hook.url },
    events: hook.events,
    authorization_header: '',
    active: hook.active,
    updated_at: hook.createdAt,
    created_at: hook.createdAt,
    ...(profile.name === 'gitea'
      ? {}
      : { url: hook.url, content_type: hook.contentType, metadata: null }),
  }
}
