// Lists what people wrote on the pull requests of a repository.
import { z } from 'zod'
import { maxRequestLength } from '../../domain/platform-request.ts'
import { toCommentList } from '../http/comment-list.ts'
import type { HostCall } from '../http/connection.ts'
import { longItemPageSize, readPages } from '../http/read-pages.ts'
import { buildRepositoryCall } from '../http/repository-calls.ts'
import { type ListedComment, maxListedComments } from '../platform.ts'

const posted = z.object({
  id: z.int(),
  body: z.string().catch(''),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullish(),
})

/** Comments on issues are listed too, and differ in the address. */
const conversationComment = posted.extend({ issue_url: z.string(), html_url: z.string() })

const inlineComment = posted.extend({
  pull_request_url: z.string(),
  in_reply_to_id: z.int().nullish(),
})

/** GET /repos/{owner}/{repo}/issues/comments, and /pulls/comments for those on lines. */
export const listComments: HostCall<'listComments'> = async (connection, access, since, signal) => {
  const list = <T extends z.output<typeof posted>>(
    kind: 'issues' | 'pulls',
    schema: z.ZodType<T>,
  ) => {
    const time = since.toISOString().replace(/\.\d+Z$/, 'Z')
    const path = `/${kind}/comments?sort=created&direction=asc&since=${time}`
    const call = buildRepositoryCall(access, path, signal)
    return readPages(connection, call, schema, longItemPageSize)
  }
  const [conversation, inline] = await Promise.all([
    collect(
      list('issues', conversationComment),
      since,
      ({ html_url: url, issue_url: issue, id }) =>
        /\/pull\/\d+#[^/]*$/.test(url)
          ? {
              number: numberIn(issue),
              comment: { id: String(id), isInline: false, threadId: null },
            }
          : null,
    ),
    collect(list('pulls', inlineComment), since, (one) => ({
      number: numberIn(one.pull_request_url),
      comment: {
        id: String(one.id),
        isInline: true,
        threadId: one.in_reply_to_id == null ? null : String(one.in_reply_to_id),
      },
    })),
  ])
  return toCommentList([...conversation, ...inline])
}

/** Both addresses end with the number of the pull request. */
const numberIn = (url: string) => Number(/\/(\d+)$/.exec(url)?.[1])

/** Leaves out what applications wrote, and what was edited. */
async function collect<T extends z.output<typeof posted>>(
  comments: AsyncIterable<T>,
  since: Date,
  locate: (comment: T) => Pick<ListedComment, 'number' | 'comment'> | null,
): Promise<ListedComment[]> {
  const listed: ListedComment[] = []
  for await (const one of comments) {
    const { body, user } = one
    const createdAt = new Date(one.created_at)
    const place = locate(one)
    const isEdited = one.updated_at !== one.created_at
    if (place === null || user?.type !== 'User' || isEdited || createdAt < since) continue
    const sender = { id: String(user.id), login: user.login }
    listed.push({ ...place, body: body.slice(0, maxRequestLength), sender, createdAt })
    if (listed.length === maxListedComments) break
  }
  return listed
}
