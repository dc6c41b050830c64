// The route of what happened on an issue or pull request: comments, reviews and dismissals.
import type { Issue, User } from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { answer, failed, notFound, type RepositoryCall, type Route } from './host.ts'
import { type Shape, shapeUser } from './shape-accounts.ts'
import { issueWebUrl } from './shape-pulls.ts'

export const timelineRoutes: readonly Route<RepositoryCall>[] = [
  ['GET', '/issues/:number/timeline', listTimeline],
]

interface Entry {
  readonly id: number
  readonly type: 'comment' | 'review' | 'dismiss_review'
  readonly author: User
  readonly body: string
  readonly createdAt: string
  /** 0 for others than reviews. */
  readonly reviewId: number
}

/** The real ones have pushes, labels and the like here too. */
function readEntries({ repository }: RepositoryCall, issue: Issue): Entry[] {
  const pull = repository.pulls.get(issue.number)
  return [
    ...issue.comments.map((one) => ({ ...one, type: 'comment' as const, reviewId: 0 })),
    ...(pull?.reviews ?? []).map((review) => ({
      ...{ id: review.summaryId, type: 'review' as const, reviewId: review.id },
      ...{ author: review.author, body: review.body, createdAt: review.submittedAt },
    })),
    ...(pull?.dismissals ?? []).map(({ by, createdAt, id, message, review }) => ({
      ...{ id, type: 'dismiss_review' as const, author: by, body: message, createdAt },
      reviewId: review.id,
    })),
  ].sort((one, other) => one.id - other.id)
}

function shapeEntry(call: RepositoryCall, issue: Issue, entry: Entry): Shape {
  const web = issueWebUrl(call, issue)
  const isPull = call.repository.pulls.has(issue.number)
  return {
    id: entry.id,
    type: entry.type,
    html_url: `${web}#issuecomment-${entry.id}`,
    pull_request_url: isPull ? web : '',
    issue_url: isPull ? '' : web,
    user: shapeUser(call, entry.author),
    body: entry.body,
    created_at: entry.createdAt,
    updated_at: entry.createdAt,
    ...{ old_project_id: 0, project_id: 0, old_milestone: null, milestone: null },
    ...{ tracked_time: null, old_title: '', new_title: '', old_ref: '', new_ref: '' },
    ...{ ref_issue: null, ref_comment: null, ref_action: 'none', ref_commit_sha: '' },
    review_id: entry.reviewId,
    ...{ label: null, assignee: null, assignee_team: null, removed_assignee: false },
    ...{ resolve_doer: null, dependent_issue: null },
  }
}

/**
 * Lists a page. There is no `Link`, and `X-Total-Count` counts the entries of the page alone, as
 * observed at both: a client that follows links reads the first page and takes it for all. Forgejo takes
 * `limit` into account only where there is a `page`.
 */
function listTimeline(call: RepositoryCall): ForgeResponse {
  const { number } = call.parameters
  const issue = call.repository.issues.get(Number(number))
  if (issue === undefined) {
    const error = `issue does not exist [id: 0, repo_id: ${call.repository.id}, index: ${number}]`
    if (call.profile.name === 'gitea') throw failed(call)
    throw notFound(call, 'IsErrIssueNotExist', error)
  }
  const { query } = call.request
  const all = readEntries(call, issue)
  const isPaged = query.has('page') || call.profile.pagesLists
  const wanted = Number.parseInt(query.get('limit') ?? '', 10)
  const size = isPaged ? (wanted > 0 ? Math.min(wanted, 50) : 30) : all.length
  const page = Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1)
  const shown = all.slice((page - 1) * size, page * size)
  return answer(
    200,
    shown.map((entry) => shapeEntry(call, issue, entry)),
    { 'access-control-expose-headers': 'X-Total-Count', 'x-total-count': String(shown.length) },
  )
}
