// Lists what people wrote on the pull requests of a repository.
import { z } from 'zod'
import { maxRequestLength } from '../../domain/platform-request.ts'
import { readEach, toCommentList } from '../http/comment-list.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { type Access, type ListedComment, maxListedComments } from '../platform.ts'
import { listConversations, type PullRequestCall } from './inline-comments.ts'
import { listPullRequests } from './pull-requests.ts'
import { maxPageSize } from './request-rules.ts'

const conversationComment = z.object({
  id: z.int(),
  body: z.string().catch(''),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.object({ id: z.int(), login: z.string() }).nullish(),
  /** Empty for comments on issues. */
  pull_request_url: z.string().catch(''),
})
type Comment = Omit<z.output<typeof conversationComment>, 'pull_request_url'>

/**
 * GET /repos/{owner}/{repo}/issues/comments, which leaves out those on lines: these are read from
 * the pull requests that changed.
 */
export const listComments: HostCall<'listComments'> = async (connection, access, since, signal) => {
  const conversation = await listConversationComments(connection, access, since, signal)
  const changed = await listPullRequests(connection, access, since, signal)
  const { comments: inline, isComplete } = await readEach(changed, (number) =>
    listInlineComments(connection, { access, number, signal }, since),
  )
  return toCommentList([...conversation, ...inline], isComplete)
}

async function listConversationComments(
  connection: Connection,
  access: Access,
  since: Date,
  signal: AbortSignal | undefined,
): Promise<ListedComment[]> {
  const time = since.toISOString().replace(/\.\d+Z$/, 'Z')
  const call = buildRepositoryCall(access, `/issues/comments?since=${time}`, signal)
  const listed: ListedComment[] = []
  for await (const one of readPages(connection, call, conversationComment, maxPageSize)) {
    const number = Number(/\/pulls\/(\d+)$/.exec(one.pull_request_url)?.[1] ?? 0)
    if (number === 0) continue
    const comment = { id: String(one.id), isInline: false, threadId: null }
    listed.push(...toListed(one, since, { number, comment }))
    if (listed.length === maxListedComments) break
  }
  return listed
}

async function listInlineComments(
  connection: Connection,
  call: PullRequestCall,
  since: Date,
): Promise<ListedComment[]> {
  const { number } = call
  return (await listConversations(connection, call)).flatMap(({ opening, replies }) =>
    [opening, ...replies].flatMap((one) => {
      const threadId = one === opening ? null : String(opening.id)
      const comment = { id: String(one.id), isInline: true, threadId }
      return toListed(one, since, { number, comment })
    }),
  )
}

/** Leaves out what was edited, and what accounts of workflows wrote, whose ids are negative. */
function toListed(
  one: Comment,
  since: Date,
  place: Pick<ListedComment, 'number' | 'comment'>,
): ListedComment[] {
  const { body, user } = one
  const createdAt = new Date(one.created_at)
  const isEdited = one.updated_at !== one.created_at
  if (user == null || user.id <= 0 || isEdited || createdAt < since) return []
  const sender = { id: String(user.id), login: user.login }
  return [{ ...place, body: body.slice(0, maxRequestLength), sender, createdAt }]
}
