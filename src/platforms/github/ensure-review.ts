// Publishes a review on a pull request: one summary edited in place, and inline comments.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import { delay } from '../../lib/abortable.ts'
import type {
  Access,
  InlineComment,
  PublishedReview,
  ReviewToPublish,
  Viewer,
} from '../platform.ts'
import { createOnce, isOutcomeUnknown, lookupDelaysMs } from './create-once.ts'
import {
  chooseEvent,
  decisionMarker,
  listOwnReviews,
  postedStates,
  type ReviewEvent,
} from './decisions.ts'
import { type PostedComments, readPostedComments } from './posted-comments.ts'
import { longItemPageSize, readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { type ApiCall, type Connection, send, sendForJson } from './request.ts'

interface Publication {
  readonly connection: Connection
  readonly access: Access
  readonly review: ReviewToPublish
  readonly viewer: Viewer
  readonly signal: AbortSignal | undefined
}

/** A publication in progress, with what it has written, because lists may not show it yet. */
interface PublicationInProgress extends Publication {
  readonly written: {
    summaryId: string | null
    readonly comments: Set<string>
    isUnclear: boolean
    /** Whether the decision holds. */
    isDecided: boolean
  }
  /** Comments that earlier reviews posted, possibly with other accounts. */
  readonly posted: PostedComments
  /** Ids of those among them that GitHub didn't let this account edit. */
  readonly refusedIds: Set<number>
}

/** Pause before a failed publication is repeated. */
const retryDelayMs = 500

const comment = z.object({
  id: z.int(),
  body: z.string().catch(''),
  html_url: z.string().catch(''),
  user: z.object({ id: z.int() }).nullish(),
  in_reply_to_id: z.int().nullish(),
})
type Comment = z.output<typeof comment>

/**
 * Implements `Platform.ensureReview`. When a failure leaves open whether a write was applied, the
 * missing items are written once more; after a second failure the caller has to retry.
 */
export async function ensureReview(publication: Publication): Promise<PublishedReview> {
  const written = {
    summaryId: publication.review.summary.id,
    comments: new Set<string>(),
    isUnclear: false,
    isDecided: false,
  }
  const posted = readPostedComments(publication.review.postedUrls)
  const inProgress = { ...publication, written, posted, refusedIds: new Set<number>() }
  try {
    return await publishMissing(inProgress)
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error
    written.isUnclear = true
    await delay(retryDelayMs, publication.signal)
    return publishMissing(inProgress)
  }
}

async function publishMissing(publication: PublicationInProgress): Promise<PublishedReview> {
  const { review, written } = publication
  const summary = await ensureSummary(publication)
  let posted = await removeDuplicateComments(publication)
  for (const marker of await updateComments(publication, posted)) posted.delete(marker)
  const missing = review.comments.filter(
    ({ marker }) => !posted.has(marker) && !written.comments.has(marker),
  )
  const event = await decideEvent(publication)
  const refused = await postReview(publication, missing, event, summary.url)
  // A list that shows the last written comments shows every duplicate too.
  const pauses = written.isUnclear ? [0, ...lookupDelaysMs] : [0]
  for (const milliseconds of pauses) {
    if ([...written.comments].every((marker) => posted.has(marker))) break
    await delay(milliseconds, publication.signal)
    posted = await removeDuplicateComments(publication)
  }
  return {
    summary,
    comments: [...posted].map(([marker, entry]) => ({ marker, ...toCommentRef(entry) })),
    refusedMarkers: refused,
    decision: written.isDecided ? review.decision : null,
  }
}

async function ensureSummary(
  publication: PublicationInProgress,
): Promise<PublishedReview['summary']> {
  const { connection, review, written } = publication
  const { summary, number } = review
  const [existing, ...duplicates] = await listSummaries(publication)
  for (const one of duplicates) await deleteComment(publication, 'issues', one)
  if (existing !== undefined && isSameText(existing.body, summary.body))
    return toCommentRef(existing)
  const write = async (method: 'POST' | 'PATCH', path: string) =>
    sendForJson(
      connection,
      buildWrite(publication, path, { method, body: { body: summary.body } }),
      comment,
    )
  const id = existing?.id ?? written.summaryId
  try {
    if (id !== null) return toCommentRef(await write('PATCH', `/issues/comments/${id}`))
  } catch (error) {
    if (existing === undefined || !isTakeoverRefusal(publication, existing, error)) throw error
    publication.refusedIds.add(existing.id)
    return ensureSummary(publication)
  }
  const post = () => write('POST', `/issues/${number}/comments`)
  const find = async () => (await listSummaries(publication))[0]
  const created = toCommentRef(await createOnce(post, find, lostResponse(publication)))
  written.summaryId = created.id
  return created
}

/** Returns our summaries: those of this account first, then starting with the oldest. */
async function listSummaries(publication: PublicationInProgress): Promise<Comment[]> {
  const { number, summary } = publication.review
  const own: Comment[] = []
  for await (const entry of readComments(publication, `/issues/${number}/comments`)) {
    const isOurs = isOwn(publication, entry) || isTakenOver(publication, 'hasIssueComment', entry)
    if (isOurs && entry.body.trimStart().startsWith(summary.marker)) own.push(entry)
  }
  return own.sort((a, b) => compareOwners(publication, a, b) || a.id - b.id)
}

/** Sorts comments of this account before those of former ones, which it may not be able to edit. */
function compareOwners(publication: Publication, a: Comment, b: Comment): number {
  return Number(isOwn(publication, b)) - Number(isOwn(publication, a))
}

async function deleteComment(
  publication: PublicationInProgress,
  kind: 'issues' | 'pulls',
  comment: Comment,
): Promise<void> {
  const path = `/${kind}/comments/${comment.id}`
  try {
    await send(publication.connection, buildWrite(publication, path, { method: 'DELETE' }))
  } catch (error) {
    const isGone = error instanceof PlatformError && error.code === 'platform_not_found'
    if (!isGone && !isTakeoverRefusal(publication, comment, error)) throw error
  }
}

/**
 * Deletes duplicates of our inline comments. Keeps those with replies, otherwise the oldest one.
 *
 * @returns the remaining comment of each marker, whichever review posted it
 */
async function removeDuplicateComments(
  publication: PublicationInProgress,
): Promise<Map<string, Comment>> {
  const { comments, updateOnly, formerMarkers, number } = publication.review
  const currentMarkers = [...comments, ...updateOnly].map(({ marker }) => marker)
  const markers = [...currentMarkers, ...formerMarkers]
  if (markers.length === 0) return new Map()
  const copiesByMarker = new Map<string, Comment[]>()
  const answeredIds = new Set<number>()
  for await (const entry of readComments(publication, `/pulls/${number}/comments`)) {
    if (entry.in_reply_to_id != null) {
      answeredIds.add(entry.in_reply_to_id)
      continue
    }
    const isOurs = isOwn(publication, entry) || isTakenOver(publication, 'hasReviewComment', entry)
    if (!isOurs) continue
    const marker = markers.find((candidate) => entry.body.trimEnd().endsWith(candidate))
    if (marker === undefined) continue
    copiesByMarker.set(marker, [...(copiesByMarker.get(marker) ?? []), entry])
  }
  const remaining = new Map<string, Comment>()
  for (const [marker, copies] of copiesByMarker) {
    copies.sort((a, b) => {
      const answeredFirst = Number(answeredIds.has(b.id)) - Number(answeredIds.has(a.id))
      return answeredFirst || compareOwners(publication, a, b) || a.id - b.id
    })
    const [retained, ...duplicates] = copies as [Comment, ...Comment[]]
    for (const one of duplicates) {
      if (!answeredIds.has(one.id)) await deleteComment(publication, 'pulls', one)
    }
    remaining.set(marker, retained)
  }
  return remaining
}

/**
 * Edits comments whose text has changed. Ignores comments that were deleted in the meantime.
 *
 * @returns the markers of comments of former accounts that GitHub refused to edit
 */
async function updateComments(
  publication: PublicationInProgress,
  posted: ReadonlyMap<string, Comment>,
): Promise<string[]> {
  const { comments, updateOnly } = publication.review
  const refusedMarkers: string[] = []
  for (const { marker, body } of [...comments, ...updateOnly]) {
    const existing = posted.get(marker)
    if (existing === undefined || isSameText(existing.body, body)) continue
    const call = buildWrite(publication, `/pulls/comments/${existing.id}`, {
      method: 'PATCH',
      body: { body },
    })
    try {
      await send(publication.connection, call)
    } catch (error) {
      if (isTakeoverRefusal(publication, existing, error)) {
        publication.refusedIds.add(existing.id)
        refusedMarkers.push(marker)
      } else if (!(error instanceof PlatformError && error.code === 'platform_not_found')) {
        throw error
      }
    }
  }
  return refusedMarkers
}

function readComments(
  { connection, access, signal }: Publication,
  path: string,
): AsyncGenerator<Comment> {
  return readPages(connection, buildRepositoryCall(access, path, signal), comment, longItemPageSize)
}

/**
 * Whether our account wrote the item. The position of the marker is checked as well, because the
 * person with the token may quote a marker in a comment of their own.
 */
function isOwn({ viewer }: Publication, item: Pick<Comment, 'user'>): boolean {
  return String(item.user?.id) === viewer.id
}

/**
 * Whether an earlier review posted the comment with another account. The marker alone proves
 * nothing, because anyone can copy it.
 */
function isTakenOver(
  { posted, refusedIds }: PublicationInProgress,
  has: keyof PostedComments,
  { id }: Comment,
): boolean {
  return posted[has](id) && !refusedIds.has(id)
}

/** Whether GitHub refused to let this account change a comment of a former one. */
function isTakeoverRefusal(publication: Publication, comment: Comment, error: unknown): boolean {
  const refusals = ['platform_forbidden', 'platform_not_found']
  const isRefusal = error instanceof PlatformError && refusals.includes(error.code)
  return isRefusal && !isOwn(publication, comment)
}

/** Reads which event to post, and stores whether the decision holds then. */
async function decideEvent(publication: PublicationInProgress): Promise<ReviewEvent> {
  const { review, written } = publication
  const { decision, headSha, number } = review
  if (decision === null) return 'COMMENT'
  const reviews = await listOwnReviews(publication, number)
  const { event, holds } = chooseEvent(reviews, { decision, headSha })
  written.isDecided = holds
  return event
}

/**
 * Posts comments and event in one call. GitHub rejects all comments because of one bad line without
 * naming it, so the comments are split in halves until only the bad ones are rejected.
 *
 * @returns the markers of the rejected comments
 */
async function postReview(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewEvent,
  summaryUrl: string,
): Promise<string[]> {
  if (comments.length === 0 && event === 'COMMENT') return []
  try {
    await postSingleReview(publication, comments, event, summaryUrl)
    return []
  } catch (error) {
    if (!isInvalidReview(error)) throw error
    // GitHub allows no one to approve or block their own pull request.
    if (event !== 'COMMENT' && /own pull request/i.test(error.message)) {
      publication.written.isDecided = false
      return postReview(publication, comments, 'COMMENT', summaryUrl)
    }
    if (comments.length === 0 || !isCommentRefusal(error)) throw error
  }
  const [onlyComment] = comments
  if (onlyComment && comments.length === 1 && event === 'COMMENT') return [onlyComment.marker]
  return postHalves(publication, comments, event, summaryUrl)
}

async function postHalves(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewEvent,
  summaryUrl: string,
): Promise<string[]> {
  const middle = Math.ceil(comments.length / 2)
  const firstHalf = comments.slice(0, middle)
  const secondHalf = comments.slice(middle)
  const refused = [
    ...(await postReview(publication, firstHalf, 'COMMENT', summaryUrl)),
    ...(await postReview(publication, secondHalf, 'COMMENT', summaryUrl)),
  ]
  if (event !== 'COMMENT') {
    const remainingEvent = await decideEvent(publication)
    await postReview(publication, [], remainingEvent, summaryUrl)
  }
  return refused
}

async function postSingleReview(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewEvent,
  summaryUrl: string,
): Promise<void> {
  const { number, headSha } = publication.review
  // A review with a lost response is found by its comments' markers, while lists may lack them.
  const markers = comments.map(({ marker }) => marker)
  if (event !== 'COMMENT') markers.push(decisionMarker)
  const body = {
    commit_id: headSha,
    event,
    body: `The whole review is in the [summary](${summaryUrl}).\n\n${markers.join('')}`.trimEnd(),
    comments: comments.map(toReviewComment),
  }
  const write = async () => {
    await send(
      publication.connection,
      buildWrite(publication, `/pulls/${number}/reviews`, { method: 'POST', body }),
    )
    return true
  }
  const find = async () => {
    const reviews = await listOwnReviews(publication, number)
    const wasPosted = reviews.some(
      ({ state, body: text, commit_id: sha }) =>
        sha === headSha && state === postedStates[event] && isSameText(text, body.body),
    )
    return wasPosted || undefined
  }
  await createOnce(write, find, lostResponse(publication))
  for (const { marker } of comments) publication.written.comments.add(marker)
}

function toReviewComment({ place, body }: InlineComment): object {
  const { path, side } = place
  const [start, line] = [place.start, place.end].map((at) => (side === 'LEFT' ? at.old : at.new))
  const lastLine = { path, body, side, line }
  return start === line ? lastLine : { ...lastLine, start_line: start, start_side: side }
}

function lostResponse({ signal, written }: PublicationInProgress) {
  return {
    signal,
    onLostResponse: () => {
      written.isUnclear = true
    },
  }
}

function buildWrite(
  { access, review, signal }: Publication,
  path: string,
  rest: Partial<ApiCall>,
): ApiCall {
  const { beforeWrite } = review
  return buildRepositoryCall(access, path, signal, { ...rest, beforeWrite })
}

function isInvalidReview(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'platform_refused' && error.status === 422
}

/**
 * False when GitHub rejects the review as a whole, e.g. for an unknown commit or a pending draft.
 */
function isCommentRefusal(error: PlatformError): boolean {
  return /line|path|hunk|position|side|diff/i.test(error.message)
}

/** The platform may store other line ends and drop trailing spaces. */
function isSameText(stored: string, wanted: string): boolean {
  const normalize = (text: string) => text.replaceAll('\r\n', '\n').trimEnd()
  return normalize(stored) === normalize(wanted)
}

function toCommentRef({ id, html_url: url }: Comment): { id: string; url: string } {
  return { id: String(id), url }
}
