// Makes a pull request show a review: one summary edited in place, inline comments in one call, nothing twice.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type {
  Access,
  InlineComment,
  PublishedReview,
  ReviewToPublish,
  Viewer,
} from '../platform.ts'
import { longItemPageSize, readPages } from './read-pages.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { type ApiCall, type Connection, delay, send, sendForJson } from './request.ts'

/** What every step needs. */
interface Publication {
  readonly connection: Connection
  readonly access: Access
  readonly review: ReviewToPublish
  readonly viewer: Viewer
  readonly signal: AbortSignal | undefined
}

/** A publication under way, and what it has written: lists may not show that yet. */
interface PublicationInProgress extends Publication {
  readonly written: { summaryId: string | null; readonly comments: Set<string>; isUnclear: boolean }
}

type ReviewEvent = 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES'

/** How a posted review shows its event. */
const postedStates: Readonly<Record<ReviewEvent, string>> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
}

/** Before what failed is tried once more. */
const retryDelayMs = 500

/** Lists show a write late at times: the pauses before each look for one whose answer was lost. */
const lookupDelaysMs = [500, 1000, 2000, 4000]

const comment = z.object({
  id: z.int(),
  body: z.string().catch(''),
  html_url: z.string().catch(''),
  user: z.object({ id: z.int() }).nullish(),
  in_reply_to_id: z.int().nullish(),
})
type Comment = z.output<typeof comment>

const postedReview = z.object({
  state: z.string(),
  body: z.string().catch(''),
  commit_id: z.string().nullish(),
  user: z.object({ id: z.int() }).nullish(),
})
type PostedReview = z.output<typeof postedReview>

/**
 * See `Platform.ensureReview`. After a fault that leaves open whether a write was applied, what doesn't stand there is
 * written again, once; after that it is the caller's to try again.
 */
export async function ensureReview(publication: Publication): Promise<PublishedReview> {
  const written = {
    summaryId: publication.review.summary.id,
    comments: new Set<string>(),
    isUnclear: false,
  }
  const publishing = { ...publication, written }
  try {
    return await publishMissing(publishing)
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error
    written.isUnclear = true
    await delay(retryDelayMs, publication.signal)
    return publishMissing(publishing)
  }
}

async function publishMissing(publication: PublicationInProgress): Promise<PublishedReview> {
  const { review, written } = publication
  const summary = await ensureSummary(publication)
  let standing = await removeDuplicateComments(publication)
  await updateComments(publication, standing)
  const missing = review.comments.filter(
    ({ marker }) => !standing.has(marker) && !written.comments.has(marker),
  )
  const event = await decideEvent(publication)
  const refused = await postReview(publication, missing, event, summary.url)
  // Once a list shows what was written last, it shows what was written twice.
  const pauses = written.isUnclear ? [0, ...lookupDelaysMs] : [0]
  for (const milliseconds of pauses) {
    if ([...written.comments].every((marker) => standing.has(marker))) break
    await delay(milliseconds, publication.signal)
    standing = await removeDuplicateComments(publication)
  }
  return {
    summary,
    comments: [...standing].map(([marker, one]) => ({ marker, ...toCommentRef(one) })),
    refusedMarkers: refused,
  }
}

/**
 * Sends a write that makes something anew. Where its answer is lost, looks whether it was made, for as long as lists may
 * be late.
 *
 * @throws the fault of the write where it isn't found
 */
async function createOnce<Made>(
  publication: PublicationInProgress,
  write: () => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await write()
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error
    publication.written.isUnclear = true
    for (const milliseconds of lookupDelaysMs) {
      await delay(milliseconds, publication.signal)
      const made = await find().catch((fault) => {
        if (!isOutcomeUnknown(fault)) throw fault
      })
      if (made !== undefined) return made
    }
    throw error
  }
}

