// GitLab's formats of what deliveries are about.
import { createHash } from 'node:crypto'
import type {
  InlineComment,
  Issue,
  IssueComment,
  Label,
  PullRequest,
  Repository,
} from '../entities.ts'
import type { ForgeState } from '../state.ts'
import { shapeHookCommit } from './commits.ts'
import { memoryOf } from './memory.ts'
import { issueUrl, mergeRequestUrl, stateOf } from './shape-merge-requests.ts'
import { type Shape, shapeHookProject } from './shape-projects.ts'

/** Times in deliveries have another format than in the API. */
const hookTime = (time: string | null) =>
  time === null ? null : `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`

const stateIds = { opened: 1, closed: 2, merged: 3 } as const

const noTimes = {
  time_estimate: 0,
  total_time_spent: 0,
  time_change: 0,
  human_time_estimate: null,
  human_total_time_spent: null,
  human_time_change: null,
}

/** A merge request in deliveries of any kind; whether it can be merged isn't known yet. */
export function shapeHookPull(state: ForgeState, pull: PullRequest): Shape {
  const { headRepository, repository } = pull
  const name = stateOf(pull)
  return {
    id: pull.id,
    iid: pull.number,
    title: pull.title,
    description: pull.body ?? '',
    state: name,
    state_id: stateIds[name],
    target_branch: pull.baseRef,
    source_branch: pull.headRef,
    source_project_id: headRepository?.id ?? null,
    target_project_id: repository.id,
    author_id: pull.author.id,
    ...{ assignee_id: null, assignee_ids: [], milestone_id: null, head_pipeline_id: null },
    reviewer_ids: pull.requestedReviewers.map(({ id }) => id),
    created_at: hookTime(pull.createdAt),
    updated_at: hookTime(pull.updatedAt),
    ...{ last_edited_at: null, last_edited_by_id: null, updated_by_id: null },
    merge_commit_sha: pull.mergeCommitSha,
    merge_user_id: pull.mergedBy?.id ?? null,
    ...{ merge_error: null, merge_params: {}, merge_when_pipeline_succeeds: false },
    ...{ merge_status: 'checking', detailed_merge_status: 'checking' },
    prepared_at: hookTime(pull.createdAt),
    draft: pull.draft,
    work_in_progress: pull.draft,
    ...{ first_contribution: false, blocking_discussions_resolved: true },
    ...noTimes,
    url: mergeRequestUrl(state, pull),
    source: headRepository === null ? null : shapeHookProject(state, headRepository),
    target: shapeHookProject(state, repository),
    last_commit: shapeHookCommit(state, repository, pull.headSha),
    labels: pull.labels.map((label) => shapeHookLabel(state, repository, label)),
  }
}

export function shapeHookLabel(_state: ForgeState, repository: Repository, label: Label): Shape {
  return {
    id: label.id,
    title: label.name,
    color: `#${label.color}`,
    project_id: repository.id,
    created_at: hookTime(repository.createdAt),
    updated_at: hookTime(repository.createdAt),
    template: false,
    description: label.description,
    type: 'ProjectLabel',
    group_id: null,
  }
}

export function shapeHookIssue(state: ForgeState, issue: Issue): Shape {
  return {
    id: issue.id,
    iid: issue.number,
    title: issue.title,
    description: issue.body ?? '',
    state: issue.state === 'open' ? 'opened' : 'closed',
    state_id: issue.state === 'open' ? 1 : 2,
    author_id: issue.author.id,
    project_id: issue.repository.id,
    ...{ assignee_id: null, assignee_ids: [], milestone_id: null, due_date: null },
    created_at: hookTime(issue.createdAt),
    updated_at: hookTime(issue.updatedAt),
    closed_at: hookTime(issue.closedAt),
    ...{ last_edited_at: null, last_edited_by_id: null, updated_by_id: null },
    ...{ confidential: false, discussion_locked: null, moved_to_id: null },
    ...{ duplicated_to_id: null, relative_position: null, severity: 'unknown', type: 'Issue' },
    ...noTimes,
    url: issueUrl(state, issue),
    labels: issue.labels.map((label) => shapeHookLabel(state, issue.repository, label)),
  }
}

/** The thread of a note, and the place that it was made at. */
function placeOf(state: ForgeState, comment: IssueComment | InlineComment) {
  const memory = memoryOf(state)
  if ('original' in comment) {
    const root = comment.inReplyTo ?? comment.id
    return { type: 'DiffNote', root, position: memory.positions.get(root) ?? null }
  }
  const thread = memory.threads.get(comment.id)
  const type = thread === undefined ? null : 'DiscussionNote'
  return { type, root: thread?.root ?? comment.id, position: null }
}

export function shapeHookNote(
  state: ForgeState,
  issue: Issue,
  comment: IssueComment | InlineComment,
): Shape {
  const { position, root, type } = placeOf(state, comment)
  const pull = issue.repository.pulls.get(issue.number)
  const address = pull === undefined ? issueUrl(state, issue) : mergeRequestUrl(state, pull)
  return {
    id: comment.id,
    note: comment.body,
    description: comment.body,
    noteable_type: pull === undefined ? 'Issue' : 'MergeRequest',
    noteable_id: issue.id,
    author_id: comment.author.id,
    created_at: hookTime(comment.createdAt),
    updated_at: hookTime(comment.updatedAt),
    updated_by_id: comment.editor?.id ?? null,
    project_id: issue.repository.id,
    ...{ attachment: null, commit_id: null, st_diff: null, system: false, internal: false },
    type,
    discussion_id: createHash('sha1').update(`note ${root}`).digest('hex'),
    line_code: position?.line_range?.end.line_code ?? null,
    position,
    original_position: position,
    ...{ change_position: null, resolved_at: null, resolved_by_id: null, resolved_by_push: null },
    url: `${address}#note_${comment.id}`,
  }
}
