// Makes a pull request show a review: one summary edited in place, inline comments in one call, nothing twice.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Access, InlineComment, PublishedReview, ReviewToPublish, Viewer } from '../platform.ts'
import { longItemsPageSize, readPages } from './pages.ts'
import { makeCall } from './repository.ts'
import { type Call, type Connection, pause, send, sendForJson } from './request.ts'

/** What every step needs. */
interface Publication {
  readonly connection: Connection
  readonly access: Access
  readonly review: ReviewToPublish
  readonly viewer: Viewer
  readonly signal: AbortSignal | undefined
}

type ReviewEvent = 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES'

/** Time for the platform's lists to show a write whose answer was lost. */
const pauseMs = 500

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
  commit_id: z.string().nullish(),
  user: z.object({ id: z.int() }).nullish(),
})

/**
 * See `Platform.ensureReview`. A fault that leaves open whether a write was applied is answered by looking at what
 * stands there now, once; after that it is the caller's to try again.
 */
export async function ensureReview(publication: Publication): Promise<PublishedReview> {
  try {
    return await publishMissing(publication)
  } catch (error) {
    if (!isUnclear(error)) throw error
    await pause(pauseMs, publication.signal)
    return publishMissing(publication)
  }
}

async function publishMissing(publication: Publication): Promise<PublishedReview> {
  const summary = await ensureSummary(publication)
  const standing = await listStanding(publication)
  await editStanding(publication, standing)
  const missing = publication.review.comments.filter(({ marker }) => !standing.has(marker))
  const event = await decideEvent(publication)
  const refused = await postReview(publication, missing, event, summary.url)
  const posted = missing.length > refused.length
  const comments = posted ? await listStanding(publication) : standing
  return { summary, comments: [...comments].map(([marker, one]) => ({ marker, ...nameComment(one) })), refused }
}

async function ensureSummary(publication: Publication): Promise<PublishedReview['summary']> {
  const { number, summary } = publication.review
  const own = await listOwn(publication, `/issues/${number}/comments`, (body) =>
    body.trimStart().startsWith(summary.marker),
  )
  const [oldest, ...newer] = own.toSorted((a, b) => a.id - b.id)
  for (const extra of newer) await deleteComment(publication, extra.id)
  if (oldest !== undefined && isSameText(oldest.body, summary.body)) return nameComment(oldest)
  const path = oldest === undefined ? `/issues/${number}/comments` : `/issues/comments/${oldest.id}`
  const method = oldest === undefined ? 'POST' : 'PATCH'
  const call = await prepareWrite(publication, path, { method, body: { body: summary.body } })
  return nameComment(await sendForJson(publication.connection, call, comment))
}

async function deleteComment(publication: Publication, id: number): Promise<void> {
  try {
    await send(publication.connection, await prepareWrite(publication, `/issues/comments/${id}`, { method: 'DELETE' }))
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'platform_not_found')) throw error
  }
}

/** Those of the review's comments that stand on the pull request, whichever run posted them, by their markers. */
async function listStanding(publication: Publication): Promise<Map<string, Comment>> {
  const { comments, kept, number } = publication.review
  const all = [...comments, ...kept]
  if (all.length === 0) return new Map()
  const findMarker = (body: string) => all.find(({ marker }) => body.trimEnd().endsWith(marker))?.marker
  const own = await listOwn(publication, `/pulls/${number}/comments`, (body) => findMarker(body) !== undefined)
  return new Map(
    own.toReversed().flatMap((one) => (one.in_reply_to_id == null ? [[findMarker(one.body)!, one] as const] : [])),
  )
}

/** What was found may have become less since, or more. One that was taken away meanwhile costs the review nothing. */
async function editStanding(publication: Publication, standing: ReadonlyMap<string, Comment>): Promise<void> {
  const { comments, kept } = publication.review
  for (const { marker, body } of [...comments, ...kept]) {
    const one = standing.get(marker)
    if (one === undefined || isSameText(one.body, body)) continue
    const call = await prepareWrite(publication, `/pulls/comments/${one.id}`, { method: 'PATCH', body: { body } })
    try {
      await send(publication.connection, call)
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'platform_not_found')) throw error
    }
  }
}

