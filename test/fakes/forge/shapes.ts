import { shapePayloadApp } from './apps/shape-apps.ts'
import { mergeProblem } from './checks/required-checks.ts'
import type { Comparison } from './comparison.ts'
import {
  type CommitStatus,
  type Hook,
  type InlineComment,
  type Issue,
  type IssueComment,
  type Label,
  type PullRequest,
  type Reaction,
  type Repository,
  type Review,
  reactionContents,
  type User,
} from './entities.ts'
import {
  encodePath,
  nodeId,
  repositoryApiUrl,
  repositoryWebUrl,
  shapeRepository,
  shapeUser,
} from './shape-accounts.ts'
import type { ForgeState } from './state.ts'

type Shape = Record<string, unknown>

export const pullWebUrl = (state: ForgeState, pull: PullRequest) =>
  `${repositoryWebUrl(state, pull.repository)}/${state.dialect.pullPath}/${pull.number}`

/** Returns the user's association with the repository. */
function association(repository: Repository, user: User): string {
  if (user.id === repository.owner.id) return 'OWNER'
  return repository.collaborators.has(user.login.toLowerCase()) ? 'COLLABORATOR' : 'NONE'
}

export function shapeIssue(state: ForgeState, issue: Issue): Shape {
  const { repository } = issue
  const pull = repository.pulls.get(issue.number)
  const api = `${repositoryApiUrl(state, repository)}/issues/${issue.number}`
  return {
    url: api,
    repository_url: repositoryApiUrl(state, repository),
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    timeline_url: `${api}/timeline`,
    html_url: pull
      ? pullWebUrl(state, pull)
      : `${repositoryWebUrl(state, repository)}/issues/${issue.number}`,
    id: issue.id,
    node_id: nodeId('I', issue.id),
    number: issue.number,
    title: issue.title,
    user: shapeUser(state, issue.author),
    labels: issue.labels.map((label) => shapeLabel(state, repository, label)),
    state: issue.state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: association(repository, issue.author),
    active_lock_reason: null,
    body: issue.body,
    reactions: shapeReactions(api, []),
    performed_via_github_app: null,
    state_reason: null,
    ...(pull === undefined
      ? {}
      : {
          draft: pull.draft,
          pull_request: {
            url: `${repositoryApiUrl(state, repository)}/pulls/${issue.number}`,
            html_url: pullWebUrl(state, pull),
            diff_url: `${pullWebUrl(state, pull)}.diff`,
            patch_url: `${pullWebUrl(state, pull)}.patch`,
            merged_at: pull.mergedAt,
          },
        }),
  }
}

/** Renders a pull request as in lists; `whole` adds the fields of single ones and payloads. */
export function shapePull(state: ForgeState, pull: PullRequest, whole: boolean): Shape {
  const [api, web] = [repositoryApiUrl(state, pull.repository), pullWebUrl(state, pull)]
  const { author, headOwner, headRepository, repository } = pull
  const urls = {
    commits_url: `${api}/pulls/${pull.number}/commits`,
    review_comments_url: `${api}/pulls/${pull.number}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${api}/issues/${pull.number}/comments`,
    statuses_url: `${api}/statuses/${pull.headSha}`,
  }
  return {
    url: `${api}/pulls/${pull.number}`,
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    html_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    issue_url: `${api}/issues/${pull.number}`,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: shapeUser(state, author),
    body: pull.body,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha,
    assignee: null,
    assignees: [],
    requested_reviewers: pull.requestedReviewers.map((user) => shapeUser(state, user)),
    requested_teams: [],
    labels: pull.labels.map((label) => shapeLabel(state, repository, label)),
    milestone: null,
    draft: pull.draft,
    ...urls,
    head: {
      label: `${headOwner.login}:${pull.headRef}`,
      ref: pull.headRef,
      sha: pull.headSha,
      user: shapeUser(state, headOwner),
      repo: headRepository === null ? null : shapeRepository(state, headRepository),
    },
    base: {
      label: `${repository.owner.login}:${pull.baseRef}`,
      ref: pull.baseRef,
      sha: pull.baseSha,
      user: shapeUser(state, repository.owner),
      repo: shapeRepository(state, repository),
    },
    _links: {
      self: { href: `${api}/pulls/${pull.number}` },
      html: { href: web },
      issue: { href: `${api}/issues/${pull.number}` },
      comments: { href: urls.comments_url },
      review_comments: { href: urls.review_comments_url },
      review_comment: { href: urls.review_comment_url },
      commits: { href: urls.commits_url },
      statuses: { href: urls.statuses_url },
    },
    author_association: association(repository, author),
    auto_merge: null,
    active_lock_reason: null,
    ...(whole
      ? {
          merged: pull.mergedAt !== null,
          mergeable: pull.state === 'open' ? true : null,
          rebaseable: pull.state === 'open' ? true : null,
          mergeable_state:
            mergeProblem(repository, pull.baseRef, pull.headSha) === null ? 'clean' : 'blocked',
          merged_by: pull.mergedBy === null ? null : shapeUser(state, pull.mergedBy),
          comments: pull.comments.length,
          review_comments: pull.inlineComments.length,
          maintainer_can_modify: false,
          commits: pull.commits,
          additions: pull.additions,
          deletions: pull.deletions,
          changed_files: pull.changedFiles,
        }
      : {}),
  }
}

