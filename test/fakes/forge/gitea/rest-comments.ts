// Routes of comments and reactions. Comments of reviews are edited and reacted to here as well.
import { permits } from '../access.ts'
import {
  type InlineComment,
  type Issue,
  type IssueComment,
  type PullRequest,
  reactionContents,
  type User,
} from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { addComment, editComment, removeComment } from '../rest-comments.ts'
import { editInlineComment, removeInlineComment } from '../reviews.ts'
import { announceChange, listVisible, nextId, now } from '../state.ts'
import {
  answer,
  answerPage,
  empty,
  failed,
  notFound,
  paginate,
  type RepositoryCall,
  type Route,
  readBody,
  readRequired,
  refuse,
  requireUser,
} from './host.ts'
import { shapeUser } from './shape-accounts.ts'
import { shapeComment } from './shape-pulls.ts'

export const commentRoutes: readonly Route<RepositoryCall>[] = [
  ['GET', '/issues/comments', listAll],
  ['GET', '/issues/comments/:id', showComment],
  ['PATCH', '/issues/comments/:id', updateComment],
  ['DELETE', '/issues/comments/:id', deleteComment],
  ['GET', '/issues/comments/:id/reactions', listReactions],
  ['POST', '/issues/comments/:id/reactions', react],
  ['DELETE', '/issues/comments/:id/reactions', removeReaction],
  ['GET', '/issues/:number/comments', listComments],
  ['POST', '/issues/:number/comments', createComment],
]

/** Reads `since`; nothing before it is listed. */
function readSince(call: RepositoryCall): number {
  const since = call.request.query.get('since')
  if (since === null) return 0
  const time = Date.parse(since)
  if (!Number.isNaN(time)) return time
  const layout = '2006-01-02T15:04:05Z07:00'
  const message = `parsing time "${since}" as "${layout}": cannot parse "${since}" as "2006"`
  throw refuse(call, 422, message)
}

function findIssue(call: RepositoryCall): Issue {
  const issue = call.repository.issues.get(Number(call.parameters.number))
  if (issue === undefined) throw notFound(call)
  return issue
}

/** Lists all comments of an issue: `page` and `limit` have no effect, as observed at both. */
function listComments(call: RepositoryCall): ForgeResponse {
  const issue = findIssue(call)
  const since = readSince(call)
  const found = listVisible(call.state, issue.comments).filter(
    ({ updatedAt }) => Date.parse(updatedAt) >= since,
  )
  const headers = {
    'access-control-expose-headers': 'X-Total-Count',
    'x-total-count': String(found.length),
  }
  const shapes = found.map((comment) => shapeComment(call, issue, comment))
  return answer(200, shapes, headers)
}

/** Lists the comments of all conversations of the repository, oldest first, without reviews'. */
async function listAll(call: RepositoryCall): Promise<ForgeResponse> {
  const since = readSince(call)
  const found = [...call.repository.issues.values()]
    .flatMap((issue) => issue.comments.map((comment) => ({ issue, comment })))
    .filter(({ comment }) => Date.parse(comment.updatedAt) >= since)
    .filter(({ comment }) => listVisible(call.state, [comment]).length > 0)
    .sort((one, other) => one.comment.id - other.comment.id)
  const shape = ({ comment, issue }: (typeof found)[number]) => shapeComment(call, issue, comment)
  if (call.profile.pagesLists) return answerPage(call, found, shape)
  return answer(200, found.map(shape), paginate(call, found).headers)
}

/** A longer text than GitHub takes is fine; one of spaces alone too. */
function createComment(call: RepositoryCall): ForgeResponse {
  const author = requireUser(call)
  const { number } = call.parameters
  const issue = call.repository.issues.get(Number(number))
  if (issue === undefined) {
    const error = `issue does not exist [id: 0, repo_id: ${call.repository.id}, index: ${number}]`
    throw call.profile.name === 'gitea' ? failed(call) : notFound(call, 'IsErrIssueNotExist', error)
  }
  const comment = addComment(call.state, issue, author, readRequired(call, 'body'))
  return answer(201, shapeComment(call, issue, comment))
}

