// REST routes of notes and discussions, on merge requests and issues.
import type { Issue, IssueComment, PullRequest, User } from '../entities.ts'
import { type ForgeResponse, json, noContent } from '../http.ts'
import { editComment, removeComment } from '../rest-comments.ts'
import { editInlineComment, removeInlineComment, setResolved } from '../reviews.ts'
import { announceChange, type ForgeState, now } from '../state.ts'
import { addInlineNote, addPlainNote, readPosition, replyInThread } from './add-notes.ts'
import {
  badRequest,
  flag,
  forbidden,
  notFound,
  oneOf,
  type ProjectCall,
  type Route,
  refuseInput,
  requireText,
  requireUser,
  rubyHash,
} from './calls.ts'

import { memoryOf } from './memory.ts'
import {
  type Discussion,
  discussionsOf,
  isResolvable,
  listDiscussions,
  type Note,
  notesOf,
  pullOf,
  resolverOf,
  shapeDiscussion,
  shapeNote,
} from './notes.ts'
import { answerPage } from './pages.ts'
import { extractCommands, runCommands } from './quick-actions.ts'
import { developer, maintainer } from './roles.ts'

/** GitLab's own limit (app/models/note.rb); tests may set a smaller one. */
const maximumNote = 1_000_000

/** The routes below a merge request, and below an issue. */
export const noteRoutes: readonly Route[] = ['merge_requests', 'issues'].flatMap((kind) => {
  const at = `/${kind}/:iid`
  const discussion = `${at}/discussions/:discussion`
  const routes: Route[] = [
    ['GET', `${at}/notes`, listNotes],
    ['POST', `${at}/notes`, createNote],
    ['GET', `${at}/notes/:note`, async (call) => showNote(call, ...findNote(call))],
    ['PUT', `${at}/notes/:note`, updateNote],
    ['DELETE', `${at}/notes/:note`, deleteNote],
    ['GET', `${at}/discussions`, answerDiscussions],
    ['POST', `${at}/discussions`, createDiscussion],
    ['GET', discussion, showDiscussion],
    ['PUT', discussion, resolveDiscussion],
    ['POST', `${discussion}/notes`, reply],
    ['GET', `${discussion}/notes/:note`, async (call) => showNote(call, ...findNote(call))],
    ['PUT', `${discussion}/notes/:note`, updateNote],
    ['DELETE', `${discussion}/notes/:note`, deleteNote],
  ]
  return routes
})

/** Finds the issue or merge request of a path; notes can be read with an account only. */
function findNoteable(call: ProjectCall): Issue {
  requireUser(call)
  const issue = call.repository.issues.get(Number(call.parameters.iid))
  const wantsPull = /\/merge_requests\//.test(call.request.path)
  if (issue === undefined || (pullOf(issue) !== undefined) !== wantsPull) throw notFound()
  return issue
}

export function findNote(call: ProjectCall): [Issue, Note] {
  const issue = findNoteable(call)
  const wanted = Number(call.parameters.note)
  const note = notesOf(discussionsOf(call.state, issue)).find(
    ({ comment }) => comment.id === wanted,
  )
  if (note === undefined) throw notFound()
  return [issue, note]
}

/** Returns the text of a note. Throws GitLab's 400 where it is blank or too long. */
export function readBody(call: ProjectCall, name = 'body'): string {
  const body = requireText(call, name)
  const { commentLength } = call.state.limits
  const maximum = commentLength === 65_536 ? maximumNote : commentLength
  const problem =
    body.trim() === ''
      ? "can't be blank"
      : body.length > maximum
        ? `is too long (maximum is ${maximum} characters)`
        : null
  if (problem !== null) throw badRequest(`Note ${rubyHash({ note: [problem] })}`)
  return body
}

