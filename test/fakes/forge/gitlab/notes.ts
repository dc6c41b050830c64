// Notes of merge requests and issues as one list, their threads, and their formats.
import { createHash } from 'node:crypto'
import type { InlineComment, Issue, IssueComment, PullRequest, User } from '../entities.ts'
import { commentsOfThread, threadsOf } from '../reviews.ts'
import { type ForgeState, listVisible } from '../state.ts'
import { memoryOf, type PlainThread, type SystemNote } from './memory.ts'
import { currentPosition } from './positions.ts'
import { apiTime, type Shape, shapeUser } from './shape-projects.ts'
import { readSuggestions } from './suggestions.ts'

/** One note of any kind, in its thread. */
export type Note =
  | { readonly kind: 'plain'; readonly comment: IssueComment; readonly thread: PlainThread | null }
  | { readonly kind: 'inline'; readonly comment: InlineComment; readonly opening: InlineComment }
  | { readonly kind: 'system'; readonly comment: SystemNote }

/** The notes of one thread; an individual note is one that nobody has answered. */
export interface Discussion {
  readonly id: string
  readonly isIndividual: boolean
  readonly notes: readonly Note[]
}

export const pullOf = (issue: Issue): PullRequest | undefined =>
  issue.repository.pulls.get(issue.number)

const discussionId = (first: number) => createHash('sha1').update(`note ${first}`).digest('hex')

/** Chooses the entries that are shown: lists have delayed ones later, as everywhere on the forge. */
type Choose = <Entry extends { readonly id: number }>(entries: readonly Entry[]) => Entry[]

/** Returns the discussions that lists show now. */
export function listDiscussions(state: ForgeState, issue: Issue): Discussion[] {
  return readDiscussions(state, issue, (entries) => listVisible(state, entries))
}

/** Returns all discussions, also those that lists don't show yet. */
export const discussionsOf = (state: ForgeState, issue: Issue): Discussion[] =>
  readDiscussions(state, issue, (entries) => [...entries])

function readDiscussions(state: ForgeState, issue: Issue, choose: Choose): Discussion[] {
  const memory = memoryOf(state)
  const plain: Discussion[] = []
  for (const comment of choose(issue.comments)) {
    const thread = memory.threads.get(comment.id) ?? null
    const note = { kind: 'plain', comment, thread } as const
    const known = thread === null ? undefined : plain.find(({ id }) => id === idOf(thread))
    if (known === undefined) {
      const id = thread === null ? discussionId(comment.id) : idOf(thread)
      plain.push({ id, isIndividual: thread === null, notes: [note] })
    } else (known.notes as Note[]).push(note)
  }
  const system = choose(memory.systemNotes.get(issue) ?? []).map((comment) => ({
    id: discussionId(comment.id),
    isIndividual: true,
    notes: [{ kind: 'system', comment } as const],
  }))
  return [...plain, ...inlineDiscussions(pullOf(issue), choose), ...system].sort(
    (one, other) => one.notes[0]!.comment.id - other.notes[0]!.comment.id,
  )
}

const idOf = ({ root }: PlainThread) => discussionId(root)

function inlineDiscussions(pull: PullRequest | undefined, choose: Choose): Discussion[] {
  if (pull === undefined) return []
  return threadsOf(pull)
    .map((opening) => ({
      id: discussionId(opening.id),
      isIndividual: false,
      notes: choose(commentsOfThread(pull, opening)).map((comment) => ({
        kind: 'inline' as const,
        comment,
        opening,
      })),
    }))
    .filter(({ notes }) => notes.length > 0)
}

/** Returns the notes of discussions, oldest first. */
export function notesOf(discussions: readonly Discussion[]): Note[] {
  return discussions
    .flatMap(({ notes }) => notes)
    .sort((one, other) => one.comment.id - other.comment.id)
}

/** Only notes of threads on merge requests can be resolved (app/models/concerns/resolvable_note.rb). */
export function isResolvable(note: Note, issue: Issue): boolean {
  if (note.kind === 'system' || pullOf(issue) === undefined) return false
  return note.kind === 'inline' || note.thread !== null
}

export function resolverOf(note: Note): User | null {
  if (note.kind === 'system') return null
  return (note.kind === 'inline' ? note.opening : note.thread)?.resolvedBy ?? null
}

export function typeOf(note: Note): 'DiffNote' | 'DiscussionNote' | null {
  if (note.kind === 'inline') return 'DiffNote'
  return note.kind === 'plain' && note.thread !== null ? 'DiscussionNote' : null
}

export async function shapeNote(state: ForgeState, issue: Issue, note: Note): Promise<Shape> {
  const { comment, kind } = note
  const pull = pullOf(issue)
  return {
    id: comment.id,
    type: typeOf(note),
    body: comment.body,
    author: shapeUser(state, comment.author),
    created_at: apiTime(comment.createdAt),
    updated_at: apiTime(kind === 'system' ? comment.createdAt : comment.updatedAt),
    system: kind === 'system',
    noteable_id: issue.id,
    noteable_type: pull === undefined ? 'Issue' : 'MergeRequest',
    project_id: issue.repository.id,
    ...(kind === 'inline' ? await shapePlace(state, pull!, comment) : {}),
    resolvable: isResolvable(note, issue),
    ...(isResolvable(note, issue) ? shapeResolution(state, note) : {}),
    ...{ confidential: false, internal: false, imported: false, imported_from: 'none' },
    noteable_iid: issue.number,
    commands_changes: {},
  }
}

/** What only notes on the diff have. */
async function shapePlace(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
): Promise<Shape> {
  const position = await currentPosition(state, pull, comment)
  return { commit_id: null, position, suggestions: await readSuggestions(pull, comment) }
}

function shapeResolution(state: ForgeState, note: Note): Shape {
  const resolver = resolverOf(note)
  const first = note.kind === 'inline' ? note.opening.id : note.comment.id
  return {
    resolved: resolver !== null,
    resolved_by: resolver === null ? null : shapeUser(state, resolver),
    resolved_at: resolver === null ? null : apiTime(memoryOf(state).resolvedAt.get(first) ?? null),
  }
}

export async function shapeDiscussion(
  state: ForgeState,
  issue: Issue,
  { id, isIndividual, notes }: Discussion,
): Promise<Shape> {
  const shapes = await Promise.all(notes.map((note) => shapeNote(state, issue, note)))
  return { id, individual_note: isIndividual, notes: shapes }
}