type Found =
  | { readonly issue: Issue; readonly comment: IssueComment; readonly pull: null }
  | { readonly issue: Issue; readonly comment: InlineComment; readonly pull: PullRequest }

/** Finds a comment of either kind. */
function findComment(call: RepositoryCall): Found {
  const { id } = call.parameters
  for (const issue of call.repository.issues.values()) {
    const comment = issue.comments.find((one) => String(one.id) === id)
    if (comment !== undefined) return { issue, comment, pull: null }
    const pull = call.repository.pulls.get(issue.number)
    const inline = pull?.inlineComments.find((one) => String(one.id) === id)
    if (pull !== undefined && inline !== undefined) return { issue, comment: inline, pull }
  }
  const error = `comment does not exist [id: ${Number(id) || 0}, issue_id: 0]`
  throw notFound(call, undefined, error)
}

/** A comment of a review is known, but not shown: the answer is 204. */
function showComment(call: RepositoryCall): ForgeResponse {
  const { comment, issue, pull } = findComment(call)
  return pull === null ? answer(200, shapeComment(call, issue, comment)) : empty(204)
}

/** The refusal has no body. Null where the caller may change the comment. */
function refuseOthers(call: RepositoryCall, user: User, { comment }: Found): ForgeResponse | null {
  return comment.author === user || permits(call.permission, 'write') ? null : empty(403)
}

function updateComment(call: RepositoryCall): ForgeResponse {
  const user = requireUser(call)
  const found = findComment(call)
  const body = readRequired(call, 'body')
  const refused = refuseOthers(call, user, found)
  if (refused !== null) return refused
  const { comment, issue, pull } = found
  if (pull === null) editComment(call.state, issue, comment, body, user)
  else editInlineComment(call.state, pull, comment, body, user)
  return answer(200, shapeComment(call, issue, comment))
}

function deleteComment(call: RepositoryCall): ForgeResponse {
  const user = requireUser(call)
  const found = findComment(call)
  const refused = refuseOthers(call, user, found)
  if (refused !== null) return refused
  const { comment, issue, pull } = found
  if (pull === null) removeComment(call.state, issue, comment, user)
  else if (call.profile.deletesInlineAsComment) removeInlineComment(call.state, pull, comment, user)
  return empty(204)
}

const shapeReaction = (call: RepositoryCall, user: User, content: string, createdAt: string) => ({
  ...{ user: shapeUser(call, user), content, created_at: createdAt },
})

function listReactions(call: RepositoryCall): ForgeResponse {
  const { reactions } = findComment(call).comment
  const shapes = reactions.map((one) => shapeReaction(call, one.author, one.content, one.createdAt))
  return answer(200, shapes)
}

/** Answers 200 with the reaction that exists where it is the same. */
function react(call: RepositoryCall): ForgeResponse {
  const author = requireUser(call)
  const { reactions } = findComment(call).comment
  const { content } = readBody(call)
  if (typeof content !== 'string' || !reactionContents.includes(content))
    throw refuse(call, 403, `'${content ?? ''}' is not an allowed reaction`)
  const same = reactions.find((one) => one.author === author && one.content === content)
  if (same !== undefined) return answer(200, shapeReaction(call, author, content, same.createdAt))
  const createdAt = now(call.state)
  reactions.push({ id: nextId(call.state), author, content, createdAt })
  announceChange(call.state)
  return answer(201, shapeReaction(call, author, content, createdAt))
}

/** The content is in the body of the request. */
function removeReaction(call: RepositoryCall): ForgeResponse {
  const author = requireUser(call)
  const { reactions } = findComment(call).comment
  const { content } = readBody(call)
  const index = reactions.findIndex((one) => one.author === author && one.content === content)
  if (index >= 0) reactions.splice(index, 1)
  announceChange(call.state)
  return empty(call.profile.removedReactionStatus)
}
