// Serves the list and search of memories, and the endpoints by which people change them.
import type { AppContext } from '../context.ts'
import * as contract from '../contract/memory-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import type { Memory } from '../domain/memory.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { listMemories, readMemoryHistory } from '../knowledge/memory/read-memories.ts'
import { recallMemories } from '../workflows/remembering/recall-memories.ts'
import {
  addWrittenMemory,
  dismissMemoryManually,
  editMemory,
} from '../workflows/remembering/write-memory.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { findRequestedRepository } from './find-requested-repository.ts'
import { malformedRepositoryMessage, memoryNotConfiguredMessage } from './memory-overview-routes.ts'
import type { Server } from './server.ts'

type RepositoryRequest = Parameters<typeof callerOf>[0] & {
  readonly query: { readonly repo: string }
}

/** Adds `GET` and `POST /api/v1/memory`, and `PATCH`, `DELETE` and the history of one memory. */
export function addMemoryEntryRoutes(
  server: Server,
  ctx: AppContext,
  { either: onRequest }: Authenticate,
): void {
  const { db, config } = ctx
  const findRepository = (request: RepositoryRequest) =>
    findRequestedRepository(ctx, callerOf(request), request.query.repo, malformedRepositoryMessage)
  const findWritableRepository = async (request: RepositoryRequest): Promise<RepositoryName> => {
    const repo = await findRepository(request)
    if (!config.memory) throw new RequestError('not_configured', memoryNotConfiguredMessage)
    return repo
  }

  server.get(
    '/api/v1/memory',
    { schema: contract.listMemoriesSchema, onRequest },
    async (request) => {
      const { search, type, path, limit, before } = request.query
      const repo = await findRepository(request)
      const filter = { types: type && [type], path: path && normalizePath(path) }
      if (!config.memory) return { memories: [], next: null }
      if (search.trim() !== '') {
        const matches = await recallMemories(ctx, repo, { text: search, ...filter, limit })
        return {
          memories: matches.map(({ score, ...memory }) => ({ ...serializeMemory(memory), score })),
          next: null,
        }
      }
      const listed = await listMemories(db, repo, { ...filter, before, limit: limit + 1 })
      const memories = listed
        .slice(0, limit)
        .map((memory) => ({ ...serializeMemory(memory), score: null }))
      const hasMore = listed.length > limit
      return { memories, next: hasMore ? (memories.at(-1)?.id ?? null) : null }
    },
  )

  server.post(
    '/api/v1/memory',
    { schema: contract.addMemorySchema, onRequest },
    async (request) => {
      const { type, text, path } = request.body
      const repo = await findWritableRepository(request)
      const memory = { type, text, path: path === undefined ? null : normalizePath(path) }
      return serializeMemory(await addWrittenMemory(ctx, callerOf(request), repo, memory))
    },
  )

  const memoryPath = '/api/v1/memory/:id'
  server.patch(memoryPath, { schema: contract.editMemorySchema, onRequest }, async (request) => {
    const repo = await findWritableRepository(request)
    const id = parseId(request.params.id)
    const { text } = request.body
    return serializeMemory(await editMemory(ctx, callerOf(request), repo, { id, text }))
  })

  server.delete(
    memoryPath,
    { schema: contract.dismissMemorySchema, onRequest },
    async (request) => {
      const repo = await findWritableRepository(request)
      const id = parseId(request.params.id)
      await dismissMemoryManually(ctx, callerOf(request), repo, id)
      return { status: 'dismissed' as const, id }
    },
  )

  server.get(
    `${memoryPath}/history`,
    { schema: contract.memoryHistorySchema, onRequest },
    async (request) => {
      const repo = await findRepository(request)
      if (!config.memory) throw notFound()
      const versions = await readMemoryHistory(db, repo, parseId(request.params.id))
      if (versions.length === 0) throw notFound()
      return {
        memories: versions.map((memory) => ({
          ...serializeMemory(memory),
          ended_at: memory.endedAt === null ? null : new Date(memory.endedAt),
          ended_by: memory.endedBy,
        })),
      }
    },
  )
}

function notFound(): RequestError {
  return new RequestError('not_found', 'Memory not found')
}

/** The database refuses an ID that is not a UUID, so such an ID is answered like an unknown one. */
function parseId(id: string): string {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) throw notFound()
  return id
}

/** Removes `./` and slashes at both ends, as in stored paths. Returns `.` for the root. */
function normalizePath(path: string): string {
  return path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '') || '.'
}

function serializeMemory({
  id,
  text,
  type,
  path,
  componentType,
  trust,
  provenance,
  createdAt,
  updatedAt,
}: Memory) {
  const { source, commit, file, line, pullRequest, user, model } = provenance
  return {
    id,
    memory: text,
    type,
    path,
    component_type: componentType,
    trust,
    provenance: { source, commit, file, line, pull_request: pullRequest, user, model },
    created_at: new Date(createdAt),
    updated_at: new Date(updatedAt),
  }
}