/**
 * Our account's comments that are ours by their marker's place, too: a person whose token we have may quote the marker
 * in a comment of their own.
 */
async function listOwn(publication: Publication, path: string, isWanted: (body: string) => boolean) {
  const { connection, access, viewer, signal } = publication
  const own: Comment[] = []
  for await (const one of readPages(connection, makeCall(access, path, signal), comment, longItemsPageSize)) {
    if (String(one.user?.id) === viewer.id && isWanted(one.body)) own.push(one)
  }
  return own
}

/** What is still to be said to the platform: nothing more than a comment when our review of this head says it. */
async function decideEvent(publication: Publication): Promise<ReviewEvent> {
  const { connection, access, review, viewer, signal } = publication
  if (review.event === 'comment') return 'COMMENT'
  let last = ''
  for await (const one of readPages(
    connection,
    makeCall(access, `/pulls/${review.number}/reviews`, signal),
    postedReview,
    longItemsPageSize,
  )) {
    const isOurs = String(one.user?.id) === viewer.id && one.commit_id === review.headSha
    if (isOurs && ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(one.state)) last = one.state
  }
  // Who dismissed it on this head meant it.
  if (last === 'DISMISSED') return 'COMMENT'
  if (review.event === 'approve') return last === 'APPROVED' ? 'COMMENT' : 'APPROVE'
  return last === 'CHANGES_REQUESTED' ? 'COMMENT' : 'REQUEST_CHANGES'
}

/**
 * Posts comments and event in one call. The platform refuses all of them for one bad line and doesn't say which:
 * then each half is posted by itself, down to the bad ones. Returns the markers of the refused.
 */
async function postReview(
  publication: Publication,
  comments: readonly InlineComment[],
  event: ReviewEvent,
  summaryUrl: string,
): Promise<string[]> {
  if (comments.length === 0 && event === 'COMMENT') return []
  try {
    await postOnce(publication, comments, event, summaryUrl)
    return []
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'platform_refused' && error.status === 422)) throw error
    if (event !== 'COMMENT' && /own pull request/i.test(error.message)) {
      return postReview(publication, comments, 'COMMENT', summaryUrl)
    }
    if (comments.length === 0 || !mayBeOneComment(error)) throw error
    if (comments.length === 1 && event === 'COMMENT') return [comments[0]!.marker]
  }
  const middle = Math.ceil(comments.length / 2)
  const refused = [
    ...(await postReview(publication, comments.slice(0, middle), 'COMMENT', summaryUrl)),
    ...(await postReview(publication, comments.slice(middle), 'COMMENT', summaryUrl)),
  ]
  if (event !== 'COMMENT') await postReview(publication, [], await decideEvent(publication), summaryUrl)
  return refused
}

async function postOnce(
  publication: Publication,
  comments: readonly InlineComment[],
  event: ReviewEvent,
  summaryUrl: string,
): Promise<void> {
  const { number, headSha } = publication.review
  const body = {
    commit_id: headSha,
    event,
    // The platform wants a text with a request for changes.
    ...(event === 'REQUEST_CHANGES' ? { body: `The reasons are in the [summary](${summaryUrl}).` } : {}),
    comments: comments.map(placeComment),
  }
  const call = await prepareWrite(publication, `/pulls/${number}/reviews`, { method: 'POST', body })
  await send(publication.connection, call)
}

function placeComment(inline: InlineComment): object {
  const place = { path: inline.path, body: inline.body, side: inline.side, line: inline.endLine }
  return inline.startLine < inline.endLine ? { ...place, start_line: inline.startLine, start_side: inline.side } : place
}

async function prepareWrite(publication: Publication, path: string, rest: Partial<Call>): Promise<Call> {
  await publication.review.beforeWrite()
  return makeCall(publication.access, path, publication.signal, rest)
}

/** False for refusals of the review as a whole: an unknown commit, or a draft of ours that stands in the way. */
function mayBeOneComment(error: PlatformError): boolean {
  return /line|path|hunk|position|side|diff/i.test(error.message)
}

function isUnclear(error: unknown): boolean {
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

function nameComment(one: Comment): { id: string; url: string } {
  return { id: String(one.id), url: one.html_url }
}
