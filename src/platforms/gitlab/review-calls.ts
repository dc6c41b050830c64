// Reads and writes the comments and decisions of a merge request, for what publishes them.
//
// GitLab has no review that carries several comments. Its drafts are published together, and with
// them what the person whose token it is has drafted; and a draft on a wrong line is lost. So each
// comment is a thread of its own.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Decision } from '../../domain/review.ts'
import type { Connection } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { sendForJson } from '../http/request.ts'
import type { InlineComment, Viewer } from '../platform.ts'
import { createOnce } from '../publishing/create-once.ts'
import type {
  PostedComment,
  PostedReview,
  ReviewCalls,
  ReviewTarget,
  ReviewToPost,
} from '../publishing/review-calls.ts'
import { parseReviewId, readDecisions, renderDecision, renderWithdrawal } from './decision-notes.ts'
import { readMergeRequest } from './merge-requests.ts'
import {
  findThread,
  isInline,
  type Note,
  note,
  readNotes,
  readThreads,
  toPostedComment,
} from './notes.ts'
import { findPosition, readVersion } from './positions.ts'
import { buildProjectCall, sendWrite, sendWriteForJson } from './project-calls.ts'

interface Task extends ReviewTarget {
  readonly connection: Connection
  readonly viewer: Viewer
  /** Markers of the comments that were posted, while a part of them is repeated. */
  readonly postedMarkers: Set<string>
}

/** See `ReviewCalls`. */
export function createReviewCalls(
  connection: Connection,
  target: ReviewTarget,
  viewer: Viewer,
): ReviewCalls {
  const task: Task = { ...target, connection, viewer, postedMarkers: new Set() }
  const edit = (id: string, body: string) => writeNote(task, 'PUT', `/notes/${id}`, body)
  const remove = (id: string) => write(task, 'DELETE', `/notes/${id}`)
  return {
    readConversation: () => readConversation(task),
    readInline: () => readInline(task),
    postComment: (body) => writeNote(task, 'POST', '/notes', body),
    editComment: edit,
    deleteComment: remove,
    editInline: async (id, body) => void (await edit(id, body)),
    deleteInline: remove,
    async replyInline({ id, threadId }, body) {
      await task.beforeWrite()
      const thread = await findThread(connection, task, threadId ?? id)
      await writeNote(task, 'POST', `/discussions/${encodeURIComponent(thread)}/notes`, body)
    },
    listReviews: () => listReviews(task),
    postReview: (review) => postReview(task, review),
    editReview: null,
    dismissReview: (id, message) => dismissReview(task, id, message),
    isOwnPullRefusal: (error) => error instanceof DecisionRefusal,
    isCommentRefusal: (error) => error.code === 'platform_refused' && error.status === 400,
  }
}

/** The account may not decide, or the commit isn't the head any more. */
class DecisionRefusal extends PlatformError {}

const pathOf = ({ number }: Task, path: string) => `/merge_requests/${number}${path}`

