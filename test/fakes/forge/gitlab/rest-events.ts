// REST route of a project's events. The fake has those of written notes only.
import type { Issue } from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { oneOf, type ProjectCall, type Route, refuseInput, requireUser } from './calls.ts'
import { listDiscussions, type Note, notesOf, shapeNote, typeOf } from './notes.ts'
import { answerPage } from './pages.ts'
import { apiTime, type Shape, shapeUser } from './shape-projects.ts'

export const eventRoutes: readonly Route[] = [['GET', '/events', listEvents]]

interface Written {
  readonly issue: Issue
  readonly note: Note
}

/** Newest first. Both days are excluded whole (app/finders/events_finder.rb). */
async function listEvents(call: ProjectCall): Promise<ForgeResponse> {
  requireUser(call)
  const direction = oneOf(call, 'sort', ['asc', 'desc'], 'desc')
  const { action = 'commented', target_type: target = 'note' } = call.input
  const [after, before] = [readDay(call, 'after'), readDay(call, 'before')]
  const written = [...call.repository.issues.values()]
    .flatMap((issue) =>
      notesOf(listDiscussions(call.state, issue)).map((note) => ({ issue, note })),
    )
    .filter(({ note }) => note.kind !== 'system' && action === 'commented' && target === 'note')
    .filter(({ note }) => {
      const day = note.comment.createdAt.slice(0, 10)
      return day > (after ?? '') && (before === null || day < before)
    })
    .sort((one, other) => one.note.comment.id - other.note.comment.id)
  if (direction === 'desc') written.reverse()
  return await answerPage(call, written, (one) => shapeEvent(call, one))
}

function readDay(call: ProjectCall, name: string): string | null {
  const value = call.input[name]
  if (value === undefined) return null
  const time = Date.parse(String(value))
  if (Number.isNaN(time)) throw refuseInput(`${name} is invalid`)
  return new Date(time).toISOString().slice(0, 10)
}

async function shapeEvent(call: ProjectCall, { issue, note }: Written): Promise<Shape> {
  const { comment } = note
  const shape = await shapeNote(call.state, issue, note)
  return {
    id: comment.id,
    project_id: call.repository.id,
    action_name: 'commented on',
    target_id: comment.id,
    target_iid: comment.id,
    target_type: typeOf(note) ?? 'Note',
    author_id: comment.author.id,
    target_title: issue.title,
    created_at: apiTime(comment.createdAt),
    note: shape,
    author: shapeUser(call.state, comment.author),
    ...{ imported: false, imported_from: 'none' },
    author_username: comment.author.login,
  }
}
