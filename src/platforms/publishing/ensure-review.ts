// Publishes a review on a pull request: one summary edited in place, and inline comments.
import { isNotFound, isRefusal, PlatformError } from '../../domain/errors.ts'
import { delay } from '../../lib/abortable.ts'
import type { InlineComment, PublishedReview, ReviewToPublish } from '../platform.ts'
import { createOnce, isOutcomeUnknown, lookupDelaysMs } from './create-once.ts'
import { chooseEvent, decisionMarker, listOwnReviews } from './decisions.ts'
import {
  type CommentAnchors,
  type PostedComments,
  readPostedComments,
  readSummaryId,
} from './posted-comments.ts'
import type { Account, PostedComment, ReviewToPost } from './review-calls.ts'

interface Publication extends Account {
  readonly review: ReviewToPublish
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
  /** Ids of those among them that the host didn't let this account edit. */
  readonly refusedIds: Set<string>
}

/** Pause before a failed publication is repeated. */
const retryDelayMs = 500

/**
 * Implements `Platform.ensureReview`. When a failure leaves open whether a write was applied, the
 * missing items are written once more; after a second failure the caller has to retry.
 */
export async function ensureReview(publication: Publication): Promise<PublishedReview> {
  const { url } = publication.review.summary
  const written = {
    summaryId: url === null ? null : readSummaryId(url, publication.anchors),
    comments: new Set<string>(),
    isUnclear: false,
    isDecided: false,
  }
  const posted = readPostedComments(publication.review.postedUrls, publication.anchors)
  const inProgress = { ...publication, written, posted, refusedIds: new Set<string>() }
  if (publication.review.mayBePosted) await waitUntilListed(inProgress)
  try {
    return await publishMissing(inProgress)
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error
    written.isUnclear = true
    await delay(retryDelayMs, publication.signal)
    return publishMissing(inProgress)
  }
}

