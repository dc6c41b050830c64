// Reads the fields of a check run in a request, within GitHub's limits.
import { invalid, refuse } from '../http.ts'
import type { ForgeState } from '../state.ts'
import { now } from '../state.ts'
import {
  type Annotation,
  type CheckAction,
  type CheckRun,
  type Conclusion,
  conclusions,
} from './check-state.ts'

type Fields = Readonly<Record<string, unknown>>

const maxTextLength = 65_535
const maxAnnotations = 50
const maxActions = 3
const actionLimits = { label: 20, identifier: 20, description: 40 } as const

/** What a request changes in a check run, and the annotations that it adds. */
export interface CheckChange {
  readonly fields: Partial<CheckRun>
  readonly annotations: readonly Annotation[]
}

/** Throws GitHub's 422 for fields that are wrong or too long. */
export function readCheck(state: ForgeState, body: Fields): CheckChange {
  const output = readOutput(body.output)
  return {
    fields: {
      ...strings(body, { name: 'name', external_id: 'externalId', details_url: 'detailsUrl' }),
      ...readState(state, body),
      ...(body.actions === undefined ? {} : { actions: readActions(body.actions) }),
      ...output.fields,
    },
    annotations: output.annotations,
  }
}

function strings(body: Fields, names: Readonly<Record<string, keyof CheckRun>>): Partial<CheckRun> {
  const found = Object.entries(names).filter(([name]) => typeof body[name] === 'string')
  return Object.fromEntries(found.map(([name, key]) => [key, body[name]]))
}

/** A conclusion completes the run; completing it needs a conclusion. */
function readState(state: ForgeState, body: Fields): Partial<CheckRun> {
  const { conclusion, status, completed_at: completedAt, started_at: startedAt } = body
  const known =
    status === undefined || ['queued', 'in_progress', 'completed'].includes(String(status))
  if (!known) throw invalid('CheckRun', 'status', 'invalid')
  if (conclusion !== undefined && !conclusions.includes(conclusion as Conclusion))
    throw invalid('CheckRun', 'conclusion', 'invalid')
  if ((status === 'completed' || completedAt !== undefined) && conclusion === undefined)
    throw invalid('CheckRun', 'conclusion', 'missing_field')
  const started = typeof startedAt === 'string' ? { startedAt } : {}
  if (conclusion !== undefined) {
    const end = typeof completedAt === 'string' ? completedAt : now(state)
    return {
      ...started,
      status: 'completed',
      conclusion: conclusion as Conclusion,
      completedAt: end,
    }
  }
  if (status === undefined) return started
  return { ...started, status: status as CheckRun['status'], conclusion: null, completedAt: null }
}

function readOutput(value: unknown): CheckChange {
  if (value === undefined) return { fields: {}, annotations: [] }
  const { annotations = [], summary, text, title } = value as Fields
  if (typeof title !== 'string') throw invalid('CheckRun', 'title', 'missing_field')
  if (typeof summary !== 'string') throw invalid('CheckRun', 'summary', 'missing_field')
  for (const [name, long] of Object.entries({ summary, text })) {
    if (typeof long === 'string' && long.length > maxTextLength) {
      throw refuse(
        422,
        `Invalid request.\n\nOnly ${maxTextLength} characters are allowed; ${long.length} were supplied for ${name}.`,
      )
    }
  }
  if (!Array.isArray(annotations)) throw invalid('CheckRun', 'annotations', 'invalid')
  if (annotations.length > maxAnnotations) {
    throw refuse(
      422,
      `Invalid request.\n\nNo more than ${maxAnnotations} items are allowed; ${annotations.length} were supplied.`,
    )
  }
  const known = typeof text === 'string' ? { text } : {}
  return { fields: { title, summary, ...known }, annotations: annotations.map(readAnnotation) }
}

function readAnnotation(value: unknown): Annotation {
  const given = value as Fields
  const { annotation_level: level, message, path } = given
  for (const [name, text] of Object.entries({ path, message }))
    if (typeof text !== 'string' || text === '')
      throw invalid('CheckAnnotation', name, 'missing_field')
  if (!['notice', 'warning', 'failure'].includes(String(level)))
    throw invalid('CheckAnnotation', 'annotation_level', 'invalid')
  return {
    path: path as string,
    ...readPlace(given),
    annotation_level: level as Annotation['annotation_level'],
    message: message as string,
    title: typeof given.title === 'string' ? given.title : null,
    raw_details: typeof given.raw_details === 'string' ? given.raw_details : null,
  }
}

type Place = 'start_line' | 'end_line' | 'start_column' | 'end_column'

/** Columns are only for places on one line. */
function readPlace(given: Fields): Pick<Annotation, Place> {
  const { end_column = null, end_line: end, start_column = null, start_line: start } = given
  if (!Number.isInteger(start) || !Number.isInteger(end) || Number(start) > Number(end))
    throw invalid('CheckAnnotation', 'start_line', 'invalid')
  if ((start_column ?? end_column) !== null && start !== end)
    throw invalid('CheckAnnotation', 'start_column', 'invalid')
  return { start_line: start, end_line: end, start_column, end_column } as Pick<Annotation, Place>
}

function readActions(value: unknown): readonly CheckAction[] {
  if (!Array.isArray(value)) throw invalid('CheckRun', 'actions', 'invalid')
  if (value.length > maxActions) {
    throw refuse(
      422,
      `Invalid request.\n\nNo more than ${maxActions} items are allowed; ${value.length} were supplied.`,
    )
  }
  for (const action of value as Fields[]) {
    for (const [name, limit] of Object.entries(actionLimits)) {
      const text = action[name]
      if (typeof text !== 'string') throw invalid('CheckRunAction', name, 'missing_field')
      if (text.length > limit) {
        throw refuse(
          422,
          `Invalid request.\n\nOnly ${limit} characters are allowed; ${text.length} were supplied for ${name}.`,
        )
      }
    }
  }
  return value as CheckAction[]
}