/** By the time of creation from the newest on, unless asked. */
async function listNotes(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  const order = oneOf(call, 'order_by', ['created_at', 'updated_at'], 'created_at')
  const direction = oneOf(call, 'sort', ['asc', 'desc'], 'desc')
  const filters = ['all_notes', 'only_comments', 'only_activity'] as const
  const filter = oneOf(call, 'activity_filter', filters, 'all_notes')
  const notes = notesOf(listDiscussions(call.state, issue)).filter(
    ({ kind }) => filter === 'all_notes' || (kind === 'system') === (filter === 'only_activity'),
  )
  if (order === 'updated_at')
    notes.sort((one, other) => (updatedAt(one) < updatedAt(other) ? -1 : 1))
  if (direction === 'desc') notes.reverse()
  return await answerPage(call, notes, (note) => shapeNote(call.state, issue, note))
}

const updatedAt = (note: Note) =>
  note.kind === 'system' ? note.comment.createdAt : note.comment.updatedAt

async function showNote(call: ProjectCall, issue: Issue, note: Note, status = 200) {
  return json(status, await shapeNote(call.state, issue, note))
}

/** Returns the note of a comment that was just written. */
function noteWith(state: ForgeState, comment: IssueComment): Note {
  const thread = memoryOf(state).threads.get(comment.id) ?? null
  return { kind: 'plain', comment, thread }
}

/**
 * Adds a note, after its commands were carried out. A note of commands alone isn't kept: that is
 * answered 202 (lib/api/helpers/notes_helpers.rb).
 */
async function createNote(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  const author = requireUser(call)
  const written = await runBody(call, issue, author)
  if (written.body === '') return answerCommands(written.ran)
  const comment = addPlainNote(call.state, issue, author, written.body)
  return await showNote(call, issue, noteWith(call.state, comment), 201)
}

const answerCommands = (ran: readonly string[]) =>
  json(202, {
    commands_changes: Object.fromEntries(ran.map((name) => [name, true])),
    summary: ran.map((name) => `Ran /${name}.`),
  })

/** Carries out the commands of a text. Returns what is left of it, and their names. */
async function runBody(call: ProjectCall, issue: Issue, author: User) {
  const text = readBody(call)
  const pull = pullOf(issue)
  const extracted = extractCommands(text)
  if (pull === undefined || extracted.commands.length === 0) return { body: text, ran: [] }
  const ran = await runCommands(call.state, pull, author, extracted)
  return { body: extracted.body, ran }
}

/** The author may, and maintainers (app/policies/note_policy.rb); nobody changes system notes. */
function requireOwnNote(call: ProjectCall, note: Note): User {
  const user = requireUser(call)
  const isOwn = note.comment.author === user || call.level >= maintainer
  if (!isOwn || note.kind === 'system') throw forbidden()
  return user
}

/** Changes the text, or in discussions whether a note is resolved: one of both. */
async function updateNote(call: ProjectCall): Promise<ForgeResponse> {
  const [issue, note] = findNote(call)
  const resolved = call.parameters.discussion === undefined ? null : flag(call, 'resolved')
  if (resolved !== null) {
    if (call.input.body !== undefined) throw refuseInput('body, resolved are mutually exclusive')
    if (!isResolvable(note, issue)) throw badRequest('Note is not resolvable')
    resolve(call, issue, note, resolved)
  } else {
    const ran = await changeText(call, issue, note)
    if (ran !== null) return answerCommands(ran)
  }
  return await showNote(call, issue, findNote(call)[1])
}

/**
 * Changes the text after its commands were carried out. Returns their names where nothing else was
 * in it: then the note is removed (app/services/notes/update_service.rb).
 */
async function changeText(call: ProjectCall, issue: Issue, note: Note): Promise<string[] | null> {
  const user = requireOwnNote(call, note)
  const { body, ran } = await runBody(call, issue, user)
  if (body === '') remove(call, issue, note, user)
  else if (note.kind === 'inline')
    editInlineComment(call.state, pullOf(issue)!, note.comment, body, user)
  else editComment(call.state, issue, note.comment as IssueComment, body, user)
  return body === '' ? ran : null
}

