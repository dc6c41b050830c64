// REST routes of the comments on issues and pull requests.
import { permits } from './access.ts'
import type { ForgeEvent } from './dialect.ts'
import type { Issue, IssueComment, User } from './entities.ts'
import {
  type ForgeResponse,
  invalid,
  json,
  jsonBody,
  noContent,
  notFound,
  paginate,
  refuse,
} from './http.ts'
import { findIssue } from './rest-pulls.ts'
import { type RepositoryCall, type Route, requireUser } from './routes.ts'
import { shapeIssueComment } from './shapes.ts'
import { announceChange, changeText, type ForgeState, listVisible, nextId, now } from './state.ts'

export const commentRoutes: readonly Route[] = [
  ['GET', '/issues/:number/comments', listComments],
  ['POST', '/issues/:number/comments', createComment],
  ['GET', '/issues/comments', listAllComments],
  ['GET', '/issues/comments/:id', showComment],
  ['PATCH', '/issues/comments/:id', updateComment],
  ['DELETE', '/issues/comments/:id', deleteComment],
]

function listComments(call: RepositoryCall): ForgeResponse {
  const issue = findIssue(call)
  const [page, headers] = paginate(
    call.request,
    call.address,
    listVisible(call.state, issue.comments),
  )
  const shapes = page.map((comment) => shapeIssueComment(call.state, issue, comment))
  return json(200, shapes, headers)
}

/** Lists the comments on all issues and pull requests that changed since a time. */
function listAllComments(call: RepositoryCall): ForgeResponse {
  const since = call.request.query.get('since') ?? ''
  const all = [...call.repository.issues.values()]
    .flatMap((issue) => issue.comments.map((comment) => ({ id: comment.id, issue, comment })))
    .filter(({ comment }) => comment.updatedAt >= since)
    .sort((one, other) => one.id - other.id)
  const [page, headers] = paginate(call.request, call.address, listVisible(call.state, all))
  const shapes = page.map(({ issue, comment }) => shapeIssueComment(call.state, issue, comment))
  return json(200, shapes, headers)
}

/** The `body` of a comment. Throws GitHub's 422 where it is missing, blank or too long. */
export function readCommentBody(call: RepositoryCall, resource: string): string {
  const { body } = jsonBody(call.request)
  if (typeof body !== 'string' || body.trim() === '')
    throw invalid(resource, 'body', 'missing_field')
  const { commentLength } = call.state.limits
  if (body.length > commentLength) {
    throw invalid(
      resource,
      'data',
      'unprocessable',
      `Body is too long (maximum is ${commentLength} characters)`,
    )
  }
  return body
}

function createComment(call: RepositoryCall): ForgeResponse {
  const issue = findIssue(call)
  const author = requireUser(call.request)
  const comment = addComment(call.state, issue, author, readCommentBody(call, 'IssueComment'))
  const shape = shapeIssueComment(call.state, issue, comment)
  return json(201, shape, { location: String(shape.url) })
}

/** Adds a comment to an issue or pull request and delivers it. */
export function addComment(
  state: ForgeState,
  issue: Issue,
  author: User,
  body: string,
): IssueComment {
  const comment: IssueComment = {
    id: nextId(state),
    author,
    body,
    edits: 0,
    editor: null,
    reactions: [],
    createdAt: now(state),
    updatedAt: now(state),
  }
  issue.comments.push(comment)
  issue.updatedAt = comment.createdAt
  deliverComment(state, issue, comment, 'created', author)
  announceChange(state)
  return comment
}

function deliverComment(
  state: ForgeState,
  issue: Issue,
  comment: IssueComment,
  action: Extract<ForgeEvent, { kind: 'comment' }>['action'],
  sender: User,
  formerBody?: string,
): void {
  const more = formerBody === undefined ? {} : { formerBody }
  const event = { kind: 'comment', action, issue, comment, ...more } as const
  state.dialect.deliver(state, issue.repository, event, sender)
}

export function findComment(call: RepositoryCall): [Issue, IssueComment] {
  for (const issue of call.repository.issues.values()) {
    const comment = issue.comments.find((candidate) => String(candidate.id) === call.parameters.id)
    if (comment !== undefined) return [issue, comment]
  }
  throw notFound()
}

/** Throws 403 unless the caller wrote the comment or can write to the repository. */
export function requireAuthor(call: RepositoryCall, author: User): User {
  const user = requireUser(call.request)
  if (user.id === author.id || permits(call.permission, 'write')) return user
  throw refuse(403, 'Must have admin rights to Repository.')
}

function showComment(call: RepositoryCall): ForgeResponse {
  return json(200, shapeIssueComment(call.state, ...findComment(call)))
}

function updateComment(call: RepositoryCall): ForgeResponse {
  const [issue, comment] = findComment(call)
  const user = requireAuthor(call, comment.author)
  editComment(call.state, issue, comment, readCommentBody(call, 'IssueComment'), user)
  return json(200, shapeIssueComment(call.state, issue, comment))
}

/** Changes the text of a comment, and delivers it with the former one. */
export function editComment(
  state: ForgeState,
  issue: Issue,
  comment: IssueComment,
  body: string,
  by: User,
): void {
  const formerBody = changeText(state, comment, body, by)
  deliverComment(state, issue, comment, 'edited', by, formerBody)
  announceChange(state)
}

function deleteComment(call: RepositoryCall): ForgeResponse {
  const [issue, comment] = findComment(call)
  removeComment(call.state, issue, comment, requireAuthor(call, comment.author))
  return noContent()
}

export function removeComment(
  state: ForgeState,
  issue: Issue,
  comment: IssueComment,
  by: User,
): void {
  issue.comments = issue.comments.filter((candidate) => candidate !== comment)
  deliverComment(state, issue, comment, 'deleted', by)
  announceChange(state)
}