async function write(
  task: Task,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<void> {
  const { connection, access, beforeWrite, signal } = task
  const rest = { method, body, beforeWrite, signal }
  await sendWrite(connection, access, pathOf(task, path), rest)
}

async function writeNote(
  task: Task,
  method: 'POST' | 'PUT',
  path: string,
  body: string,
): Promise<PostedComment> {
  const { connection, access, beforeWrite, signal } = task
  const rest = { method, body: { body }, beforeWrite, signal, schema: note }
  const written = await sendWriteForJson(connection, access, pathOf(task, path), rest)
  return toPostedComment(connection, task, written)
}

async function* readConversation(task: Task): AsyncGenerator<PostedComment> {
  for await (const one of readNotes(task.connection, task)) {
    if (!one.system && !isInline(one)) yield toPostedComment(task.connection, task, one)
  }
}

async function* readInline(task: Task): AsyncGenerator<PostedComment> {
  for await (const { notes } of readThreads(task.connection, task)) {
    for (const one of notes)
      if (!one.system) yield toPostedComment(task.connection, task, one, notes[0])
  }
}

const approvals = z.object({
  approved_by: z.array(z.object({ user: z.object({ id: z.int() }).nullish() })).catch([]),
})
const reviewer = z.object({ user: z.object({ id: z.int() }), state: z.string().catch('') })

async function readApprovers({ connection, access, signal, ...task }: Task): Promise<string[]> {
  const path = `/merge_requests/${task.number}/approvals`
  const call = buildProjectCall(access, path, signal)
  const { approved_by: approved } = await sendForJson(connection, call, approvals)
  return approved.flatMap(({ user }) => (user ? [String(user.id)] : []))
}

async function readObjectors({ connection, access, signal, ...task }: Task): Promise<string[]> {
  const path = `/merge_requests/${task.number}/reviewers`
  const call = buildProjectCall(access, path, signal)
  const reviewers = await Array.fromAsync(readPages(connection, call, reviewer))
  return reviewers
    .filter(({ state }) => state === 'requested_changes')
    .map(({ user }) => String(user.id))
}

async function listReviews(task: Task): Promise<PostedReview[]> {
  const [notes, approvers, objectors] = await Promise.all([
    Array.fromAsync(readNotes(task.connection, task)),
    readApprovers(task),
    readObjectors(task),
  ])
  return readDecisions(notes, { approvers, objectors })
}

/** The text is posted with a decision alone: the comments have the summary beside them. */
async function postReview(task: Task, { headSha, event, body, comments }: ReviewToPost) {
  const { connection, access, number, viewer, signal } = task
  const isDecision = event !== 'comment'
  const pull =
    isDecision || headSha === null
      ? await readMergeRequest(connection, access, number, signal)
      : null
  if (isDecision && String(pull?.author?.id) === viewer.id)
    throw new DecisionRefusal('platform_refused', 'It is the merge request of the account itself.')
  const sha = headSha ?? pull?.sha ?? ''
  await postComments(task, sha, comments)
  if (event === 'request_changes') await requestChanges(task, sha, body)
  if (event === 'approve') await approve(task, sha, body)
}

/** @throws PlatformError with the status 400 when a line isn't in the diff */
async function postComments(
  task: Task,
  headSha: string,
  comments: readonly InlineComment[],
): Promise<void> {
  const missing = comments.filter(({ marker }) => !task.postedMarkers.has(marker))
  if (missing.length === 0) return
  const version = await readVersion(task.connection, task, headSha)
  const placed = missing.map((comment) => {
    const position = findPosition(version, comment.place)
    if (position !== undefined) return { comment, position }
    const message = 'The line is not in the diff.'
    throw new PlatformError('platform_refused', message, { status: 400 })
  })
  for (const { comment, position } of placed) {
    const { body, marker } = comment
    await createOnce(
      async () => {
        await write(task, 'POST', '/discussions', { body, position })
        return true
      },
      () => findInline(task, marker),
      { signal: task.signal },
    )
    task.postedMarkers.add(marker)
  }
}

async function findInline(task: Task, marker: string): Promise<true | undefined> {
  for await (const { authorId, body } of readInline(task)) {
    if (authorId === task.viewer.id && body.trimEnd().endsWith(marker)) return true
  }
  return undefined
}

async function requestChanges(task: Task, headSha: string, text: string): Promise<void> {
  const decision = 'request_changes'
  const body = renderDecision({ decision, headSha }, text)
  const post = async () => {
    await write(task, 'POST', '/discussions', { body })
    return true
  }
  const find = async () => (await findDecision(task, { decision, headSha })) !== undefined
  await createOnce(post, async () => (await find()) || undefined, task)
}

/**
 * The note comes first, because an approval without one counts as made by hand. An approval that
 * stands since an earlier head can't be made again.
 */
async function approve(task: Task, headSha: string, text: string): Promise<void> {
  const decision = 'approve'
  const find = () => findDecision(task, { decision, headSha })
  const post = async () => {
    const body = renderDecision({ decision, headSha }, text)
    return (await writeNote(task, 'POST', '/notes', body)).id
  }
  const noteId = (await find()) ?? (await createOnce(post, find, task))
  if ((await readApprovers(task)).includes(task.viewer.id)) return
  try {
    await createOnce(
      async () => {
        await write(task, 'POST', '/approve', { sha: headSha })
        return true
      },
      async () => (await readApprovers(task)).includes(task.viewer.id) || undefined,
      task,
    )
  } catch (error) {
    if (!isDecisionRefusal(error)) throw error
    await write(task, 'DELETE', `/notes/${noteId}`)
    throw new DecisionRefusal('platform_refused', error.message, { cause: error })
  }
}

/** GitLab answers 401 to those who may not approve, and 409 when the head is another one. */
function isDecisionRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && [401, 403, 409].includes(error.status)
}

/** The note of a decision of this account that is open, or wasn't carried out yet. */
async function findDecision(
  task: Task,
  { decision, headSha }: { decision: Decision; headSha: string },
): Promise<string | undefined> {
  const found = (await listReviews(task)).findLast(({ id, authorId, state }) => {
    const ref = parseReviewId(id)
    const isOpen = state === 'pending' || state === decision
    return (
      ref?.decision === decision && ref.headSha === headSha && authorId === task.viewer.id && isOpen
    )
  })
  return found && parseReviewId(found.id)?.noteId
}

/** An account can't take back the approval of another one. */
async function dismissReview(task: Task, id: string, message: string): Promise<void> {
  const ref = parseReviewId(id)
  const notes: Note[] = await Array.fromAsync(readNotes(task.connection, task))
  const decided = notes.find((one) => String(one.id) === ref?.noteId)
  if (ref === null || decided === undefined)
    throw new PlatformError('platform_not_found', 'The decision is gone.')
  const isOwn = String(decided.author?.id) === task.viewer.id
  if (ref.decision === 'approve' && !isOwn)
    throw new PlatformError('platform_forbidden', 'The approval is one of another account.')
  // The text is changed first: a thread that is resolved without it counts as overruled.
  if (isOwn) await writeNote(task, 'PUT', `/notes/${ref.noteId}`, renderWithdrawal(ref, message))
  if (ref.decision === 'approve') {
    if ((await readApprovers(task)).includes(task.viewer.id))
      await write(task, 'POST', '/unapprove')
    return
  }
  const thread = await findThread(task.connection, task, ref.noteId)
  const path = `/discussions/${encodeURIComponent(thread)}`
  await write(task, 'PUT', path, { resolved: true })
}