function deleteNote(call: ProjectCall): ForgeResponse {
  const [issue, note] = findNote(call)
  remove(call, issue, note, requireOwnNote(call, note))
  return noContent()
}

function remove({ state }: ProjectCall, issue: Issue, note: Note, by: User): void {
  if (note.kind === 'inline') removeInlineComment(state, pullOf(issue)!, note.comment, by)
  else removeComment(state, issue, note.comment as IssueComment, by)
}

async function answerDiscussions(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  const discussions = listDiscussions(call.state, issue)
  return await answerPage(call, discussions, (one) => shapeDiscussion(call.state, issue, one))
}

function findDiscussion(call: ProjectCall, issue: Issue): Discussion {
  const wanted = call.parameters.discussion
  const discussion = discussionsOf(call.state, issue).find(({ id }) => id === wanted)
  if (discussion === undefined) throw notFound('Discussion')
  return discussion
}

async function showDiscussion(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  return json(200, await shapeDiscussion(call.state, issue, findDiscussion(call, issue)))
}

/** Starts a thread: at a place of the diff with a position, without a place else. */
async function createDiscussion(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  const author = requireUser(call)
  const pull = pullOf(issue)
  const position = pull === undefined ? null : readPosition(call)
  const { body, ran } = await runBody(call, issue, author)
  if (body === '') return answerCommands(ran)
  const made =
    pull === undefined || position === null
      ? addPlainNote(call.state, issue, author, body, 'new thread')
      : await addInlineNote(call.state, pull, author, { body, position })
  const opened = discussionsOf(call.state, issue).find(({ notes }) =>
    notes.some(({ comment }) => comment.id === made.id),
  )!
  return json(201, await shapeDiscussion(call.state, issue, opened))
}

/** Answers in a thread. An individual note becomes the first one of a thread by that. */
async function reply(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  const author = requireUser(call)
  const discussion = findDiscussion(call, issue)
  const first = discussion.notes[0]!
  if (first.kind === 'system') throw badRequest('Discussion can not be replied to.')
  const { body, ran } = await runBody(call, issue, author)
  if (body === '') return answerCommands(ran)
  if (first.kind === 'inline') {
    const comment = replyInThread(call.state, pullOf(issue)!, first.opening, author, body)
    return await showNote(call, issue, { kind: 'inline', comment, opening: first.opening }, 201)
  }
  const { threads } = memoryOf(call.state)
  const thread = first.thread ?? { root: first.comment.id, resolvedBy: null }
  threads.set(first.comment.id, thread)
  const comment = addPlainNote(call.state, issue, author, body, thread)
  return await showNote(call, issue, noteWith(call.state, comment), 201)
}

/** Individual notes can't be resolved: that is answered 403 (lib/api/helpers/notes_helpers.rb). */
async function resolveDiscussion(call: ProjectCall): Promise<ForgeResponse> {
  const issue = findNoteable(call)
  const resolved = flag(call, 'resolved')
  if (resolved === null) throw refuseInput('resolved is missing')
  const discussion = findDiscussion(call, issue)
  if (!isResolvable(discussion.notes[0]!, issue)) throw forbidden()
  resolve(call, issue, discussion.notes[0]!, resolved)
  return json(200, await shapeDiscussion(call.state, issue, findDiscussion(call, issue)))
}

/** Developers may, and the author of the merge request (app/policies/note_policy.rb). */
function resolve(call: ProjectCall, issue: Issue, note: Note, resolved: boolean): void {
  const user = requireUser(call)
  if (call.level < developer && issue.author !== user) throw forbidden()
  if ((resolverOf(note) !== null) === resolved) return
  if (note.kind === 'inline')
    setResolved(call.state, issue as PullRequest, note.opening, user, resolved)
  else if (note.kind === 'plain' && note.thread !== null) {
    note.thread.resolvedBy = resolved ? user : null
    memoryOf(call.state).resolvedAt.set(note.thread.root, now(call.state))
    announceChange(call.state)
  }
}
