// REST routes of draft notes: kept for their author, and published one by one or all at once.
import type { PullRequest, User } from '../entities.ts'
import { type ForgeResponse, json, noContent } from '../http.ts'
import { makeReview, setResolved } from '../reviews.ts'
import { announceChange, nextId } from '../state.ts'
import { addInlineNote, addPlainNote, readPosition, replyInThread } from './add-notes.ts'
import {
  findMergeRequest,
  flag,
  notFound,
  oneOf,
  type ProjectCall,
  type Route,
  requireUser,
} from './calls.ts'
import { type DraftNote, memoryOf, type Position } from './memory.ts'
import { discussionsOf } from './notes.ts'
import { readBody } from './rest-notes.ts'
import type { Shape } from './shape-projects.ts'

const at = '/merge_requests/:iid/draft_notes'

export const draftRoutes: readonly Route[] = [
  ['GET', at, listDrafts],
  ['POST', at, createDraft],
  ['POST', `${at}/bulk_publish`, publishAll],
  ['GET', `${at}/:draft`, (call) => json(200, shapeDraft(findMergeRequest(call), findDraft(call)))],
  ['PUT', `${at}/:draft`, updateDraft],
  ['DELETE', `${at}/:draft`, deleteDraft],
  ['PUT', `${at}/:draft/publish`, publishOne],
]

const draftsOf = (call: ProjectCall, pull: PullRequest, user: User) =>
  (memoryOf(call.state).drafts.get(pull) ?? []).filter(({ author }) => author === user)

function keep(call: ProjectCall, pull: PullRequest, drafts: readonly DraftNote[]): void {
  memoryOf(call.state).drafts.set(pull, [...drafts])
  announceChange(call.state)
}

function shapeDraft(pull: PullRequest, draft: DraftNote): Shape {
  return {
    id: draft.id,
    author_id: draft.author.id,
    merge_request_id: pull.id,
    resolve_discussion: draft.resolves,
    discussion_id: draft.discussionId,
    note: draft.note,
    commit_id: null,
    line_code: (draft.position as Position | null)?.line_range?.end.line_code ?? null,
    position: draft.position,
  }
}

function listDrafts(call: ProjectCall): ForgeResponse {
  const user = requireUser(call)
  const pull = findMergeRequest(call)
  const drafts = draftsOf(call, pull, user)
  return json(
    200,
    drafts.map((draft) => shapeDraft(pull, draft)),
  )
}

function findDraft(call: ProjectCall): DraftNote {
  const wanted = Number(call.parameters.draft)
  const drafts = draftsOf(call, findMergeRequest(call), requireUser(call))
  const draft = drafts.find(({ id }) => id === wanted)
  if (draft === undefined) throw notFound()
  return draft
}

function createDraft(call: ProjectCall): ForgeResponse {
  const author = requireUser(call)
  const pull = findMergeRequest(call)
  const { in_reply_to_discussion_id: discussion } = call.input
  const draft: DraftNote = {
    id: nextId(call.state),
    author,
    note: readBody(call, 'note'),
    position: readPosition(call),
    discussionId: typeof discussion === 'string' ? discussion : null,
    resolves: flag(call, 'resolve_discussion') === true,
  }
  keep(call, pull, [...(memoryOf(call.state).drafts.get(pull) ?? []), draft])
  return json(201, shapeDraft(pull, draft))
}

function updateDraft(call: ProjectCall): ForgeResponse {
  const draft = findDraft(call)
  draft.note = readBody(call, 'note')
  return json(200, shapeDraft(findMergeRequest(call), draft))
}

function deleteDraft(call: ProjectCall): ForgeResponse {
  const draft = findDraft(call)
  remove(call, draft)
  return noContent()
}

function remove(call: ProjectCall, draft: DraftNote): void {
  const pull = findMergeRequest(call)
  const all = memoryOf(call.state).drafts.get(pull) ?? []
  keep(
    call,
    pull,
    all.filter((one) => one !== draft),
  )
}

async function publishOne(call: ProjectCall): Promise<ForgeResponse> {
  await publish(call, findDraft(call))
  return noContent()
}

/** A position that isn't taken any more ends this with 500 (lib/api/draft_notes.rb). */
async function publishAll(call: ProjectCall): Promise<ForgeResponse> {
  const user = requireUser(call)
  const pull = findMergeRequest(call)
  const states = ['requested_changes', 'reviewed', ''] as const
  const state = oneOf(call, 'reviewer_state', states, '')
  for (const draft of draftsOf(call, pull, user)) await publish(call, draft)
  if (typeof call.input.note === 'string' && call.input.note !== '')
    addPlainNote(call.state, pull, user, call.input.note)
  if (state !== '') markReviewed(call, pull, user, state)
  return noContent()
}

/** The state of a reviewer isn't a formal approval. */
function markReviewed(call: ProjectCall, pull: PullRequest, user: User, state: string): void {
  const kind = state === 'reviewed' ? 'COMMENTED' : 'CHANGES_REQUESTED'
  const input = { author: user, state: kind, body: '', commitId: pull.headSha } as const
  const review = makeReview(call.state, pull, input)
  pull.reviews.push(review)
  const event = { kind: 'review', action: 'submitted', pull, review, comments: [] } as const
  call.state.dialect.deliver(call.state, pull.repository, event, user)
  announceChange(call.state)
}

async function publish(call: ProjectCall, draft: DraftNote): Promise<void> {
  const { state } = call
  const pull = findMergeRequest(call)
  const { author, note: body } = draft
  const discussion = discussionsOf(state, pull).find(({ id }) => id === draft.discussionId)
  const first = discussion?.notes[0]
  if (first?.kind === 'inline') {
    replyInThread(state, pull, first.opening, author, body)
    if (draft.resolves) setResolved(state, pull, first.opening, author, true)
  } else if (draft.position !== null)
    await addInlineNote(state, pull, author, { body, position: draft.position as Position })
  else addPlainNote(state, pull, author, body, first?.kind === 'plain' ? first.thread : null)
  remove(call, draft)
}
