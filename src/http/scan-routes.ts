// Scans of a repository: asking for one, and how it stands.
import type { AppContext } from '../context.ts'
import { RequestError } from '../domain/errors.ts'
import { readScan } from '../jobs/scans.ts'
import { rescanRepository } from '../workflows/rescan-repository.ts'
import { findAskedRepository } from './asked-repository.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import * as contract from './contract/scans.ts'
import { memoryNotConfigured } from './memory-routes.ts'
import type { Server } from './server.ts'

const malformed = 'repo must be owner/repo'

/** Adds what stands under `/api/v1/memory` of scans. */
export function addScanRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const rescanRoute = { schema: contract.rescan, onRequest: authenticate.cookie }
  server.post('/api/v1/memory/rescan', rescanRoute, async (request) => {
    const caller = callerOf(request)
    const repo = await findAskedRepository(ctx, caller, request.query.repo, malformed)
    if (!ctx.config.memory) throw new RequestError('not_configured', memoryNotConfigured)
    await rescanRepository(ctx, caller, repo)
    return { status: 'rescan_started' as const, repo }
  })

  const scanRoute = { schema: contract.readScan, onRequest: authenticate.either }
  server.get('/api/v1/memory/scan', scanRoute, async (request) => {
    const repo = await findAskedRepository(ctx, callerOf(request), request.query.repo, malformed)
    const scan = await readScan(ctx.db, repo)
    if (scan === undefined) return { ...neverScanned, repo }
    const {
      requestedAt: requested_at,
      startedAt: started_at,
      finishedAt: finished_at,
      ...rest
    } = scan
    return { ...rest, requested_at, started_at, finished_at }
  })
}

const neverScanned = {
  status: 'none' as const,
  step: '',
  done: 0,
  total: 0,
  commit: null,
  requested_at: null,
  started_at: null,
  finished_at: null,
  error: null,
}