async function ensureSummary(
  publication: PublicationInProgress,
): Promise<PublishedReview['summary']> {
  const { connection, review, written } = publication
  const { summary, number } = review
  const [oldest, ...newer] = await listSummaries(publication)
  for (const extra of newer) await deleteComment(publication, `/issues/comments/${extra.id}`)
  if (oldest !== undefined && isSameText(oldest.body, summary.body)) return toCommentRef(oldest)
  const write = async (method: 'POST' | 'PATCH', path: string) =>
    sendForJson(
      connection,
      await prepareWrite(publication, path, { method, body: { body: summary.body } }),
      comment,
    )
  const id = oldest?.id ?? written.summaryId
  if (id !== null) return toCommentRef(await write('PATCH', `/issues/comments/${id}`))
  const post = () => write('POST', `/issues/${number}/comments`)
  const find = async () => (await listSummaries(publication))[0]
  const made = toCommentRef(await createOnce(publication, post, find))
  written.summaryId = made.id
  return made
}

/** Ours, the oldest first. */
async function listSummaries(publication: Publication): Promise<Comment[]> {
  const { number, summary } = publication.review
  const own: Comment[] = []
  for await (const one of readComments(publication, `/issues/${number}/comments`)) {
    if (isOwn(publication, one) && one.body.trimStart().startsWith(summary.marker)) own.push(one)
  }
  return own.sort((a, b) => a.id - b.id)
}

async function deleteComment(publication: Publication, path: string): Promise<void> {
  try {
    await send(publication.connection, await prepareWrite(publication, path, { method: 'DELETE' }))
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'platform_not_found')) throw error
  }
}

/**
 * Removes what stands twice: the oldest stays, or those that somebody answered. Returns the review's comments that stand on
 * the pull request then, whichever run posted them, by their markers.
 */
async function removeDuplicateComments(publication: Publication): Promise<Map<string, Comment>> {
  const { comments, updateOnly: others, formerMarkers: former, number } = publication.review
  const markers = [...[...comments, ...others].map(({ marker }) => marker), ...former]
  if (markers.length === 0) return new Map()
  const copies = new Map<string, Comment[]>()
  const answered = new Set<number>()
  for await (const one of readComments(publication, `/pulls/${number}/comments`)) {
    if (one.in_reply_to_id != null) answered.add(one.in_reply_to_id)
    else if (isOwn(publication, one)) {
      const marker = markers.find((candidate) => one.body.trimEnd().endsWith(candidate))
      if (marker !== undefined) copies.set(marker, [...(copies.get(marker) ?? []), one])
    }
  }
  const standing = new Map<string, Comment>()
  for (const [marker, same] of copies) {
    same.sort((a, b) => Number(answered.has(b.id)) - Number(answered.has(a.id)) || a.id - b.id)
    const [kept, ...doubles] = same as [Comment, ...Comment[]]
    for (const { id } of doubles) {
      if (!answered.has(id)) await deleteComment(publication, `/pulls/comments/${id}`)
    }
    standing.set(marker, kept)
  }
  return standing
}

/** What was found may have become less since, or more. One that was taken away meanwhile costs the review nothing. */
async function updateComments(
  publication: Publication,
  standing: ReadonlyMap<string, Comment>,
): Promise<void> {
  const { comments, updateOnly: kept } = publication.review
  for (const { marker, body } of [...comments, ...kept]) {
    const one = standing.get(marker)
    if (one === undefined || isSameText(one.body, body)) continue
    const call = await prepareWrite(publication, `/pulls/comments/${one.id}`, {
      method: 'PATCH',
      body: { body },
    })
    try {
      await send(publication.connection, call)
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'platform_not_found')) throw error
    }
  }
}

function readComments(
  { connection, access, signal }: Publication,
  path: string,
): AsyncGenerator<Comment> {
  return readPages(connection, buildRepositoryCall(access, path, signal), comment, longItemPageSize)
}

/**
 * Whether our account wrote it. What is ours shows the place of its marker, too: a person whose token we have may quote a
 * marker in a comment of their own.
 */
function isOwn({ viewer }: Publication, one: Pick<Comment, 'user'>): boolean {
  return String(one.user?.id) === viewer.id
}

