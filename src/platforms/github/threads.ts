// Reads and resolves review threads with the GraphQL API, because the REST API can't resolve them.
import { z } from 'zod'
import { splitRepositoryName } from '../../contract/repository-name.ts'
import { PlatformError, type PlatformErrorCode } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import { invalidResponse, parseResponse, send } from '../http/request.ts'
import { readRetryAfterMs, sanitizeMessage } from '../http/response-error.ts'
import type { Access, Thread, Viewer } from '../platform.ts'
import { type PostedComments, readPostedComments } from '../publishing/posted-comments.ts'
import { commentAnchors } from './review-calls.ts'

const maxPages = 100
/** A page holds comments of up to 65,536 characters each. */
const maxPageBytes = 64 * 2 ** 20

const listQuery = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved resolvedBy { login } path line
          comments(first: 50) { nodes { databaseId body author { __typename login } } }
        }
      }
    }
  }
}`

const resolveMutation = `mutation ($threadId: ID!) {
  resolveReviewThread(input: { threadId: $threadId }) { thread { id isResolved } }
}`

const thread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  resolvedBy: z.object({ login: z.string() }).nullish(),
  path: z.string(),
  line: z.int().nullish(),
  comments: z.object({
    nodes: z.array(
      z.object({
        databaseId: z.int().nullish(),
        body: z.string(),
        author: z.object({ __typename: z.string().catch(''), login: z.string() }).nullish(),
      }),
    ),
  }),
})

const threadPage = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewThreads: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
        nodes: z.array(thread),
      }),
    }),
  }),
})

/** Returns all threads of a pull request, each with its first 50 comments. */
export async function listThreads(
  connection: Connection,
  access: Access,
  number: number,
  ours: { viewer: Viewer; postedUrls: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly Thread[]> {
  const posted = readPostedComments(ours.postedUrls, commentAnchors)
  const { owner, repo: name } = splitRepositoryName(access.repo) ?? { owner: '', repo: '' }
  const threads: Thread[] = []
  let after: string | null = null
  for (let page = 0; page < maxPages; page++) {
    const data: z.output<typeof threadPage> = await queryGraphql(
      connection,
      access,
      { query: listQuery, variables: { owner, name, number, after } },
      threadPage,
      signal,
    )
    const { nodes, pageInfo } = data.repository.pullRequest.reviewThreads
    threads.push(...nodes.map((node) => toThread(node, ours.viewer, posted)))
    if (!pageInfo.hasNextPage || !pageInfo.endCursor) return threads
    if (pageInfo.endCursor === after) break
    after = pageInfo.endCursor
  }
  throw invalidResponse('The pages of a list did not end.')
}

/**
 * Resolves a thread. Does nothing when it is already resolved.
 *
 * @throws PlatformError `platform_forbidden` with the permission that a fine-grained token needs
 */
export async function resolveThread(
  connection: Connection,
  access: Access,
  threadId: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await queryGraphql(
      connection,
      access,
      { query: resolveMutation, variables: { threadId } },
      z.unknown(),
      signal,
    )
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'platform_forbidden')) throw error
    const permission = 'To resolve threads, a fine-grained token needs Contents: write.'
    const message = `${error.message} (${permission})`
    throw new PlatformError('platform_forbidden', message, { status: error.status, cause: error })
  }
}

function toThread(node: z.output<typeof thread>, viewer: Viewer, posted: PostedComments): Thread {
  return {
    id: node.id,
    resolved: node.isResolved,
    resolvedBy: node.resolvedBy?.login ?? null,
    path: node.path,
    line: node.line ?? null,
    comments: node.comments.nodes.map((comment) => ({
      id: String(comment.databaseId ?? ''),
      author: comment.author?.login ?? 'ghost',
      body: comment.body,
      own:
        nameInRest(comment.author)?.toLowerCase() === viewer.login.toLowerCase() ||
        (comment.databaseId != null && posted.has('inline', String(comment.databaseId))),
      bot: comment.author?.__typename === 'Bot',
    })),
  }
}

/** GraphQL omits the ending that the REST API gives to the logins of Apps. */
function nameInRest(
  author: { readonly __typename: string; readonly login: string } | null | undefined,
): string | undefined {
  return author?.__typename === 'Bot'
    ? `${author.login.replace(/\[bot\]$/, '')}[bot]`
    : author?.login
}

const errorCodes: Readonly<Record<string, PlatformErrorCode>> = {
  NOT_FOUND: 'platform_not_found',
  FORBIDDEN: 'platform_forbidden',
  INSUFFICIENT_SCOPES: 'platform_forbidden',
  RATE_LIMITED: 'platform_rate_limited',
  RATE_LIMIT: 'platform_rate_limited',
}

/** GraphQL reports errors with status 200. An error without a type is an internal one of GitHub. */
async function queryGraphql<T>(
  connection: Connection,
  access: Access,
  body: { query: string; variables: object },
  schema: z.ZodType<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const envelope = z.object({
    data: z.unknown().optional(),
    errors: z
      .array(z.object({ type: z.string().optional(), message: z.string().catch('') }))
      .optional(),
  })
  const { repo, token, appSlug } = access
  const call = {
    method: 'POST',
    path: '',
    token,
    appSlug,
    repo,
    body,
    signal,
    maxBytes: maxPageBytes,
  } as const
  const answer = await send({ ...connection, apiUrl: findGraphqlUrl(connection) }, call)
  const { data, errors } = parseResponse(answer, envelope)
  const error = errors?.[0]
  if (error !== undefined) {
    const knownCode = errorCodes[error.type ?? ''] ?? 'platform_refused'
    const code = error.type === undefined ? 'platform_unavailable' : knownCode
    const retryAfterMs = readRetryAfterMs(code, answer.headers)
    throw new PlatformError(code, sanitizeMessage(error.message, access.token), {
      status: 200,
      retryAfterMs,
    })
  }
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw invalidResponse('The answer has an unexpected form.')
  return parsed.data
}

/** GraphQL is at `/graphql` next to the REST API, on Enterprise Server next to its `/v3`. */
function findGraphqlUrl({ apiUrl }: Connection): string {
  return `${apiUrl.replace(/\/v3$/, '')}/graphql`
}
