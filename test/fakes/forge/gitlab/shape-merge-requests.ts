// GitLab's formats of merge requests, issues, labels and diffs.
import { type ChangedFile, type Comparison, compareCommits } from '../comparison.ts'
import type { Issue, Label, PullRequest, Repository } from '../entities.ts'
import { tryGit } from '../git.ts'
import { resolveCommit } from '../objects.ts'
import { type ForgeState, fullName } from '../state.ts'
import { memoryOf } from './memory.ts'
import { developer, memberLevel } from './roles.ts'
import { apiTime, apiUrl, projectUrl, type Shape, shapeUser } from './shape-projects.ts'

export const mergeRequestUrl = (state: ForgeState, pull: PullRequest) =>
  `${projectUrl(state, pull.repository)}/-/merge_requests/${pull.number}`

export const issueUrl = (state: ForgeState, issue: Issue) =>
  `${projectUrl(state, issue.repository)}/-/issues/${issue.number}`

export function stateOf(pull: PullRequest): 'opened' | 'closed' | 'merged' {
  if (pull.mergedAt !== null) return 'merged'
  return pull.state === 'open' ? 'opened' : 'closed'
}

const emptyTimes = {
  time_estimate: 0,
  total_time_spent: 0,
  human_time_estimate: null,
  human_total_time_spent: null,
}

const references = (repository: Repository, mark: string) => ({
  short: mark,
  relative: mark,
  full: `${fullName(repository)}${mark}`,
})

/** Returns why a merge request can't be merged, in GitLab's order of checks, or `mergeable`. */
async function mergeStatus(pull: PullRequest, state: ForgeState): Promise<string> {
  if (pull.state !== 'open') return 'not_open'
  if (pull.draft) return 'draft_status'
  return (await hasConflicts(state, pull)) ? 'conflict' : 'mergeable'
}

/** Whether the head merges into the target branch as it is now. */
export async function hasConflicts(state: ForgeState, pull: PullRequest): Promise<boolean> {
  const { directory } = pull.repository
  const target = await resolveCommit(pull.repository, `refs/heads/${pull.baseRef}`)
  if (pull.state !== 'open' || target === null) return false
  const { conflicts } = memoryOf(state)
  const key = `${target}...${pull.headSha}`
  const known = conflicts.get(key)
  if (known !== undefined) return known
  const merged = await tryGit(directory, ['merge-tree', '--write-tree', target, pull.headSha])
  conflicts.set(key, merged.code !== 0)
  return merged.code !== 0
}

/** The three commits of the current diff; GitLab calls the target branch's commit its start. */
const diffRefs = (pull: PullRequest) => ({
  base_sha: pull.mergeBase,
  head_sha: pull.headSha,
  start_sha: pull.baseSha,
})

/** A merge request in lists. */
export async function shapeMergeRequest(
  state: ForgeState,
  pull: PullRequest,
  detailedLabels = false,
): Promise<Shape> {
  const { repository } = pull
  const person = (user: PullRequest['mergedBy'] | undefined) =>
    user === null || user === undefined ? null : shapeUser(state, user)
  const status = await mergeStatus(pull, state)
  const mark = `!${pull.number}`
  const reviewers = pull.requestedReviewers.map((user) => shapeUser(state, user))
  return {
    id: pull.id,
    iid: pull.number,
    project_id: repository.id,
    title: pull.title,
    description: pull.body,
    state: stateOf(pull),
    created_at: apiTime(pull.createdAt),
    updated_at: apiTime(pull.updatedAt),
    merged_by: person(pull.mergedBy),
    merge_user: person(pull.mergedBy),
    merged_at: apiTime(pull.mergedAt),
    closed_by: person(pull.mergedAt === null ? memoryOf(state).closedBy.get(pull) : null),
    closed_at: pull.mergedAt === null ? apiTime(pull.closedAt) : null,
    target_branch: pull.baseRef,
    source_branch: pull.headRef,
    user_notes_count: pull.comments.length + pull.inlineComments.length,
    ...{ upvotes: 0, downvotes: 0 },
    author: shapeUser(state, pull.author),
    ...{ assignees: [], assignee: null },
    reviewers,
    source_project_id: pull.headRepository?.id ?? null,
    target_project_id: repository.id,
    labels: detailedLabels
      ? pull.labels.map(shapeLabel)
      : pull.labels.map(({ name }) => name).sort(),
    draft: pull.draft,
    work_in_progress: pull.draft,
    ...{ milestone: null, merge_when_pipeline_succeeds: false, imported: false },
    imported_from: 'none',
    merge_status: status === 'conflict' ? 'cannot_be_merged' : 'can_be_merged',
    detailed_merge_status: status,
    merge_after: null,
    sha: pull.headSha,
    merge_commit_sha: pull.mergeCommitSha,
    ...{ squash_commit_sha: null, discussion_locked: null, should_remove_source_branch: null },
    force_remove_source_branch: false,
    prepared_at: apiTime(pull.createdAt),
    reference: mark,
    references: references(repository, mark),
    web_url: mergeRequestUrl(state, pull),
    time_stats: emptyTimes,
    ...{ squash: false, squash_on_merge: false },
    task_completion_status: { count: 0, completed_count: 0 },
    has_conflicts: status === 'conflict',
    blocking_discussions_resolved: true,
  }
}