/** What is still to be said to the platform: nothing more than a comment when our review of this head says it. */
async function decideEvent(publication: Publication): Promise<ReviewEvent> {
  const { review } = publication
  if (review.event === 'comment') return 'COMMENT'
  const states = (await listPostedReviews(publication)).map(({ state }) => state)
  const last = states.findLast((state) =>
    ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state),
  )
  // Who dismissed it on this head meant it.
  if (last === 'DISMISSED') return 'COMMENT'
  if (review.event === 'approve') return last === 'APPROVED' ? 'COMMENT' : 'APPROVE'
  return last === 'CHANGES_REQUESTED' ? 'COMMENT' : 'REQUEST_CHANGES'
}

/** Our reviews of this head, the oldest first. */
async function listPostedReviews(publication: Publication): Promise<PostedReview[]> {
  const { connection, access, review, signal } = publication
  const call = buildRepositoryCall(access, `/pulls/${review.number}/reviews`, signal)
  const all = await Array.fromAsync(readPages(connection, call, postedReview, longItemPageSize))
  return all.filter((one) => isOwn(publication, one) && one.commit_id === review.headSha)
}

/**
 * Posts comments and event in one call. The platform refuses all of them for one bad line and doesn't say which:
 * then each half is posted by itself, down to the bad ones. Returns the markers of the refused.
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
    if (
      !(error instanceof PlatformError && error.code === 'platform_refused' && error.status === 422)
    )
      throw error
    if (event !== 'COMMENT' && /own pull request/i.test(error.message)) {
      return postReview(publication, comments, 'COMMENT', summaryUrl)
    }
    if (comments.length === 0 || !isCommentRefusal(error)) throw error
    if (comments.length === 1 && event === 'COMMENT') return [comments[0]!.marker]
  }
  const middle = Math.ceil(comments.length / 2)
  const refused = [
    ...(await postReview(publication, comments.slice(0, middle), 'COMMENT', summaryUrl)),
    ...(await postReview(publication, comments.slice(middle), 'COMMENT', summaryUrl)),
  ]
  if (event !== 'COMMENT')
    await postReview(publication, [], await decideEvent(publication), summaryUrl)
  return refused
}

async function postSingleReview(
  publication: PublicationInProgress,
  comments: readonly InlineComment[],
  event: ReviewEvent,
  summaryUrl: string,
): Promise<void> {
  const { number, headSha } = publication.review
  // By the markers of its comments a review is found again while lists don't show the comments yet.
  const markers = comments.map(({ marker }) => marker).join('')
  const body = {
    commit_id: headSha,
    event,
    body: `The whole review is in the [summary](${summaryUrl}).\n\n${markers}`.trimEnd(),
    comments: comments.map(toReviewComment),
  }
  const write = async () => {
    await send(
      publication.connection,
      await prepareWrite(publication, `/pulls/${number}/reviews`, { method: 'POST', body }),
    )
    return true
  }
  const find = async () => {
    const posted = await listPostedReviews(publication)
    return (
      posted.some((one) => one.state === postedStates[event] && isSameText(one.body, body.body)) ||
      undefined
    )
  }
  await createOnce(publication, write, find)
  for (const { marker } of comments) publication.written.comments.add(marker)
}

function toReviewComment(inline: InlineComment): object {
  const place = { path: inline.path, body: inline.body, side: inline.side, line: inline.endLine }
  return inline.startLine < inline.endLine
    ? { ...place, start_line: inline.startLine, start_side: inline.side }
    : place
}

async function prepareWrite(
  publication: Publication,
  path: string,
  rest: Partial<ApiCall>,
): Promise<ApiCall> {
  await publication.review.beforeWrite()
  return buildRepositoryCall(publication.access, path, publication.signal, rest)
}

/** False for refusals of the review as a whole: an unknown commit, or a draft of ours that stands in the way. */
function isCommentRefusal(error: PlatformError): boolean {
  return /line|path|hunk|position|side|diff/i.test(error.message)
}

function isOutcomeUnknown(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    (error.code === 'platform_unavailable' || error.code === 'platform_invalid_response')
  )
}

/** The platform may store other line ends, and no blanks at the end. */
function isSameText(stored: string, wanted: string): boolean {
  const normalise = (text: string) => text.replaceAll('\r\n', '\n').trimEnd()
  return normalise(stored) === normalise(wanted)
}

function toCommentRef(one: Comment): { id: string; url: string } {
  return { id: String(one.id), url: one.html_url }
}
