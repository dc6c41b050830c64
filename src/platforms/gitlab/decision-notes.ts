// Writes decisions as notes, because GitLab's approvals have no text and no commit, and not every
// GitLab lets people request changes.
//
// An approval is GitLab's own, and a note names its commit. A request for changes is a
// thread that is open until the request is withdrawn or overruled: a project can require that all
// threads are resolved before it merges.
import type { Decision } from '../../domain/review.ts'
import type { PostedReview } from '../publishing/review-calls.ts'
import type { Note } from './notes.ts'

const texts: Readonly<Record<Decision, string>> = {
  approve: 'Approved.',
  request_changes: 'Changes requested. This thread is resolved when they are no longer requested.',
}

/** Identifies a note about a decision, without its text. */
interface DecisionRef {
  readonly noteId: string
  readonly decision: Decision
  readonly headSha: string
}

const heading = /^<!-- umpire:decides (approve|request_changes) ([0-9a-f]{40,64}) -->\n[^\n]*\n\n/

export function renderDecision({ decision, headSha }: Omit<DecisionRef, 'noteId'>, body: string) {
  return `<!-- umpire:decides ${decision} ${headSha} -->\n${texts[decision]}\n\n${body}`
}

export function renderWithdrawal({ decision, headSha }: DecisionRef, message: string): string {
  return `<!-- umpire:decides ${decision} ${headSha} -->\nWithdrawn.\n\n${message}`
}

/** The id of a review, from which its note is found. */
const toReviewId = ({ noteId, decision, headSha }: DecisionRef) =>
  [noteId, decision, headSha].join('.')

export function parseReviewId(id: string): DecisionRef | null {
  const [noteId = '', decision, headSha = ''] = id.split('.')
  if (decision !== 'approve' && decision !== 'request_changes') return null
  return { noteId, decision, headSha }
}

interface Standing {
  /** The ids of accounts whose approval stands. */
  readonly approvers: readonly string[]
  /** The ids of accounts that request changes as reviewers. */
  readonly objectors: readonly string[]
}

/** What GitLab itself notes when somebody approves. */
const approvalNote = /^approved this merge request\b/i

/**
 * Reads the decisions of all accounts: those with a note, the oldest first, and then what people
 * decided on the page of the merge request.
 */
export function readDecisions(notes: readonly Note[], standing: Standing): PostedReview[] {
  const noted = notes.flatMap((note) => readDecision(note, notes, standing) ?? [])
  const explained = new Set(
    noted.filter(({ state }) => state === 'approve').map(({ authorId }) => authorId),
  )
  const byHand = (authorId: string, state: Decision): PostedReview => ({
    ...{ id: `${state} of ${authorId}`, authorId, state },
    ...{ body: '', headSha: null, dismissal: '' },
  })
  return [
    ...noted,
    ...standing.approvers.filter((id) => !explained.has(id)).map((id) => byHand(id, 'approve')),
    ...standing.objectors.map((id) => byHand(id, 'request_changes')),
  ]
}

function readDecision(
  note: Note,
  notes: readonly Note[],
  standing: Standing,
): PostedReview | undefined {
  const match = note.system ? null : heading.exec(note.body)
  if (match === null || !note.author) return undefined
  const [whole, decision, headSha] = match as unknown as [string, Decision, string]
  const authorId = String(note.author.id)
  const isWithdrawn = note.body.slice(0, whole.length).includes('\nWithdrawn.\n')
  const readState = () => {
    if (decision === 'request_changes') return note.resolved ? 'dismissed' : 'request_changes'
    if (isWithdrawn) return 'dismissed'
    if (standing.approvers.includes(authorId)) return 'approve'
    return wasApproved(notes, note, authorId) ? 'dismissed' : 'pending'
  }
  return {
    id: toReviewId({ noteId: String(note.id), decision, headSha }),
    authorId,
    state: readState(),
    body: note.body.slice(whole.length),
    headSha,
    dismissal: '',
  }
}

/** Whether the approval took place after the note, so that it was taken back since. */
function wasApproved(notes: readonly Note[], { id }: Note, authorId: string): boolean {
  return notes.some(
    (one) =>
      one.system &&
      one.id > id &&
      String(one.author?.id) === authorId &&
      approvalNote.test(one.body),
  )
}
