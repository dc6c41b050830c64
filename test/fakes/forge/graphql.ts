// The GraphQL API for review threads: other fields are refused like unknown ones at GitHub.
import { appPermissions, permissionOf, permits } from './access.ts'
import { includesPermission } from './apps/app-state.ts'
import type { InlineComment, PullRequest, Token, User } from './entities.ts'
import { type Field, GraphqlSyntaxError, parseOperation } from './graphql-parser.ts'
import { type ForgeRequest, type ForgeResponse, json, jsonBody, Refusal, refuse } from './http.ts'
import { commonHeaders, refuseEarly } from './rest.ts'
import { commentsOfThread, setResolved, threadsOf } from './reviews.ts'
import { countWrite } from './secondary-limit.ts'
import { pullWebUrl, threadId } from './shapes.ts'
import { type ForgeState, fullName, listVisible } from './state.ts'

type Arguments = Readonly<Record<string, unknown>>
/** An object of the schema: each field computes its value. */
interface Entity {
  readonly type: string
  readonly fields: Readonly<Record<string, (input: Arguments) => unknown>>
}

class GraphqlProblem extends Error {
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** Answers `POST /api/graphql`. */
export async function serveGraphql(
  state: ForgeState,
  request: ForgeRequest,
): Promise<ForgeResponse> {
  const headers = commonHeaders(state, request)
  try {
    refuseEarly(state, request)
    if (request.token === null) throw refuse(401, 'This endpoint requires you to be authenticated.')
    const { query, variables } = jsonBody(request)
    if (typeof query !== 'string')
      throw refuse(400, 'A query attribute must be specified and must be a string.')
    if (/^\s*mutation\b/.test(query)) countWrite(state, request)
    return json(200, execute(state, request.token, query, (variables ?? {}) as Arguments), headers)
  } catch (error) {
    if (error instanceof Refusal)
      return json(error.status, error.body, { ...headers, ...error.headers })
    throw error
  }
}

function execute(state: ForgeState, token: Token, query: string, variables: Arguments): unknown {
  try {
    const operation = parseOperation(query, variables)
    const errors: unknown[] = []
    const root =
      operation.kind === 'mutation' ? mutationRoot(state, token) : queryRoot(state, token)
    const data = select(root, operation.fields, [], errors)
    return errors.length === 0 ? { data } : { data, errors }
  } catch (error) {
    if (error instanceof GraphqlSyntaxError || error instanceof GraphqlProblem) {
      return {
        errors: [
          {
            ...(error instanceof GraphqlProblem ? { type: error.type } : {}),
            message: error.message,
          },
        ],
      }
    }
    throw error
  }
}

/**
 * Reads the requested fields of an entity. What can't be found is null with an error, as at GitHub.
 */
function select(
  entity: Entity,
  fields: readonly Field[],
  path: readonly string[],
  errors: unknown[],
): unknown {
  const result: Record<string, unknown> = {}
  for (const field of fields) {
    const here = [...path, field.alias]
    try {
      result[field.alias] = complete(readField(entity, field), field, here, errors)
    } catch (error) {
      if (!(error instanceof GraphqlProblem) || error.type === 'undefinedField') throw error
      errors.push({ type: error.type, path: here, message: error.message })
      result[field.alias] = null
    }
  }
  return result
}

function readField(entity: Entity, field: Field): unknown {
  if (field.name === '__typename') return entity.type
  const read = Object.hasOwn(entity.fields, field.name) ? entity.fields[field.name] : undefined
  if (read !== undefined) return read(field.input)
  throw new GraphqlProblem(
    'undefinedField',
    `Field '${field.name}' doesn't exist on type '${entity.type}'`,
  )
}

function complete(
  value: unknown,
  field: Field,
  path: readonly string[],
  errors: unknown[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => complete(item, field, path, errors))
  if (typeof value !== 'object' || value === null) return value
  if (field.fields.length === 0) {
    throw new GraphqlProblem(
      'undefinedField',
      `Field must have selections (field '${field.name}' returns an object)`,
    )
  }
  return select(value as Entity, field.fields, path, errors)
}

function queryRoot(state: ForgeState, token: Token): Entity {
  return {
    type: 'Query',
    fields: {
      viewer: () => userEntity(token.user),
      repository: ({ owner, name }) => {
        const repository = state.repositories.get(`${owner}/${name}`.toLowerCase())
        if (repository === undefined || permissionOf(token, repository) === 'none') {
          throw new GraphqlProblem(
            'NOT_FOUND',
            `Could not resolve to a Repository with the name '${owner}/${name}'.`,
          )
        }
        const pullRequest = ({ number }: Arguments) => {
          const pull = repository.pulls.get(Number(number))
          if (pull !== undefined) {
            requireThreadAccess(token, pull, 'pull_requests', 'read')
            return pullEntity(state, pull)
          }
          throw new GraphqlProblem(
            'NOT_FOUND',
            `Could not resolve to a PullRequest with the number of ${number}.`,
          )
        }
        return {
          type: 'Repository',
          fields: { nameWithOwner: () => fullName(repository), pullRequest },
        }
      },
    },
  }
}

function mutationRoot(state: ForgeState, token: Token): Entity {
  const change = (type: string, resolved: boolean) => (input: Arguments) => {
    const { threadId: id, clientMutationId } = (input.input ?? {}) as Arguments
    const [pull, opening] = findThread(state, token, String(id))
    if (
      !permits(permissionOf(token, pull.repository), 'write') &&
      token.user.id !== pull.author.id
    ) {
      throw new GraphqlProblem(
        'FORBIDDEN',
        `${token.user.login} does not have the correct permissions to execute this`,
      )
    }
    requireThreadAccess(token, pull, 'contents', 'write')
    setResolved(state, pull, opening, token.user, resolved)
    const thread = () => threadEntity(state, pull, opening)
    return { type, fields: { thread, clientMutationId: () => clientMutationId ?? null } }
  }
  return {
    type: 'Mutation',
    fields: {
      resolveReviewThread: change('ResolveReviewThreadPayload', true),
      unresolveReviewThread: change('UnresolveReviewThreadPayload', false),
    },
  }
}

/**
 * Throws where an App's token lacks a permission. GitHub wants write access to contents for
 * resolving a thread: https://github.com/orgs/community/discussions/44650.
 */
function requireThreadAccess(token: Token, pull: PullRequest, name: string, level: string): void {
  const granted = appPermissions(token, pull.repository)
  if (granted === null || includesPermission(granted, name, level)) return
  throw new GraphqlProblem('FORBIDDEN', 'Resource not accessible by integration')
}

function findThread(state: ForgeState, token: Token, id: string): [PullRequest, InlineComment] {
  for (const repository of state.repositories.values()) {
    if (permissionOf(token, repository) === 'none') continue
    for (const pull of repository.pulls.values()) {
      const opening = threadsOf(pull).find((candidate) => threadId(candidate) === id)
      if (opening !== undefined) return [pull, opening]
    }
  }
  throw new GraphqlProblem('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
}

function userEntity(user: User): Entity {
  return { type: user.type, fields: { login: () => user.login, databaseId: () => user.id } }
}

function pullEntity(state: ForgeState, pull: PullRequest): Entity {
  return {
    type: 'PullRequest',
    fields: {
      number: () => pull.number,
      title: () => pull.title,
      url: () => pullWebUrl(state, pull),
      headRefOid: () => pull.headSha,
      isDraft: () => pull.draft,
      state: () => (pull.mergedAt === null ? pull.state.toUpperCase() : 'MERGED'),
      reviewThreads: (input) => {
        const threads = listVisible(state, threadsOf(pull)).map((opening) =>
          threadEntity(state, pull, opening),
        )
        return connection('reviewThreads', 'PullRequestReviewThread', threads, input)
      },
    },
  }
}

function threadEntity(state: ForgeState, pull: PullRequest, opening: InlineComment): Entity {
  return {
    type: 'PullRequestReviewThread',
    fields: {
      id: () => threadId(opening),
      isResolved: () => opening.resolvedBy !== null,
      isOutdated: () => opening.current === null,
      isCollapsed: () => opening.resolvedBy !== null || opening.current === null,
      path: () => opening.original.path,
      line: () => opening.current?.line ?? null,
      startLine: () => opening.current?.startLine ?? null,
      originalLine: () => opening.original.line,
      diffSide: () => opening.original.side,
      resolvedBy: () => opening.resolvedBy && userEntity(opening.resolvedBy),
      comments: (input) => {
        const comments = commentsOfThread(pull, opening).map((comment) =>
          commentEntity(state, pull, comment),
        )
        return connection('comments', 'PullRequestReviewComment', comments, input)
      },
    },
  }
}

function commentEntity(state: ForgeState, pull: PullRequest, comment: InlineComment): Entity {
  return {
    type: 'PullRequestReviewComment',
    fields: {
      id: () => `PRRC_${Buffer.from(String(comment.id)).toString('base64url')}`,
      databaseId: () => comment.id,
      fullDatabaseId: () => String(comment.id),
      author: () => userEntity(comment.author),
      body: () => comment.body,
      path: () => comment.original.path,
      createdAt: () => comment.createdAt,
      outdated: () => comment.current === null,
      editor: () => comment.editor && userEntity(comment.editor),
      lastEditedAt: () => (comment.editor === null ? null : comment.updatedAt),
      url: () => `${pullWebUrl(state, pull)}#discussion_r${comment.id}`,
    },
  }
}

/**
 * Returns a page of a list from the start (`first`, `after`) or from the end (`last`). At most 100
 * at a time.
 */
function connection(
  name: string,
  nodeType: string,
  all: readonly Entity[],
  input: Arguments,
): Entity {
  const size = input.first ?? input.last
  if (typeof size !== 'number') {
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`
    throw new GraphqlProblem('MISSING_PAGINATION_BOUNDARIES', message)
  }
  if (size < 1 || size > 100) {
    const message = `Requesting ${size} records on the \`${name}\` connection exceeds the limit of 100 records.`
    throw new GraphqlProblem('EXCESSIVE_PAGINATION', message)
  }
  const cursor = (index: number) => Buffer.from(`cursor:${index}`).toString('base64')
  const after =
    typeof input.after === 'string'
      ? Number(Buffer.from(input.after, 'base64').toString().slice(7)) + 1
      : 0
  const start = input.first === undefined ? Math.max(0, all.length - size) : after
  const nodes = all.slice(start, start + size)
  const edge = (node: Entity, index: number): Entity => ({
    type: `${nodeType}Edge`,
    fields: { node: () => node, cursor: () => cursor(start + index) },
  })
  const pageInfo: Entity = {
    type: 'PageInfo',
    fields: {
      hasNextPage: () => start + nodes.length < all.length,
      hasPreviousPage: () => start > 0,
      startCursor: () => (nodes.length === 0 ? null : cursor(start)),
      endCursor: () => (nodes.length === 0 ? null : cursor(start + nodes.length - 1)),
    },
  }
  return {
    type: `${nodeType}Connection`,
    fields: {
      nodes: () => nodes,
      edges: () => nodes.map(edge),
      pageInfo: () => pageInfo,
      totalCount: () => all.length,
    },
  }
}