/** A merge request at its own address. */
export async function shapeMergeRequestFully(
  state: ForgeState,
  pull: PullRequest,
  caller: PullRequest['mergedBy'],
): Promise<Shape> {
  const head = memoryOf(state).pipelines.findLast(({ sha }) => sha === pull.headSha)
  const pipeline = head === undefined ? null : shapePipeline(state, pull.repository, head)
  return {
    ...(await shapeMergeRequest(state, pull)),
    subscribed: false,
    changes_count: String(pull.changedFiles),
    ...{ latest_build_started_at: null, latest_build_finished_at: null },
    first_deployed_to_production_at: null,
    pipeline,
    head_pipeline: pipeline,
    diff_refs: diffRefs(pull),
    ...{ merge_error: null, first_contribution: false },
    user: { can_merge: caller !== null && memberLevel(caller, pull.repository) >= developer },
  }
}

export function shapePipeline(
  state: ForgeState,
  repository: Repository,
  pipeline: { id: number; iid: number; sha: string; ref: string; createdAt: string },
): Shape {
  return {
    id: pipeline.id,
    iid: pipeline.iid,
    project_id: repository.id,
    sha: pipeline.sha,
    ref: pipeline.ref,
    status: pipelineStatus(state, pipeline.id),
    source: 'external',
    created_at: apiTime(pipeline.createdAt),
    updated_at: apiTime(pipeline.createdAt),
    web_url: `${projectUrl(state, repository)}/-/pipelines/${pipeline.id}`,
  }
}

/** The state of a pipeline's newest jobs, the worst one first. */
function pipelineStatus(state: ForgeState, id: number): string {
  const jobs = [...memoryOf(state).jobs.values()].filter(({ pipeline }) => pipeline.id === id)
  const order = ['running', 'pending', 'failed', 'canceled', 'success', 'skipped'] as const
  return order.find((status) => jobs.some((job) => job.state === status)) ?? 'created'
}

export function shapeLabel(label: Label): Shape {
  return {
    id: label.id,
    name: label.name,
    color: `#${label.color}`,
    text_color: '#1F1E24',
    description: label.description,
    ...{ description_html: label.description ?? '', archived: false },
  }
}

/** An issue; it shares its numbers with merge requests here, which GitLab's doesn't. */
export function shapeIssue(state: ForgeState, issue: Issue): Shape {
  const mark = `#${issue.number}`
  const self = `${apiUrl(state)}/projects/${issue.repository.id}/issues/${issue.number}`
  return {
    id: issue.id,
    iid: issue.number,
    project_id: issue.repository.id,
    title: issue.title,
    description: issue.body,
    state: issue.state === 'open' ? 'opened' : 'closed',
    created_at: apiTime(issue.createdAt),
    updated_at: apiTime(issue.updatedAt),
    closed_at: apiTime(issue.closedAt),
    closed_by: null,
    labels: issue.labels.map(({ name }) => name).sort(),
    ...{ milestone: null, assignees: [], assignee: null, type: 'ISSUE', issue_type: 'issue' },
    author: shapeUser(state, issue.author),
    user_notes_count: issue.comments.length,
    ...{ merge_requests_count: 0, upvotes: 0, downvotes: 0, due_date: null },
    ...{ confidential: false, discussion_locked: null, severity: 'UNKNOWN', has_tasks: false },
    web_url: issueUrl(state, issue),
    time_stats: emptyTimes,
    task_completion_status: { count: 0, completed_count: 0 },
    references: references(issue.repository, mark),
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project: `${apiUrl(state)}/projects/${issue.repository.id}`,
    },
    ...{ moved_to_id: null, imported: false, imported_from: 'none', service_desk_reply_to: null },
  }
}

/** Returns the section of a comparison's whole diff for one file, from its first `---` on. */
export function shapeDiff(file: ChangedFile, modes: readonly [string, string]): Shape {
  const patch = file.patch ?? ''
  return {
    diff: patch === '' ? '' : `${patch}\n`,
    ...{ collapsed: false, too_large: false },
    new_path: file.path,
    old_path: file.oldPath,
    a_mode: modes[0],
    b_mode: modes[1],
    new_file: file.status === 'added',
    renamed_file: file.status === 'renamed',
    deleted_file: file.status === 'removed',
    generated_file: null,
  }
}

/** Reads the modes of changed files, by their new path. */
export async function readModes(
  repository: Repository,
  comparison: Comparison,
): Promise<Map<string, [string, string]>> {
  const { stdout } = await tryGit(repository.directory, [
    ...['diff', '--raw', '-z', '-M', '--no-abbrev'],
    ...[comparison.mergeBase, comparison.head, '--'],
  ])
  const modes = new Map<string, [string, string]>()
  const fields = stdout.toString('utf8').split('\0')
  for (let index = 0; fields[index]?.startsWith(':'); ) {
    const [old, current, , , status] = fields[index]!.slice(1).split(' ')
    const moved = /^[RC]/.test(status!)
    modes.set(fields[index + (moved ? 2 : 1)]!, [trim(old!), trim(current!)])
    index += moved ? 3 : 2
  }
  return modes
}

/** The mode of a file that isn't there is one zero (lib/gitlab/git/diff.rb). */
const trim = (mode: string) => (mode === '000000' ? '0' : mode)

/** The diffs of a merge request's current version. */
export async function readDiffs(pull: PullRequest): Promise<Shape[]> {
  const comparison = await compareCommits(pull.repository, pull.baseSha, pull.headSha)
  const modes = await readModes(pull.repository, comparison)
  return comparison.files.map((file) =>
    shapeDiff(file, modes.get(file.path) ?? ['100644', '100644']),
  )
}
