// REST routes of emoji on notes, kept as the shared state's reactions.
import type { Reaction } from '../entities.ts'
import { type ForgeResponse, json, noContent } from '../http.ts'
import { announceChange, listVisible, nextId, now } from '../state.ts'
import {
  notFound,
  type ProjectCall,
  type Route,
  refuse,
  requireText,
  requireUser,
  unauthorized,
} from './calls.ts'
import { answerPage } from './pages.ts'
import { findNote } from './rest-notes.ts'
import { apiTime, type Shape, shapeUser } from './shape-projects.ts'

export const emojiRoutes: readonly Route[] = ['merge_requests', 'issues'].flatMap((kind) => {
  const at = `/${kind}/:iid/notes/:note/award_emoji`
  const routes: Route[] = [
    ['GET', at, listEmoji],
    ['POST', at, addEmoji],
    ['GET', `${at}/:emoji`, (call) => json(200, shapeEmoji(call, findEmoji(call)))],
    ['DELETE', `${at}/:emoji`, removeEmoji],
  ]
  return routes
})

/** GitLab's names of the emoji that the shared state has under GitHub's. */
const namesByContent: Readonly<Record<string, string>> = {
  '+1': 'thumbsup',
  '-1': 'thumbsdown',
  laugh: 'laughing',
  hooray: 'tada',
}

const contentsByName = new Map(
  Object.entries(namesByContent).map(([content, name]) => [name, content]),
)

/** Those that the fake knows, of GitLab's some thousands. */
const others = ['confused', 'heart', 'rocket', 'eyes', 'white_check_mark', 'x', 'warning']

function reactionsOf(call: ProjectCall): Reaction[] {
  const [, note] = findNote(call)
  if (note.kind === 'system') throw notFound('Award Emoji')
  return note.comment.reactions
}

function shapeEmoji(call: ProjectCall, reaction: Reaction): Shape {
  return {
    id: reaction.id,
    name: namesByContent[reaction.content] ?? reaction.content,
    user: shapeUser(call.state, reaction.author),
    created_at: apiTime(reaction.createdAt),
    updated_at: apiTime(reaction.createdAt),
    awardable_id: Number(call.parameters.note),
    awardable_type: 'Note',
    url: null,
  }
}

async function listEmoji(call: ProjectCall): Promise<ForgeResponse> {
  const reactions = listVisible(call.state, reactionsOf(call))
  return await answerPage(call, reactions, (one) => shapeEmoji(call, one))
}

function findEmoji(call: ProjectCall): Reaction {
  const wanted = Number(call.parameters.emoji)
  const reaction = reactionsOf(call).find(({ id }) => id === wanted)
  if (reaction === undefined) throw notFound()
  return reaction
}

/** An emoji changes the time of its note, as an edit does (app/models/award_emoji.rb). */
function bumpNote(call: ProjectCall): void {
  const [, { comment }] = findNote(call)
  if ('updatedAt' in comment) comment.updatedAt = now(call.state)
  announceChange(call.state)
}

/** A second one of the same name, and an unknown name, are refused with 404. */
function addEmoji(call: ProjectCall): ForgeResponse {
  const author = requireUser(call)
  const reactions = reactionsOf(call)
  const name = requireText(call, 'name')
  const content = contentsByName.get(name) ?? name
  const isKnown = contentsByName.has(name) || others.includes(name)
  if (!isKnown)
    throw refuse(404, '404 Award Emoji {:name=>["is not a valid emoji name"]} Not Found')
  if (reactions.some((one) => one.author === author && one.content === content))
    throw refuse(404, '404 Award Emoji Name has already been taken Not Found')
  const reaction = { id: nextId(call.state), author, content, createdAt: now(call.state) }
  reactions.push(reaction)
  bumpNote(call)
  return json(201, shapeEmoji(call, reaction))
}

function removeEmoji(call: ProjectCall): ForgeResponse {
  const user = requireUser(call)
  const reactions = reactionsOf(call)
  const reaction = findEmoji(call)
  if (reaction.author !== user) throw unauthorized()
  reactions.splice(reactions.indexOf(reaction), 1)
  bumpNote(call)
  return noContent()
}