/** Waits until lists show all that an earlier attempt may have posted, or should show it by now. */
async function waitUntilListed(publication: PublicationInProgress): Promise<void> {
  for (const milliseconds of lookupDelaysMs) {
    const [summary] = await listSummaries(publication)
    const posted = await removeDuplicateComments(publication)
    const hasComments = publication.review.comments.every(({ marker }) => posted.has(marker))
    if (summary && hasComments && (await decideEvent(publication)) === 'comment') return
    await delay(milliseconds, publication.signal)
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
  const comments = [...posted].map(([marker, entry]) => ({ marker, ...toCommentRef(entry) }))
  await linkSummary(publication, summary.id, comments)
  return {
    summary,
    comments,
    refusedMarkers: refused,
    decision: written.isDecided ? review.decision : null,
  }
}

async function ensureSummary(
  publication: PublicationInProgress,
): Promise<PublishedReview['summary']> {
  const { calls, review, written } = publication
  const { body } = review.summary
  const [existing, ...duplicates] = await listSummaries(publication)
  for (const one of duplicates)
    await deleteComment(publication, one, (id) => calls.deleteComment(id))
  if (existing !== undefined && isSameText(existing.body, body)) return toCommentRef(existing)
  const id = existing?.id ?? written.summaryId
  if (id !== null) {
    try {
      return toCommentRef(await calls.editComment(id, body))
    } catch (error) {
      if (!isRefusal(error) || (existing && isOwn(publication, existing))) throw error
      // Somebody deleted it, or the host doesn't let this account edit another one's comment.
      publication.refusedIds.add(id)
      written.summaryId = null
      return ensureSummary(publication)
    }
  }
  const post = () => calls.postComment(body)
  const find = async () => (await listSummaries(publication))[0]
  const created = toCommentRef(await createOnce(post, find, lostResponse(publication)))
  written.summaryId = created.id
  return created
}

/** Edits the summary if it can link to comments that it didn't know. That notifies nobody. */
async function linkSummary(
  { calls, review: { summary } }: PublicationInProgress,
  id: string,
  comments: PublishedReview['comments'],
): Promise<void> {
  const linked = summary.linkTo?.(comments) ?? summary.body
  if (!isSameText(linked, summary.body)) await calls.editComment(id, linked)
}

/** Returns our summaries: those of this account first, then starting with the oldest. */
async function listSummaries(publication: PublicationInProgress): Promise<PostedComment[]> {
  const { calls, review, written } = publication
  const own: PostedComment[] = []
  for await (const entry of calls.readConversation()) {
    if (!isOurs(publication, 'conversation', entry)) continue
    if (entry.body.trimStart().startsWith(review.summary.marker)) own.push(entry)
    // A person made it a comment of their own.
    else if (entry.id === written.summaryId) written.summaryId = null
  }
  return own.sort((a, b) => compareOwners(publication, a, b) || compareIds(a, b))
}

/** Sorts comments of this account before those of former ones, which it may not be able to edit. */
function compareOwners(publication: Publication, a: PostedComment, b: PostedComment): number {
  return Number(isOwn(publication, b)) - Number(isOwn(publication, a))
}

function compareIds(a: PostedComment, b: PostedComment): number {
  return Number(a.id) - Number(b.id)
}

async function deleteComment(
  publication: PublicationInProgress,
  comment: PostedComment,
  send: (id: string) => Promise<void>,
): Promise<void> {
  try {
    await send(comment.id)
  } catch (error) {
    const isGone = isNotFound(error)
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
): Promise<Map<string, PostedComment>> {
  const { calls, review } = publication
  const { comments, updateOnly, formerMarkers } = review
  const currentMarkers = [...comments, ...updateOnly].map(({ marker }) => marker)
  const markers = [...currentMarkers, ...formerMarkers]
  if (markers.length === 0) return new Map()
  const copiesByMarker = new Map<string, PostedComment[]>()
  const answeredIds = new Set<string>()
  for await (const entry of calls.readInline()) {
    if (entry.threadId !== null) {
      answeredIds.add(entry.threadId)
      continue
    }
    if (!isOurs(publication, 'inline', entry)) continue
    const marker = markers.find((candidate) => entry.body.trimEnd().endsWith(candidate))
    if (marker === undefined) continue
    copiesByMarker.set(marker, [...(copiesByMarker.get(marker) ?? []), entry])
  }
  const remaining = new Map<string, PostedComment>()
  for (const [marker, copies] of copiesByMarker) {
    copies.sort((a, b) => {
      const answeredFirst = Number(answeredIds.has(b.id)) - Number(answeredIds.has(a.id))
      return answeredFirst || compareOwners(publication, a, b) || compareIds(a, b)
    })
    const [retained, ...duplicates] = copies as [PostedComment, ...PostedComment[]]
    for (const one of duplicates) {
      if (answeredIds.has(one.id)) continue
      await deleteComment(publication, one, (id) => calls.deleteInline(id))
    }
    remaining.set(marker, retained)
  }
  return remaining
}

/**
 * Edits comments whose text has changed. Ignores comments that were deleted in the meantime.
 *
 * @returns the markers of comments of former accounts that the host refused to edit
 */
async function updateComments(
  publication: PublicationInProgress,
  posted: ReadonlyMap<string, PostedComment>,
): Promise<string[]> {
  const { calls, review } = publication
  const { comments, updateOnly } = review
  const refusedMarkers: string[] = []
  for (const { marker, body } of [...comments, ...updateOnly]) {
    const existing = posted.get(marker)
    if (existing === undefined || isSameText(existing.body, body)) continue
    try {
      await calls.editInline(existing.id, body)
    } catch (error) {
      if (isTakeoverRefusal(publication, existing, error)) {
        publication.refusedIds.add(existing.id)
        refusedMarkers.push(marker)
      } else if (!isNotFound(error)) {
        throw error
      }
    }
  }
  return refusedMarkers
}

/** Whether our account wrote the comment, or an earlier review that we take it over from. */
function isOurs(
  publication: PublicationInProgress,
  kind: keyof CommentAnchors,
  comment: PostedComment,
): boolean {
  return isOwn(publication, comment) || isTakenOver(publication, kind, comment)
}

/**
 * Whether our account wrote the item. The position of the marker is checked as well, because the
 * person with the token may quote a marker in a comment of their own.
 */
function isOwn({ viewer }: Publication, { authorId }: PostedComment): boolean {
  return authorId === viewer.id
}

/**
 * Whether an earlier review posted the comment with another account. The marker alone proves
 * nothing, because anyone can copy it.
 */
function isTakenOver(
  { posted, refusedIds }: PublicationInProgress,
  kind: keyof CommentAnchors,
  { id }: PostedComment,
): boolean {
  return posted.has(kind, id) && !refusedIds.has(id)
}

/** Whether the host refused to let this account change a comment of a former one. */
function isTakeoverRefusal(
  publication: Publication,
  comment: PostedComment,
  error: unknown,
): boolean {
  return isRefusal(error) && !isOwn(publication, comment)
}

/** Reads which event to post, and stores whether the decision holds then. */
async function decideEvent(publication: PublicationInProgress): Promise<ReviewToPost['event']> {
  const { review, written } = publication
  const { decision, headSha } = review
  if (decision === null) return 'comment'
  const reviews = await listOwnReviews(publication)
  const { event, holds } = chooseEvent(reviews, { decision, headSha })
  written.isDecided = holds
  return event
}

/**
 * Posts comments and event in one call. Hosts reject all comments because of one bad line without
 * naming it, so the comments are split in halves until only the bad ones are rejected.
 *
 * @returns the markers of the rejected comments
 */
async function postReview(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewToPost['event'],
  summaryUrl: string,
): Promise<string[]> {
  const { calls } = publication
  if (comments.length === 0 && event === 'comment') return []
  try {
    await postSingleReview(publication, comments, event, summaryUrl)
    return []
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    // Hosts allow no one to approve or block their own pull request.
    if (event !== 'comment' && calls.isOwnPullRefusal(error)) {
      publication.written.isDecided = false
      return postReview(publication, comments, 'comment', summaryUrl)
    }
    if (comments.length === 0 || !calls.isCommentRefusal(error)) throw error
  }
  const [onlyComment] = comments
  if (onlyComment && comments.length === 1 && event === 'comment') return [onlyComment.marker]
  return postHalves(publication, comments, event, summaryUrl)
}

async function postHalves(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewToPost['event'],
  summaryUrl: string,
): Promise<string[]> {
  const middle = Math.ceil(comments.length / 2)
  const firstHalf = comments.slice(0, middle)
  const secondHalf = comments.slice(middle)
  const refused = [
    ...(await postReview(publication, firstHalf, 'comment', summaryUrl)),
    ...(await postReview(publication, secondHalf, 'comment', summaryUrl)),
  ]
  if (event !== 'comment') {
    const remainingEvent = await decideEvent(publication)
    await postReview(publication, [], remainingEvent, summaryUrl)
  }
  return refused
}

async function postSingleReview(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewToPost['event'],
  summaryUrl: string,
): Promise<void> {
  const { calls, review } = publication
  const { headSha } = review
  // A review with a lost response is found by its comments' markers, while lists may lack them.
  const markers = comments.map(({ marker }) => marker)
  if (event !== 'comment') markers.push(decisionMarker)
  const body = `${introduce(event, summaryUrl)}\n\n${markers.join('')}`.trimEnd()
  const write = async () => {
    await calls.postReview({ headSha, event, body, comments })
    return true
  }
  const find = async () => {
    const reviews = await listOwnReviews(publication)
    const wasPosted = reviews.some(
      (posted) =>
        posted.headSha === headSha && posted.state === event && isSameText(posted.body, body),
    )
    return wasPosted || undefined
  }
  await createOnce(write, find, lostResponse(publication))
  for (const { marker } of comments) publication.written.comments.add(marker)
}

/** Says what the review is for. Hosts require a text, and list it apart from the summary. */
function introduce(event: ReviewToPost['event'], summaryUrl: string): string {
  const summary = `[summary](${summaryUrl})`
  if (event === 'approve') return `Approved: the ${summary} says what was reviewed.`
  if (event === 'request_changes') return `Changes requested: the ${summary} lists the findings.`
  return `The ${summary} lists all findings.`
}

function lostResponse({ signal, written }: PublicationInProgress) {
  return {
    signal,
    onLostResponse: () => {
      written.isUnclear = true
    },
  }
}

/** The platform may store other line ends and drop trailing spaces. */
function isSameText(stored: string, wanted: string): boolean {
  const normalize = (text: string) => text.replaceAll('\r\n', '\n').trimEnd()
  return normalize(stored) === normalize(wanted)
}

function toCommentRef({ id, url }: PostedComment): { id: string; url: string } {
  return { id, url }
}
