// REST routes of reactions to comments.

import { type Reaction, reactionContents } from './entities.ts'
import {
  type ForgeResponse,
  invalid,
  json,
  jsonBody,
  noContent,
  notFound,
  paginate,
} from './http.ts'
import { findComment } from './rest-comments.ts'
import { findInlineComment } from './rest-reviews.ts'
import { type RepositoryCall, type Route, requireUser } from './routes.ts'
import { nodeId, shapeUser } from './shape-accounts.ts'
import { announceChange, type ForgeState, nextId, now } from './state.ts'

type FindReactions = (call: RepositoryCall) => Reaction[]

const onComment: FindReactions = (call) => findComment(call)[1].reactions
const onInlineComment: FindReactions = (call) => findInlineComment(call)[1].reactions

export const reactionRoutes: readonly Route[] = [
  ...routesAt('/issues/comments/:id/reactions', onComment),
  ...routesAt('/pulls/comments/:id/reactions', onInlineComment),
]

function routesAt(path: string, find: FindReactions): readonly Route[] {
  return [
    ['GET', path, (call) => list(call, find(call))],
    ['POST', path, (call) => react(call, find(call))],
    ['DELETE', `${path}/:reaction`, (call) => remove(call, find(call))],
  ]
}

function list(call: RepositoryCall, reactions: readonly Reaction[]): ForgeResponse {
  const content = call.request.query.get('content')
  const chosen = reactions.filter((one) => content === null || one.content === content)
  const [page, headers] = paginate(call.request, call.address, chosen)
  const shapes = page.map((one) => shapeReaction(call.state, one))
  return json(200, shapes, headers)
}

/** Answers 200 with the reaction that exists where it is the same. */
function react(call: RepositoryCall, reactions: Reaction[]): ForgeResponse {
  const author = requireUser(call.request)
  const { content } = jsonBody(call.request)
  if (typeof content !== 'string' || !reactionContents.includes(content))
    throw invalid('Reaction', 'content', 'invalid')
  const same = reactions.find((one) => one.author === author && one.content === content)
  if (same !== undefined) return json(200, shapeReaction(call.state, same))
  const reaction = { id: nextId(call.state), author, content, createdAt: now(call.state) }
  reactions.push(reaction)
  announceChange(call.state)
  return json(201, shapeReaction(call.state, reaction))
}

function remove(call: RepositoryCall, reactions: Reaction[]): ForgeResponse {
  const user = requireUser(call.request)
  const index = reactions.findIndex((one) => String(one.id) === call.parameters.reaction)
  if (index < 0 || reactions[index]!.author !== user) throw notFound()
  reactions.splice(index, 1)
  announceChange(call.state)
  return noContent()
}

function shapeReaction(state: ForgeState, reaction: Reaction): Record<string, unknown> {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: shapeUser(state, reaction.author),
    content: reaction.content,
    created_at: reaction.createdAt,
  }
}
