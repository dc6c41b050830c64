// Reads inline comments and finds out which of them reply to which. The server shows those on a
// line as a conversation, and its API shows no relation between them.
import { z } from 'zod'
import type { Connection } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'
import { maxPageSize } from './request-rules.ts'

const maxCommentsBytes = 64 * 2 ** 20

const account = z.object({ id: z.int(), login: z.string() }).nullish()

const review = z.object({
  id: z.int(),
  state: z.string(),
  body: z.string().catch(''),
  commit_id: z.string().nullish(),
  dismissed: z.boolean().catch(false),
  comments_count: z.int().catch(0),
  user: account,
})
export type Review = z.output<typeof review>

const inlineComment = z.object({
  id: z.int(),
  body: z.string().catch(''),
  html_url: z.string().catch(''),
  path: z.string(),
  /** It is the number of the line after the change; 0 on the other side. */
  position: z.int().catch(0),
  original_position: z.int().catch(0),
  created_at: z.string().catch(''),
  updated_at: z.string().catch(''),
  user: account,
  resolver: account,
})

export interface InlineComment extends z.output<typeof inlineComment> {
  readonly review: Review
}

/** A comment that opens a conversation, and its replies. */
export interface Conversation {
  readonly opening: InlineComment
  readonly replies: readonly InlineComment[]
  /** Who resolved it; null where nobody did. */
  readonly resolver: { readonly login: string } | null
}

export interface PullRequestCall {
  readonly access: Access
  readonly number: number
  readonly signal: AbortSignal | undefined
}

/** GET /repos/{owner}/{repo}/pulls/{number}/reviews, oldest first. Others' drafts are hidden. */
export function listReviews(
  connection: Connection,
  { access, number, signal }: PullRequestCall,
): Promise<Review[]> {
  const call = buildRepositoryCall(access, `/pulls/${number}/reviews`, signal)
  return Array.fromAsync(readPages(connection, call, review, maxPageSize))
}

/** GET /repos/{owner}/{repo}/pulls/{number}/reviews/{id}/comments, oldest first. */
export async function listReviewComments(
  connection: Connection,
  { access, number, signal }: PullRequestCall,
  review: Review,
): Promise<InlineComment[]> {
  const path = `/pulls/${number}/reviews/${review.id}/comments`
  const call = buildRepositoryCall(access, path, signal, { maxBytes: maxCommentsBytes })
  const comments = await sendForJson(connection, call, z.array(inlineComment))
  return comments.map((comment) => ({ ...comment, review })).sort((a, b) => a.id - b.id)
}

/** Reads the comments of all reviews that were submitted, as conversations. */
export async function listConversations(
  connection: Connection,
  call: PullRequestCall,
): Promise<Conversation[]> {
  const reviews = (await listReviews(connection, call)).filter(
    ({ state, comments_count: count }) => state !== 'PENDING' && count > 0,
  )
  const lists = await Promise.all(reviews.map((one) => listReviewComments(connection, call, one)))
  return groupComments(lists.flat().sort((a, b) => a.id - b.id))
}

/**
 * A comment opens a conversation of its own if it ends with a hidden marker that the text of its
 * review has: several of ours may be on a line. Any other one replies to the newest conversation on
 * its line, at best to one of its own review, and opens one where there is none.
 */
function groupComments(comments: readonly InlineComment[]): Conversation[] {
  const byLine = new Map<string, { opening: InlineComment; replies: InlineComment[] }[]>()
  for (const comment of comments) {
    const key = JSON.stringify([comment.path, comment.position, comment.original_position])
    const onLine = byLine.get(key) ?? []
    byLine.set(key, onLine)
    const isOfReview = ({ opening }: { opening: InlineComment }) =>
      opening.review.id === comment.review.id
    const marker = findMarker(comment)
    const target = onLine.findLast(isOfReview) ?? onLine.at(-1)
    const isRepeated = onLine.some((one) => isOfReview(one) && findMarker(one.opening) === marker)
    const isOurs = marker !== null && comment.review.body.includes(marker) && !isRepeated
    if (target === undefined || isOurs) onLine.push({ opening: comment, replies: [] })
    else target.replies.push(comment)
  }
  return [...byLine.values()]
    .flatMap((onLine) => onLine.map((one) => ({ ...one, resolver: findResolver(one, onLine) })))
    .sort((a, b) => a.opening.id - b.opening.id)
}

/** The page resolves all that it shows together, by the first comment of a review on the line. */
function findResolver(
  { opening }: { opening: InlineComment },
  onLine: readonly { opening: InlineComment }[],
): Conversation['resolver'] {
  const first = onLine.find((one) => one.opening.review.id === opening.review.id)
  return opening.resolver ?? first?.opening.resolver ?? null
}

/** The hidden marker that ends a text. */
export function findMarker({ body }: { readonly body: string }): string | null {
  return /<!--[^<>]*-->\s*$/.exec(body)?.[0].trim() ?? null
}
