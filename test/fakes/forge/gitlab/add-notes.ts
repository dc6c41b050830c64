// Adds notes: plain ones, threads, and those on lines of the diff with their positions.
import type { InlineComment, Issue, IssueComment, PullRequest, User } from '../entities.ts'
import { moveInlineComments } from '../inline-comments.ts'
import { announceChange, type ForgeState, nextId, now } from '../state.ts'
import { badRequest, type ProjectCall, refuseInput, rubyHash } from './calls.ts'
import { deliverNote } from './deliver-events.ts'
import { type LineEnd, memoryOf, type PlainThread, type Position } from './memory.ts'
import { place } from './positions.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads the position of a call; null without one. Throws Grape's 400 for what isn't complete. */
export function readPosition(call: ProjectCall): Position | null {
  const given = call.input.position
  if (given === undefined || given === null) return null
  if (typeof given !== 'object') throw refuseInput('position is invalid')
  const fields = given as Fields
  const required = ['base_sha', 'start_sha', 'head_sha', 'position_type']
  const missing = required.filter((name) => fields[name] === undefined || fields[name] === null)
  if (missing.length > 0)
    throw refuseInput(missing.map((name) => `position[${name}] is missing`).join(', '))
  if (fields.position_type !== 'text')
    throw refuseInput('position[position_type] does not have a valid value')
  const text = (name: string) => String(fields[name] ?? '')
  return {
    base_sha: text('base_sha'),
    start_sha: text('start_sha'),
    head_sha: text('head_sha'),
    old_path: text('old_path'),
    new_path: text('new_path'),
    position_type: 'text',
    old_line: readNumber(fields.old_line, 'position[old_line]'),
    new_line: readNumber(fields.new_line, 'position[new_line]'),
    line_range: readRange(fields.line_range),
  }
}

function readNumber(value: unknown, name: string): number | null {
  if (value === undefined || value === null || value === '') return null
  if (!/^-?\d+$/.test(String(value))) throw refuseInput(`${name} is invalid`)
  return Number(value)
}

function readRange(value: unknown): Position['line_range'] {
  if (typeof value !== 'object' || value === null) return null
  const { end, start } = value as { readonly start?: Fields; readonly end?: Fields }
  return { start: readEnd(start ?? {}), end: readEnd(end ?? {}) }
}

function readEnd(fields: Fields): LineEnd {
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
  return {
    line_code: text('line_code'),
    type: text('type'),
    old_line: readNumber(fields.old_line, 'position[line_range]'),
    new_line: readNumber(fields.new_line, 'position[line_range]'),
  }
}

/** The fields of a comment that was just written. */
function makeComment(state: ForgeState, author: User, body: string): IssueComment {
  const time = now(state)
  const written = { author, body, edits: 0, editor: null, reactions: [] }
  return { id: nextId(state), ...written, createdAt: time, updatedAt: time }
}

/** Adds a note without a place: by itself, as the first of a thread, or to one. */
export function addPlainNote(
  state: ForgeState,
  issue: Issue,
  author: User,
  body: string,
  where: PlainThread | 'new thread' | null = null,
): IssueComment {
  const comment = makeComment(state, author, body)
  const thread = where === 'new thread' ? { root: comment.id, resolvedBy: null } : where
  if (thread !== null) memoryOf(state).threads.set(comment.id, thread)
  issue.comments.push(comment)
  issue.updatedAt = comment.createdAt
  deliverNote(state, issue, comment, 'create', author)
  announceChange(state)
  return comment
}

/**
 * Adds a note to a line of the diff. A position without a line in the diff of its commits is
 * refused with 400, unknown commits as well (app/models/diff_note.rb).
 */
export async function addInlineNote(
  state: ForgeState,
  pull: PullRequest,
  author: User,
  { body, position }: { readonly body: string; readonly position: Position },
): Promise<InlineComment> {
  const placed = await place(pull.repository, position)
  const code = ["can't be blank", 'must be a valid line code']
  const isComplete = position.new_path !== '' || position.old_path !== ''
  const ranged = [position.line_range?.start, position.line_range?.end]
  const longCode = ranged.some((end) => (end?.line_code ?? '').length > 100)
  const errors = {
    ...(placed === null ? { line_code: code } : {}),
    ...(isComplete ? {} : { position: ['is incomplete'] }),
    ...(longCode ? { position: ['must be a valid json schema'] } : {}),
  }
  if (placed === null || Object.keys(errors).length > 0)
    throw badRequest(`Note ${rubyHash(errors)}`)
  const { anchor, mergeBase } = placed
  const comment: InlineComment = {
    ...makeComment(state, author, body),
    reviewId: 0,
    original: anchor,
    originalCommitId: position.head_sha,
    originalMergeBase: mergeBase,
    current: { line: anchor.line, startLine: anchor.startLine, position: anchor.position },
    commitId: position.head_sha,
    inReplyTo: null,
    resolvedBy: null,
  }
  memoryOf(state).positions.set(comment.id, fillPaths(position, anchor.path))
  add(state, pull, comment)
  if (position.head_sha !== pull.headSha) await moveInlineComments(pull)
  return comment
}

/** One path is enough for GitLab, which shows both. */
function fillPaths(position: Position, path: string): Position {
  return {
    ...position,
    old_path: position.old_path || position.new_path || path,
    new_path: position.new_path || position.old_path || path,
  }
}

/** Answers in the thread of a note on the diff. */
export function replyInThread(
  state: ForgeState,
  pull: PullRequest,
  opening: InlineComment,
  author: User,
  body: string,
): InlineComment {
  const comment: InlineComment = {
    ...opening,
    ...makeComment(state, author, body),
    inReplyTo: opening.id,
    resolvedBy: null,
  }
  add(state, pull, comment)
  return comment
}

function add(state: ForgeState, pull: PullRequest, comment: InlineComment): void {
  pull.inlineComments.push(comment)
  pull.updatedAt = comment.createdAt
  deliverNote(state, pull, comment, 'create', comment.author)
  announceChange(state)
}
