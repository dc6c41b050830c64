// Serves the list and search of memories, and the endpoints by which people change them.
import { listMemoryUses } from '../analytics/memory-uses.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/memory-endpoints.ts'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
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
import type { AddRoute } from './add-route.ts'
import { findRequestedRepository, type RepositoryRequest } from './find-requested-repository.ts'
import { malformedRepositoryMessage, memoryNotConfiguredMessage } from './memory-overview-routes.ts'

export function addMemoryEntryRoutes(addRoute: AddRoute, ctx: ServiceContext): void {
  const { db, config } = ctx
  const findRepository = (request: RepositoryRequest) =>
    findRequestedRepository(ctx, request, malformedRepositoryMessage)
  const findWritableRepository = async (request: RepositoryRequest): Promise<RepositoryName> => {
    const repo = await findRepository(request)
    if (!config.memory) throw new RequestError('not_configured', memoryNotConfiguredMessage)
    return repo
  }

  addRoute(contract.listMemories, async (request) => {
    const { search, type, path, origin, limit, before } = request.query
    const repo = await findRepository(request)
    const filter = { types: type && [type], path: path && normalizePath(path), origin }
    if (!config.memory) return { memories: [], next: null }
    if (search.trim() !== '') {
      const matches = await recallMemories(ctx, repo, { text: search, ...filter, limit })
      return { memories: await describeListed(db, repo, matches), next: null }
    }
    const listed = await listMemories(db, repo, { ...filter, before, limit: limit + 1 })
    const page = listed.slice(0, limit).map((memory) => ({ ...memory, score: null }))
    const memories = await describeListed(db, repo, page)
    const hasMore = listed.length > limit
    return { memories, next: hasMore ? (memories.at(-1)?.id ?? null) : null }
  })

  addRoute(contract.addMemory, async (request) => {
    const { type, text, path } = request.body
    const repo = await findWritableRepository(request)
    const memory = { type, text, path: path === undefined ? null : normalizePath(path) }
    return describeMemory(await addWrittenMemory(ctx, request.caller, repo, memory))
  })

  addRoute(contract.editMemory, async (request) => {
    const repo = await findWritableRepository(request)
    const id = parseId(request.params.id)
    const { text } = request.body
    return describeMemory(await editMemory(ctx, request.caller, repo, { id, text }))
  })

  addRoute(contract.dismissMemory, async (request) => {
    const repo = await findWritableRepository(request)
    const id = parseId(request.params.id)
    await transactionWithRetry(db, (tx) => dismissMemoryManually(tx, request.caller, repo, id))
    return { status: 'dismissed' as const, id }
  })

  addRoute(contract.memoryHistory, async (request) => {
    const repo = await findRepository(request)
    if (!config.memory) throw notFound()
    const versions = await readMemoryHistory(db, repo, parseId(request.params.id))
    if (versions.length === 0) throw notFound()
    return { memories: versions.map(describeMemory) }
  })
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

/** Adds in which reviews memories were applied. */
async function describeListed<Described extends Memory>(
  db: Db,
  repo: RepositoryName,
  memories: readonly Described[],
) {
  const uses = await listMemoryUses(
    db,
    repo,
    memories.map(({ id }) => id),
  )
  return memories.map((memory) => ({
    ...describeMemory(memory),
    appliedTo: uses.get(memory.id) ?? [],
  }))
}

function describeMemory<Described extends Memory>({ text, ...memory }: Described) {
  return { ...memory, memory: text }
}