export function shapeLabel(state: ForgeState, repository: Repository, label: Label): Shape {
  const { color, description, id, name } = label
  return {
    id,
    node_id: nodeId('LA', id),
    url: `${repositoryApiUrl(state, repository)}/labels/${encodeURIComponent(name)}`,
    name,
    color,
    default: false,
    description,
  }
}

/** The counts of all kinds of reactions below something with an address. */
function shapeReactions(address: string, reactions: readonly Reaction[]): Shape {
  const count = (content: string) => reactions.filter((one) => one.content === content).length
  const counts = reactionContents.map((content) => [content, count(content)])
  return {
    url: `${address}/reactions`,
    total_count: reactions.length,
    ...Object.fromEntries(counts),
  }
}

/** The App that wrote something; null for people. */
function shapeActingApp(state: ForgeState, author: User): Shape | null {
  const app = state.apps.find((candidate) => candidate.bot === author)
  return app === undefined ? null : shapePayloadApp(state, app)
}

export function shapeIssueComment(state: ForgeState, issue: Issue, comment: IssueComment): Shape {
  const api = repositoryApiUrl(state, issue.repository)
  return {
    url: `${api}/issues/comments/${comment.id}`,
    html_url: `${shapeIssue(state, issue).html_url}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${issue.number}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: shapeUser(state, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(issue.repository, comment.author),
    body: comment.body,
    reactions: shapeReactions(`${api}/issues/comments/${comment.id}`, comment.reactions),
    performed_via_github_app: shapeActingApp(state, comment.author),
  }
}

export function shapeReview(state: ForgeState, pull: PullRequest, review: Review): Shape {
  const html = `${pullWebUrl(state, pull)}#pullrequestreview-${review.id}`
  const api = `${repositoryApiUrl(state, pull.repository)}/pulls/${pull.number}`
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: shapeUser(state, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: api,
    _links: { html: { href: html }, pull_request: { href: api } },
    author_association: association(pull.repository, review.author),
    submitted_at: review.submittedAt,
    commit_id: review.commitId,
  }
}

export const threadId = (comment: InlineComment) => nodeId('PRRT', comment.inReplyTo ?? comment.id)

export function shapeInlineComment(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
): Shape {
  const api = repositoryApiUrl(state, pull.repository)
  const { original, current } = comment
  return {
    url: `${api}/pulls/comments/${comment.id}`,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: original.diffHunk,
    path: original.path,
    commit_id: comment.commitId,
    original_commit_id: comment.originalCommitId,
    user: shapeUser(state, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: `${pullWebUrl(state, pull)}#discussion_r${comment.id}`,
    pull_request_url: `${api}/pulls/${pull.number}`,
    author_association: association(pull.repository, comment.author),
    start_line: current?.startLine ?? null,
    original_start_line: original.startLine,
    start_side: original.startSide,
    line: current?.line ?? null,
    original_line: original.line,
    side: original.side,
    position: current?.position ?? null,
    original_position: original.position,
    subject_type: 'line',
    _links: {
      self: { href: `${api}/pulls/comments/${comment.id}` },
      html: { href: `${pullWebUrl(state, pull)}#discussion_r${comment.id}` },
      pull_request: { href: `${api}/pulls/${pull.number}` },
    },
    reactions: shapeReactions(`${api}/pulls/comments/${comment.id}`, comment.reactions),
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  }
}

export function shapeStatus(
  state: ForgeState,
  repository: Repository,
  status: CommitStatus,
): Shape {
  return {
    url: `${repositoryApiUrl(state, repository)}/statuses/${status.sha}`,
    avatar_url: `${state.url}/avatars/u/${status.author.id}`,
    id: status.id,
    node_id: nodeId('SC', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
    creator: shapeUser(state, status.author),
  }
}

export function shapeHook(state: ForgeState, repository: Repository, hook: Hook): Shape {
  const api = `${repositoryApiUrl(state, repository)}/hooks/${hook.id}`
  return {
    type: 'Repository',
    id: hook.id,
    name: 'web',
    active: hook.active,
    events: hook.events,
    config: {
      content_type: hook.contentType,
      insecure_ssl: '0',
      url: hook.url,
      ...(hook.secret === '' ? {} : { secret: '********' }),
    },
    updated_at: hook.createdAt,
    created_at: hook.createdAt,
    url: api,
    test_url: `${api}/test`,
    ping_url: `${api}/pings`,
    deliveries_url: `${api}/deliveries`,
    last_response: { code: null, status: 'unused', message: null },
  }
}

export function shapeFiles(
  state: ForgeState,
  repository: Repository,
  comparison: Comparison,
): Shape[] {
  const { head, mergeBase } = comparison
  const [api, web] = [repositoryApiUrl(state, repository), repositoryWebUrl(state, repository)]
  return comparison.files.map((file) => {
    const [path, commit] = [encodePath(file.path), file.status === 'removed' ? mergeBase : head]
    return {
      sha: file.sha,
      filename: file.path,
      status: file.status,
      additions: file.additions,
      deletions: file.deletions,
      changes: file.additions + file.deletions,
      blob_url: `${web}/blob/${commit}/${path}`,
      raw_url: `${web}/raw/${commit}/${path}`,
      contents_url: `${api}/contents/${path}?ref=${commit}`,
      ...(file.patch === undefined ? {} : { patch: file.patch }),
      ...(file.path === file.oldPath ? {} : { previous_filename: file.oldPath }),
    }
  })
}
